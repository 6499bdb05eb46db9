"""No test adds to the figures of the machine that it runs on."""

import subprocess
import sys

import pytest
from doors import quiet_environment
from environments import clean_environment
from relay_processes import SERVERS
from typed_page import environment

CALL = b"""\
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",\
"capabilities":{},"clientInfo":{"name":"a","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"rows","arguments":{}}}
"""


@pytest.mark.parametrize("made", [clean_environment, quiet_environment, environment])
def test_penstock_keeps_nothing_in_an_environment_of_the_tests(made, tmp_path, monkeypatch):
    for name in ("XDG_STATE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    command = [sys.executable, "-m", "penstock", "run", "--", sys.executable]
    server = str(SERVERS / "plain_server.py")
    done = subprocess.run(
        [*command, server], input=CALL, env=made(), capture_output=True, check=False
    )
    # The server may end at the end of its input, before its thread has answered the call.
    assert done.stdout.count(b"\n") == 2
    assert list(tmp_path.iterdir()) == []


def test_a_state_folder_is_never_the_users(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert clean_environment()["XDG_STATE_HOME"] != str(tmp_path)
    assert clean_environment(XDG_STATE_HOME="mine")["XDG_STATE_HOME"] == "mine"
