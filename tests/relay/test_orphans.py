"""Servers that stay, and processes that servers leave behind: neither holds up a relay, and no server
outlives one.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import psutil
import pytest
from http_rig import PLAIN, Raw, one_worker, serve_command, started
from relay_calls import value_of
from relay_processes import (
    PATIENCE,
    RUN,
    SERVERS,
    clean_environment,
    end,
    is_guardian,
    wait_until,
    wait_until_gone,
)
from stuck_pipes import Stuck, write_ignoring

from penstock.relay.process import CannotStart, Unstarted
from penstock.relay.stdio import StdioRelay
from penstock.wire.messages import UPSTREAM_GONE

WILD = [sys.executable, str(SERVERS / "wild_server.py")]
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT]


@contextmanager
def left_behind(client):
    """Let the server start a process that keeps its pipes open. Yield the server's id."""
    server, left = value_of(client.call("leave"))
    try:
        yield server
    finally:
        end(left)


# -- a process that was left behind ------------------------------------------------------------


def test_a_client_leaves_a_server_that_left_a_process(start):
    client = start(WILD)
    with left_behind(client):
        assert client.close() == 0


def test_a_server_that_dies_and_leaves_a_process(start):
    client = start(WILD)
    with left_behind(client):
        waiting = client.request("tools/call", {"name": "wait"})
        client.send(waiting)
        client.send(client.request("tools/call", {"name": "die"}))
        error = client.answer_to(waiting["id"])["error"]
        assert (error["code"], client.wait()) == (UPSTREAM_GONE, 1)
        assert "ended with exit code 3" in error["message"]


def test_a_server_that_dies_while_nobody_reads_its_input(start):
    client = start(WILD)
    with left_behind(client) as server:
        psutil.Process(server).suspend()
        line = json.dumps(client.request("vendor/x", {"text": "x" * 8_000_000})).encode() + b"\n"
        writing = threading.Thread(target=write_ignoring, args=(client.process.stdin, line * 3))
        writing.start()
        wait_until(Stuck(client.process.stdin))
        os.kill(server, signal.SIGKILL)
        assert client.wait() == 1
        writing.join(PATIENCE)


def test_a_launcher_that_ends_and_leaves_the_server(start):
    """The server has the launcher's pipes, and works on."""
    client = start(["sh", "-c", f"exec 3<&0; {' '.join(WILD)} <&3 3<&- & exit 0"])
    assert client.listed()["tools"]
    assert client.close() == 0


def test_what_a_server_wrote_before_its_end_is_read(start):
    """Its output goes on in a process that it left behind, and that never writes."""
    client = start(WILD)
    with left_behind(client):
        asked = client.request("tools/call", {"name": "long", "arguments": {"size": 640_000}})
        client.send(asked)
        client.send(client.request("tools/call", {"name": "die"}))
        assert "continuation_token" in value_of(client.answer_to(asked["id"])["result"])


@contextmanager
def serving(*command, env=None):
    """Run `penstock serve`, and yield its process and its URL."""
    with serve_command("--", *command) as serve:
        process = subprocess.Popen(
            serve, stderr=subprocess.PIPE, text=True, env=env or clean_environment()
        )
        try:
            told = next(line for line in process.stderr if "http://" in line)
            yield process, told.split()[-1]
        finally:
            end(process.pid)
            process.wait()
            process.stderr.close()


def test_a_served_server_that_dies_and_leaves_a_process():
    with serving(*WILD) as (process, url), Raw(url) as client:
        client.initialize()
        with left_behind(client):
            assert client.ask("tools/call", {"name": "die"})["error"]["code"] == UPSTREAM_GONE
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 128 + signal.SIGTERM


# -- signals -----------------------------------------------------------------------------------


@contextmanager
def stubborn(folder):
    """Yield the command of a server that only SIGKILL ends, and a function that waits for the ids of
    the server and of its child."""
    ready = folder / "ready.json"

    def family():
        wait_until(ready.exists)
        return json.loads(ready.read_text())

    try:
        yield [*WILD, "--stubborn", "--ready", str(ready)], family
    finally:
        for number in family() if ready.exists() else ():
            end(number)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_the_relay_starts(tmp_path, number):
    with stubborn(tmp_path) as (command, family):
        process = subprocess.Popen(
            [*RUN, "--", *command], stdin=subprocess.PIPE, env=clean_environment()
        )
        started_ones = family()  # the rest of the relay is still loading
        process.send_signal(number)
        assert process.wait(PATIENCE) == 128 + number
        wait_until_gone(*started_ones)
        process.stdin.close()


