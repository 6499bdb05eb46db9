"""The start and the end of a relay: whichever side ends first, no process stays or waits."""

import json
import os
import signal
import subprocess
import sys
import threading

import psutil
import pytest
from relay_calls import value_of
from relay_processes import (
    PATIENCE,
    RUN,
    SCRIPTED,
    clean_environment,
    end,
    is_gone,
    is_guardian,
    wait_until,
    wait_until_gone,
)
from relay_rig import LEGACY_GREETING
from relay_upstream import MODERN_META
from stuck_pipes import Stuck, write_ignoring

from penstock.wire.messages import UPSTREAM_GONE

if os.name != "posix":
    pytest.skip("signals and process groups of POSIX", allow_module_level=True)


def pids(client):
    return value_of(client.call("pids"))


# -- the client goes ---------------------------------------------------------------------------


def test_the_client_hangs_up(start):
    client = start(SCRIPTED)
    (server,) = pids(client)
    assert client.close() == 0
    assert is_gone(server)


def test_the_client_hangs_up_at_once(start):
    assert start(SCRIPTED, greet=False).close() == 0


def test_what_was_asked_before_is_still_answered(start):
    """A script pipes its requests in and reads the answers."""
    client = start(SCRIPTED)
    for number in range(100, 120):
        client.send(
            client.request("tools/call", {"name": "big", "arguments": {"size": 50_000}}, id=number)
        )
    client.hang_up()
    answers = [json.loads(line) for line in client.receive_rest()]
    assert sorted(answer["id"] for answer in answers) == list(range(100, 120))
    assert all("continuation_token" in value_of(answer["result"]) for answer in answers)
    assert client.close() == 0


@pytest.mark.parametrize(
    "shape", ["a child", "a shell that waits", "a shell that was left", "a child that is stubborn"]
)
def test_no_orphans(start, shape, tmp_path):
    """No grandchildren either: npx starts node, a shell starts the server."""
    ready = tmp_path / "ready"
    stays = f"{sys.executable} -c 'import signal; signal.pause()'"
    ignoring = f"""{sys.executable} -c 'import signal; signal.signal(15, signal.SIG_IGN); signal.pause()'"""
    server = " ".join([*SCRIPTED, "--ready", str(ready)])
    commands = {
        "a child": [*SCRIPTED, "--child"],
        "a shell that waits": ["sh", "-c", f"exec 3<&0; {server} <&3 3<&- & {stays} & wait"],
        "a shell that was left": ["sh", "-c", f"{stays} & exec {server}"],
        "a child that is stubborn": ["sh", "-c", f"{ignoring} & exec {server}"],
    }
    client = start(commands[shape])
    family = descendants(client)
    assert len(family) >= 2
    client.close()
    wait_until_gone(*family)


def descendants(client):
    below = psutil.Process(client.process.pid).children(recursive=True)
    return [child.pid for child in below if not is_guardian(child)]


def test_a_server_that_will_not_go(start):
    """The relay closes its input, then asks it to end, then kills it."""
    client = start([*SCRIPTED, "--stubborn"])
    (server,) = pids(client)
    assert client.close() == 0
    assert is_gone(server)


def test_a_client_that_is_killed(start):
    """Both pipes end with the client, so the relay and the server end."""
    client = start([*SCRIPTED, "--child"], greet=False)
    client.greet()
    family = pids(client)
    client.process.stdin.close()
    client.process.stdout.close()
    assert client.wait() == 0
    wait_until_gone(*family)


def test_a_client_that_closes_only_what_it_reads(start):
    """Nobody takes the answers any more: the relay ends at the first that it cannot deliver."""
    client = start(SCRIPTED, is_reading=False, greet=False)
    client.process.stdout.close()
    client.send(client.request("ping"))
    assert client.wait() == 0
    client.hang_up()


def piped(command):
    """Pipe one request into the relay, as `echo REQUEST | penstock run -- COMMAND` does."""
    return subprocess.run(
        [*RUN, "--", *command],
        input=json.dumps(GREETING) + "\n",
        capture_output=True,
        text=True,
        env=clean_environment(),
        timeout=PATIENCE,
        check=False,
    )


GREETING = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": LEGACY_GREETING}
SOME_RUNS = range(12)  # Either end may come first. Without care, one run in ten goes wrong.
SILENT = {
    "ends at once": (["sh", "-c", "exit 3"], 1, "ended with exit code 3"),
    "ends after its input": (["sh", "-c", "cat >&2; exit 3"], 1, "ended with exit code 3"),
    "reads nothing": (["cat", "/dev/null"], 1, "ended with exit code 0"),
    "cannot be started": (["./nosuch"], 2, "Cannot start './nosuch'"),
}


