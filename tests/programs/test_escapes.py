"""No program of the corpus reaches a file, a socket, the environment, a process or another session."""

import json
import os
import socket
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import escape_corpus
import psutil
import pytest
from http_rig import Raw, serving, started
from program_rig import FEW_SECONDS, SCOPE, SECONDS, answered
from relay_calls import compact, value_of
from relay_processes import SERVERS, wait_until
from relay_weights import over

from penstock.core.budget.budget import Budget
from penstock.core.model.program import Broken, Finished, Waiting
from penstock.programs.running import HelperError, Running

CANARY = "the words of somebody else"
MEMORY = 64_000_000
SERVER = [sys.executable, str(SERVERS / "program_server.py")]


class Listener:
    """A port of this machine, and the connections that it took."""

    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.taken = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        try:
            while True:
                self.taken.append(self._socket.accept())
        except OSError:
            return

    def close(self):
        self._socket.close()


@pytest.fixture(scope="module")
def listener():
    made = Listener()
    yield made
    made.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("canaries")
    (made / "file").write_text(CANARY)
    return made


@contextmanager
def untouched(folder, listener):
    """Check that a block reaches no canary."""
    before = (folder / "file").stat()
    yield
    assert [path.name for path in folder.iterdir()] == ["file"]
    assert (folder / "file").read_text() == CANARY
    assert (folder / "file").stat().st_mtime_ns == before.st_mtime_ns
    assert listener.taken == []


def canaries(folder, listener, token):
    return {
        "CANARY_FOLDER": folder,
        "CANARY_FILE": folder / "file",
        "CANARY_PORT": listener.port,
        "CANARY_VARIABLE": "CANARY_VARIABLE",
        "CANARY_TOKEN": token,
    }


def assert_outcome(escape, is_error, text):
    if escape.outcome in ("refused", "stopped"):
        assert is_error, text
        assert escape.error in text
    elif escape.outcome == "answer":
        assert not is_error, text
    assert CANARY not in text


# -- the sandbox alone -------------------------------------------------------------------------


def refuse(*_, **__):
    raise HelperError("Continuation token expired or not found")


REFUSING = dict.fromkeys(
    ("_penstock_value", "_penstock_rows", "_penstock_store", "_penstock_sql"), refuse
)
# These need a store, tools or the limit on calls.
RELAYED = ("host_", "other_", "tool_", "much_calls", "much_storing", "much_sql")


def held_open(pid):
    """Return what a process has open besides its pipes."""
    names = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    return [name for name in names if not name.startswith(("pipe:", "/dev/null"))]


@pytest.mark.parametrize("name", [n for n in escape_corpus.NAMES if not n.startswith(RELAYED)])
def test_the_sandbox_holds(sandbox, hurried_sandbox, folder, listener, name):
    escape = escape_corpus.read(name, canaries(folder, listener, "pen_" + "1" * 39))
    box = (hurried_sandbox if escape.may_run_out_of_time else sandbox).open()
    pid = box.session.worker_pid
    with untouched(folder, listener):
        try:
            program = Running(box, escape.code, SCOPE, REFUSING, MEMORY)
            turn = program.start()
            while isinstance(turn, Waiting):
                turn = program.go_on([answered(call) for call in turn.calls])
            if sys.platform == "linux" and psutil.pid_exists(pid):
                assert held_open(pid) == []
                assert psutil.Process(pid).children() == []
        finally:
            box.close()
    if isinstance(turn, Finished):
        assert_outcome(escape, False, turn.answer.decode())
    else:
        assert isinstance(turn, Broken)
        assert_outcome(escape, True, turn.error)
        assert turn.is_stopped == (escape.outcome == "stopped") or escape.outcome == "ended"


# -- through the relay -------------------------------------------------------------------------


@contextmanager
def relay(seconds):
    """Serve the tools over HTTP, with a secret in the environment of the relay."""
    environment = {
        **os.environ,
        "CANARY_VARIABLE": CANARY,
        "PENSTOCK_PROGRAM_SECONDS": str(seconds),
        "PENSTOCK_PROGRAM_MEMORY": "64MB",
        "PENSTOCK_PROGRAM_CALLS": "10",
    }
    with (
        started([*SERVER, "--http"]) as upstream,
        serving("--programs", "write", "--url", upstream, env=environment) as url,
    ):
        yield url


@pytest.fixture(scope="module")
def relay_url():
    with relay(SECONDS) as url:
        yield url


@pytest.fixture(scope="module")
def hurried_relay_url():
    with relay(FEW_SECONDS) as url:
        yield url


@pytest.fixture(scope="module")
def token(relay_url):
    """Return the token of another session, which has a secret variable too."""
    with Raw(relay_url) as other:
        other.initialize()
        code = f"secret_of_another = '{CANARY}'\nstore([secret_of_another])"
        result = other.call("run_python", {"code": code})
        yield result["content"][0]["text"]


@pytest.mark.parametrize("name", escape_corpus.NAMES)
def test_the_relay_holds(relay_url, hurried_relay_url, token, folder, listener, name):
    assert token.startswith("pen_")
    escape = escape_corpus.read(name, canaries(folder, listener, token))
    url = hurried_relay_url if escape.may_run_out_of_time else relay_url
    with Raw(url) as agent, untouched(folder, listener):
        agent.initialize()
        answer = agent.ask("tools/call", {"name": "run_python", "arguments": {"code": escape.code}})
        result = answer["result"]
        assert not over(compact(result), Budget(bytes=25_000))
        text = result["content"][0]["text"]
        is_error = result.get("isError", False)
        assert_outcome(escape, is_error, text)
        if is_error:
            assert json.loads(text)["next_step"]
        wait_until(lambda: runs_again(agent), "the next program")


def runs_again(agent):
    """Return whether the next program is answered. It says once if a function was replaced, and on a
    busy machine the few seconds may be too few."""
    found = value_of(agent.call("run_python", {"code": "sum([1, 1])"}))
    if found != 2:
        assert "was replaced" in found["error"] or "took longer than" in found["error"], found
    return found == 2
