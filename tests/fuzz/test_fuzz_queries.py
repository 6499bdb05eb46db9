"""Programs of agents against the real worker: each ends with an answer or a clear refusal, the worker
survives or is replaced, and nothing outside is read."""

import json

import pytest
from agent import Agent, told
from hypothesis import given, settings
from hypothesis import strategies as st
from kept import every_kept
from mutations import spoilt_text
from queries import jq_programs, sql_programs
from relay_processes import wait_until
from strategies import EXACT

from penstock.core.budget.budget import Budget
from penstock.core.model.values import Result
from penstock.settings.policy import Policy

HALF = settings(max_examples=settings.default.max_examples // 2)
ROWS = [
    {"id": n, "name": f"name {n}", "tags": ["a", n], "a": {"b": n % 3}, "long": "é" * n}
    for n in range(60)
]
WORDS = "the words of somebody else"
SEARCHES = ["name 3", "é", '"', "id", "a.b", "", " ", "NAME", "\ud800", "6", "[", "null", "x" * 500]


class Desk:
    """A stored result, and a file and a variable that no program may read."""

    def __init__(self, folder, monkeypatch):
        self.file = folder / "canary"
        self.file.write_text(WORDS)
        monkeypatch.setenv("CANARY", WORDS)
        self.agent = Agent(Policy(budget=Budget(bytes=2_000), query_seconds=2), EXACT)
        self.token = told(self.agent.first(Result.of(ROWS)))["continuation_token"]

    def ask(self, mode, program):
        """Ask a question, and check the reply. Every reply is weighed too."""
        reply = self.agent.read(
            self.token, mode=mode, query=program.replace("$CANARY", str(self.file))
        )
        assert WORDS not in reply.text, program
        assert self.file.read_text() == WORDS
        assert [path.name for path in self.file.parent.iterdir()] == ["canary"]
        found = json.loads(reply.text)
        if reply.is_error:
            assert found["error"], program
            assert found["next_step"], program
            assert "Traceback" not in reply.text
        return reply

    def answers(self):
        """Return whether the worker answers as ever. On a busy machine two seconds may be too few."""
        counted = self.ask("sql", "SELECT count(*) AS n FROM result"), self.ask("query", "length")
        if any(reply.is_error for reply in counted):
            assert "longer than" in counted[0].text + counted[1].text, counted
            return False
        rows, length = (json.loads(reply.text) for reply in counted)
        return rows["items"] == [{"n": 60}] and length["value"] == 60


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    with pytest.MonkeyPatch.context() as monkeypatch:
        made = Desk(tmp_path_factory.mktemp("desk"), monkeypatch)
        yield made
        wait_until(made.answers, "an answer of the worker")
        made.agent.gate.close()


def maybe_spoilt(programs):
    return programs | programs.flatmap(spoilt_text)


@given(maybe_spoilt(sql_programs()))
@HALF
def test_any_sql_is_answered_or_refused(desk, program):
    desk.ask("sql", program)


@given(maybe_spoilt(jq_programs()))
@HALF
def test_any_jq_is_answered_or_refused(desk, program):
    desk.ask("query", program)


@given(maybe_spoilt(st.sampled_from(SEARCHES) | st.text(max_size=30)))
@HALF
def test_any_search_is_answered_or_refused(desk, program):
    desk.ask("search", program)


MODES = {"sql": "sql", "jq": "query", "txt": "search"}


@every_kept("queries")
def test_kept_queries(desk, kept, request):
    ending = request.node.callspec.id.rpartition(".")[2]
    desk.ask(MODES[ending], kept.decode("utf-8", "surrogateescape"))
    wait_until(desk.answers, "an answer of the worker")
