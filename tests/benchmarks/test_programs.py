"""Whole tasks in four ways: every play of the scripts gives the right answer."""

import json
import sys
from contextlib import contextmanager

import pytest
from benchmarks.programs.player import Player
from benchmarks.programs.servers import Server
from benchmarks.programs.sides import CODE_MODE, PLAIN, PROGRAMS, SIDES, STORED, done, same
from benchmarks.programs.tasks import TASKS
from benchmarks.programs.tasks.host_logs import HostLogs
from benchmarks.programs.tasks.services import Services
from node_runtime import node, package

from benchmarks import peers


def npm(name, *arguments, **environment):
    program = package(f"@modelcontextprotocol/{name}/dist/index.js")
    return Server((node(), str(program), *map(str, arguments)), environment)


class FewLogs(HostLogs):
    hosts_per_site = 1

    @contextmanager
    def serving(self):
        yield npm("server-filesystem", self.folder)


class FewServices(Services):
    count = 60

    @contextmanager
    def serving(self):
        yield npm("server-memory", MEMORY_FILE_PATH=f"{self.folder}/memory.jsonl")


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Let a side do a task. CodeMode runs here in the environment of the tests."""
    monkeypatch.setattr(peers, "PYTHON", sys.executable)

    def played(task, side):
        return done(task(tmp_path / "data"), side)

    return played


@pytest.mark.parametrize("side", SIDES, ids=lambda side: side.name)
@pytest.mark.parametrize("task", [FewLogs, FewServices])
def test_each_side_gives_the_right_answer(play, task, side):
    found = play(task, side)
    if side is PROGRAMS and "run_python is not listed" in found.problem:
        pytest.skip("programs are not there yet")
    assert found.problem == ""
    assert 0 < found.start < found.tokens


def test_a_wrong_answer_is_reported(play, monkeypatch):
    monkeypatch.setattr(FewServices, "right", lambda _: {"search": 1})
    assert "is not {'search': 1}" in play(FewServices, PLAIN).problem


def test_a_call_that_fails_is_reported(play, monkeypatch):
    monkeypatch.setattr(
        FewServices, "plain", lambda _, player: player.call("open_nodes", names="none")
    )
    assert "open_nodes" in play(FewServices, PLAIN).problem


def test_a_play_reads_less_where_results_stay_outside(play):
    tokens = {side: play(FewLogs, side).tokens for side in (PLAIN, STORED, CODE_MODE)}
    assert tokens[CODE_MODE] < tokens[STORED] < tokens[PLAIN]


def test_everything_that_a_model_reads_and_writes_is_counted():
    class Conversation:
        instructions = "one"

        def ask(self, method, params):
            if method == "tools/list":
                unread = {
                    "annotations": {"title": "long " * 50},
                    "outputSchema": {"type": "object"},
                }
                return {"tools": [{"name": "t", "inputSchema": {"type": "object"}, **unread}]}
            blocks = [{"type": "text", "text": json.dumps(params["arguments"])}]
            return {"content": blocks, "structuredContent": {"again": "long " * 50}}

    player = Player(Conversation())
    assert 5 < player.start < 25
    assert player.value("t", a=1) == {"a": 1}
    assert player.calls == 1
    assert 10 < player.tokens - player.start < 30


def test_answers_may_be_rounded_otherwise():
    assert same({"a": [1, 2.005]}, {"a": (1, 2.01)})
    assert not same({"a": [1, 2.0]}, {"a": [1, 2.1]})
    assert not same({"a": 1}, {"b": 1})


def test_there_are_ten_tasks():
    assert len(TASKS) == 10
    assert len({task.what for task in TASKS}) == len(TASKS)
