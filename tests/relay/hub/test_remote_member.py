"""One connection of a hub to a URL."""

import json
import queue
import socket
import threading

import pytest
from http_rig import PLAIN, started

from penstock.relay.hub import remote
from penstock.relay.target import Target

PATIENCE = 60
NOTICE = b'{"jsonrpc":"2.0","method":"notifications/x"}'


class Legacy:
    era, version = "legacy", "2025-11-25"


@pytest.fixture
def silent():
    """Yield a server that takes connections and says nothing, and a connection of a hub to it."""
    ended = queue.SimpleQueue()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        target = Target((), f"http://127.0.0.1:{server.getsockname()[1]}/mcp")
        member = remote.RemoteMember(
            target, Legacy(), 1_000_000, lambda _: None, ended.put, lambda: None
        )
        member.send(NOTICE)
        accepted, _ = server.accept()
        with accepted:
            accepted.settimeout(PATIENCE)
            yield accepted, member, ended


def wait_for_end(accepted):
    while accepted.recv(65_536):
        pass


def test_a_connection_that_too_much_waits_for_is_closed(silent, monkeypatch):
    monkeypatch.setattr(remote, "_MOST_WAITING", 10)
    accepted, member, ended = silent
    while ended.empty():
        member.send(NOTICE)
    assert "messages wait to be sent" in ended.get()
    wait_for_end(accepted)


def test_a_connection_that_is_stopped_is_closed(silent):
    accepted, member, _ = silent
    member.stop()
    wait_for_end(accepted)


MANY = 40  # more threads than an event loop offers to all
GREETING = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}},
}


def test_a_client_that_does_not_read_holds_up_no_other():
    is_read, stuck, heard = threading.Event(), queue.SimpleQueue(), queue.SimpleQueue()

    def hold(message):
        stuck.put(message)
        is_read.wait(PATIENCE)

    with started([*PLAIN, "--legacy", "--http"]) as url:
        members = [
            remote.RemoteMember(
                Target((), url), Legacy(), 1_000_000, take, lambda _: None, lambda: None
            )
            for take in [hold] * MANY + [heard.put]
        ]
        for member in members:
            member.send(json.dumps(GREETING).encode())
        assert json.loads(heard.get(timeout=PATIENCE))["id"] == 1
        for _ in range(MANY):
            stuck.get(timeout=PATIENCE)
        is_read.set()
        for member in members:
            member.stop()