@pytest.mark.parametrize("kind", SILENT)
def test_a_client_that_left_is_told_that_the_server_ended(kind):
    command, code, told = SILENT[kind]
    for _ in SOME_RUNS:
        done = piped(command)
        assert done.returncode == code, done
        answer = json.loads(done.stdout)
        assert (answer["id"], answer["error"]["code"]) == (1, UPSTREAM_GONE)
        assert told in answer["error"]["message"]
        assert told in done.stderr


def test_a_server_that_ends_after_its_answer():
    """The client has closed its end, and has all its answers."""
    result = {**LEGACY_GREETING, "serverInfo": {"name": "brief", "version": "1"}}
    answer = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result})
    for _ in SOME_RUNS:
        done = piped(["sh", "-c", f"read line; echo '{answer}'"])
        assert done.returncode == 0, done
        assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "brief"
        assert done.stderr == ""


def test_both_ends_at_once(start):
    """The relay finds the end of its server together with the end of its client."""
    for _ in SOME_RUNS:
        client = start(SCRIPTED)
        (server,) = pids(client)
        relay = psutil.Process(client.process.pid)
        relay.suspend()
        os.kill(server, signal.SIGKILL)
        client.hang_up()
        relay.resume()
        assert client.wait() == 0
        assert client.errors == ""


def test_a_server_that_is_still_at_work_when_it_is_stopped(start):
    client = start([*SCRIPTED, "--stubborn"])
    client.send(client.request("tools/call", {"name": "wait", "arguments": {"name": "a"}}, id=100))
    client.hang_up()
    assert (
        "still ran 5 seconds after its input was closed"
        in client.answer_to(100)["error"]["message"]
    )
    assert client.wait() == 1


def test_a_subscription_ends_with_the_client(start):
    """Nothing else ends a subscription, so this end is no error."""
    client = start(["sh", "-c", "cat > /dev/null"], greet=False)
    client.send(client.request("subscriptions/listen", id=1))
    assert client.close() == 0
    assert client.receive_rest() == []
    assert client.errors == ""


# -- signals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_both(start, number):
    client = start([*SCRIPTED, "--child"])
    family = pids(client)
    client.process.send_signal(number)
    assert client.wait() == 128 + number
    wait_until_gone(*family)


def test_a_signal_while_a_server_does_not_read(start, tmp_path):
    """The thread that writes to it is stuck; the signal is heeded all the same."""
    ready = tmp_path / "ready"
    client = start([*SCRIPTED, "--deaf", "--ready", str(ready)], greet=False)
    wait_until(ready.exists)
    line = json.dumps(client.request("vendor/x", {"text": "x" * 8_000_000})).encode() + b"\n"
    writing = threading.Thread(target=write_ignoring, args=(client.process.stdin, line * 3))
    writing.start()
    wait_until(Stuck(client.process.stdin))
    client.process.send_signal(signal.SIGTERM)
    assert client.wait() == 128 + signal.SIGTERM
    wait_until_gone(int(ready.read_text()))
    writing.join(PATIENCE)


def test_a_signal_while_a_client_does_not_read(start):
    """The thread that writes to it is stuck; the signal is heeded all the same."""
    client = start(SCRIPTED, greet=False, is_reading=False)
    (child,) = wait_for_children(client, 1)
    arguments = {"count": 200, "size": 100_000}
    client.send(client.request("tools/call", {"name": "flood", "arguments": arguments}))
    wait_until(Stuck(client.process.stdout))
    client.process.send_signal(signal.SIGTERM)
    assert client.wait() == 128 + signal.SIGTERM
    wait_until_gone(child)


def wait_for_children(client, count):
    wait_until(lambda: len(descendants(client)) >= count)
    return descendants(client)


# -- upstream goes -----------------------------------------------------------------------------


def test_a_server_that_dies(start):
    """Every waiting request gets an error, the exit code shows it, and the log explains it."""
    client = start(SCRIPTED)
    for number, name in enumerate(("a", "b", "c"), 100):
        client.send(
            client.request("tools/call", {"name": "wait", "arguments": {"name": name}}, id=number)
        )
    client.send(client.request("tools/call", {"name": "die", "arguments": {"code": 3}}, id=200))
    answers = [json.loads(line) for line in client.receive_rest()]
    assert sorted(answer["id"] for answer in answers) == [100, 101, 102, 200]
    assert {answer["error"]["code"] for answer in answers} == {UPSTREAM_GONE}
    assert all("ended with exit code 3" in answer["error"]["message"] for answer in answers)
    assert client.wait() == 1
    assert "the MCP server ended with exit code 3" in client.errors
    assert "Traceback" not in client.errors
    assert "Fatal" not in client.errors


