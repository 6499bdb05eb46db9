"""One connection of a hub to a URL."""

import queue
import socket

import pytest

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