def servers_of(process):
    return [one for one in psutil.Process(process.pid).children() if not is_guardian(one)]


def test_a_relay_that_is_killed_leaves_no_server_that_stays(start, tmp_path):
    with stubborn(tmp_path) as (command, family):
        client = start(command)
        below = psutil.Process(client.process.pid).children(recursive=True)
        client.process.kill()
        wait_until_gone(*family(), *(one.pid for one in below))


@pytest.mark.parametrize("number", [*SIGNALS, signal.SIGKILL])
def test_a_signal_ends_serve_and_its_servers(tmp_path, number):
    with stubborn(tmp_path) as (command, family), serving(*command) as (process, url):
        with Raw(url) as client:
            client.initialize()
            below = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(number)
            code = process.wait(PATIENCE)
        assert code == (-number if number == signal.SIGKILL else 128 + number)
        wait_until_gone(*family(), *(one.pid for one in below))


def test_a_signal_that_the_user_has_penstock_ignore(start):
    """`nohup` works so."""
    command = shlex.join([*RUN, "--", *WILD])
    client = start(["sh", "-c", f"trap '' HUP; exec {command}"], behind=False)
    client.process.send_signal(signal.SIGHUP)
    assert client.listed()["tools"]
    assert client.close() == 0


def test_a_signal_handler_waits_for_no_lock():
    """The handler interrupts the main thread, which may hold any lock."""
    session = SimpleNamespace(pending={})
    relay = StdioRelay(None, Unstarted(CannotStart("")), session, None)
    handling = threading.Thread(target=relay._note_signal, args=(signal.SIGTERM,), daemon=True)
    with relay._client_left._cond, relay._finished._cond, relay._is_told._cond:
        handling.start()
        handling.join(PATIENCE)
        assert not handling.is_alive()


def test_a_server_has_no_descriptor_but_its_own(start):
    """An end of another pipe of ours would keep that pipe open for as long as the server runs."""
    client = start(WILD)
    client.listed()
    below = psutil.Process(client.process.pid).children(recursive=True)
    assert len(below) == 2  # the server and the guardian
    assert [one.num_fds() for one in below] == [3, 3]


# A relay behind HTTP that has a minute to end in place of a second, and waits for an upstream that
# hangs for as long as it may: a busy machine may be slow to close a file.
PATIENT_RUN = [sys.executable, "-c", """
import sys
from penstock.cli import main
from penstock.relay import run_url
from penstock.relay.http import upstream
run_url._LAST_SECONDS, upstream.CONNECT_SECONDS = 60.0, 600.0
sys.exit(main(sys.argv[1:]))
""", "run"]  # fmt: skip


def test_a_signal_in_front_of_a_url_that_hangs(tmp_path):
    """The relay closes its store, although the server does not answer the end of the session."""
    store = tmp_path / "results.sqlite"
    environment = clean_environment(PENSTOCK_STORE=f"sqlite:///{store}")
    with started([*PLAIN, "--http", "--hangs-at-delete"]) as url:
        process = subprocess.Popen(
            [*PATIENT_RUN, "--url", url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
        greet(process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 128 + signal.SIGTERM
        assert not list(tmp_path.glob("*-wal"))
        for pipe in (process.stdin, process.stdout):
            pipe.close()


def greet(process):
    about = {"protocolVersion": "2025-11-25", "capabilities": {}}
    about["clientInfo"] = {"name": "test", "version": "1"}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    process.stdin.write(json.dumps(asked).encode() + b"\n")
    process.stdin.flush()
    assert "result" in json.loads(process.stdout.readline())


# -- many times --------------------------------------------------------------------------------

CYCLES = 25


@one_worker
def test_many_starts_and_ends_leave_nothing():
    """No descriptor, no thread and no process of `serve` stays for a session that has ended."""
    with serving(*WILD) as (process, url):
        relay = psutil.Process(process.pid)
        weights = []
        for _ in range(CYCLES):
            with Raw(url) as client:
                client.initialize()
                client.call("log", {"size": 10})
                client.http.delete(url, headers={"mcp-session-id": client.session})
            weights.append((relay.num_fds(), relay.num_threads()))
        wait_until(lambda: not servers_of(process), "the end of the servers")
        early, late = weights[4], weights[-1]
        assert late[0] <= early[0] + 4
        assert late[1] <= early[1] + 8