def test_a_server_that_is_killed(start):
    client = start(SCRIPTED)
    (server,) = pids(client)
    client.send(client.request("tools/call", {"name": "wait", "arguments": {"name": "a"}}, id=100))
    os.kill(server, signal.SIGKILL)
    assert "signal 9" in client.answer_to(100)["error"]["message"]
    assert client.wait() == 1


def test_what_was_asked_while_the_server_ended_is_answered(start):
    """The relay finds the end of its server together with requests that it has not read yet."""
    client = start(SCRIPTED)
    (server,) = pids(client)
    relay = psutil.Process(client.process.pid)
    relay.suspend()
    for number in range(100, 150):
        client.send(client.request("tools/call", {"name": "wait", "arguments": {}}, id=number))
    os.kill(server, signal.SIGKILL)
    relay.resume()
    answers = [json.loads(line) for line in client.receive_rest()]
    assert sorted(answer["id"] for answer in answers) == list(range(100, 150))
    assert all("signal 9" in answer["error"]["message"] for answer in answers)
    assert client.wait() == 1


@pytest.mark.parametrize("code", [0, 4])
def test_a_server_that_ends_at_once(start, code):
    client = start([*SCRIPTED, "--exit", str(code)], greet=False)
    assert client.receive() == b""
    assert client.wait() == 1
    assert f"exit code {code}" in client.errors


def test_a_host_that_asks_a_server_that_ended_at_once(start):
    """The host gets an error: without an answer it would show nothing."""
    client = start([*SCRIPTED, "--exit", "4"], greet=False)
    error = client.ask("initialize", LEGACY_GREETING)["error"]
    assert error["code"] == UPSTREAM_GONE
    assert "exit code 4" in error["message"]
    assert client.wait() == 1


UNSTARTABLE = {
    "missing": (None, "it was not found. Check the spelling"),
    "not executable": ((0o600, "#!/bin/sh\n"), "it is not executable. Make it executable"),
    "a bad interpreter": ((0o700, "#!/no/such/python\n"), "was not found. Correct the #! line."),
    "no interpreter": ((0o700, "import sys\n"), "Exec format error. Name the program that runs it"),
    "a folder": ((), "it is a folder. Name the program in it."),
}


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("kind", UNSTARTABLE)
def test_a_server_that_cannot_be_started(start, tmp_path, kind, era):
    """The client gets the sentence and the next step, as after a crash, and so does the log."""
    content, told = UNSTARTABLE[kind]
    file = tmp_path / "server"
    if content:
        file.write_text(content[1])
        file.chmod(content[0])
    elif content == ():
        file.mkdir()
    client = start([str(file)], greet=False)
    greeting = {
        "legacy": ("initialize", LEGACY_GREETING),
        "modern": ("server/discover", {"_meta": MODERN_META}),
    }
    error = client.ask(*greeting[era])["error"]
    assert error["code"] == UPSTREAM_GONE
    assert f"did not start. Cannot start '{file}': " in error["message"]
    assert told in error["message"]
    assert client.wait() == 2
    assert client.errors.startswith(f"penstock: Cannot start '{file}': ")
    assert told in client.errors.replace("\n ", "")
    assert len(client.errors.splitlines()) == 2


def test_a_program_that_is_not_on_the_path(start):
    client = start(["nosuchprogram"], greet=False)
    assert "Cannot start 'nosuchprogram'" in client.ask("ping")["error"]["message"]
    assert client.wait() == 2


def test_a_client_that_leaves_a_server_that_cannot_be_started(start):
    client = start(["nosuchprogram"], greet=False)
    assert client.close() == 2
    assert client.receive_rest() == []
    assert "Cannot start 'nosuchprogram'" in client.errors


def test_a_server_that_closes_its_output_and_stays(start):
    client = start(["sh", "-c", "exec >&-; sleep 600"], greet=False)
    client.send(client.request("ping", id=1))
    assert client.wait() == 1
    answers = [json.loads(line) for line in client.receive_rest()]
    assert [answer["id"] for answer in answers] in ([], [1])
    assert "closed its output" in client.errors


def test_a_server_that_prints_first(start):
    """A line that is no message is logged, and does not reach the client."""
    client = start([*SCRIPTED, "--garbage"])
    assert client.listed()["tools"]
    assert client.others == []
    assert "Welcome to the server!" in client.errors
    assert client.close() == 0


def test_a_relay_that_is_killed_leaves_no_server(start):
    """The relay cannot clean up, but the end of its input tells the server to exit."""
    client = start(SCRIPTED)
    (server,) = pids(client)
    client.process.kill()
    client.process.wait(PATIENCE)
    try:
        wait_until_gone(server)
    finally:
        end(server)
