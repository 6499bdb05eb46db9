"""The memory that sessions take."""

from __future__ import annotations

import json

import psutil
from http_rig import PLAIN, Raw, request, serving, started
from raw_http import Wire, head

SESSIONS = 60
# Each session used to keep a list of its own, and what was made of it: 37 MB in all.
MOST_GROWTH = 15_000_000
LARGE = "x" * 1_000_000
# Requests of 160 MB are left. Penstock may keep 32 MB of them, and Python some more.
MOST_LEFT = 100_000_000


def memory_of_penstock(upstream):
    """Return the memory of the process in front of this upstream, or of all workers together."""
    below = psutil.Process().children(recursive=True)
    serving = [process for process in below if upstream in process.cmdline()]
    assert serving
    return sum(process.memory_info().rss for process in serving)


def use_a_session(url):
    with Raw(url) as client:
        client.initialize()
        assert client.ask("tools/list")["result"]["tools"]
        found = client.call("describe_tools", {"tools": ["wide_7"]})
        assert "isError" not in found


def test_sessions_in_front_of_a_url_share_what_is_made_of_the_list():
    with (
        started([*PLAIN, "--http", "--wide"]) as upstream,
        serving("--list", "index", "--url", upstream) as url,
    ):
        for _ in range(5):
            use_a_session(url)
        before = memory_of_penstock(upstream)
        for _ in range(SESSIONS):
            use_a_session(url)
        assert memory_of_penstock(upstream) - before < MOST_GROWTH


def leave_requests(client, keys):
    """Send large requests, and leave before any of them has an answer."""
    wires = []
    for key in keys:
        body = json.dumps(request("tools/call", {"name": "wait", "arguments": {"a": LARGE}}, key))
        wires.append(Wire(client.url))
        given = {"mcp-session-id": client.session}
        wires[-1].send(head(client.url, len(body), **given) + body.encode())
    assert "isError" not in client.call("echo", {"text": "a"})
    for wire in wires:
        wire.socket.close()


def test_requests_that_were_left_in_front_of_a_url_are_not_kept_for_ever():
    with (
        started([*PLAIN, "--http"]) as upstream,
        serving("--url", upstream) as url,
        Raw(url) as client,
    ):
        client.initialize()
        leave_requests(client, range(10, 20))
        before = memory_of_penstock(upstream)
        for first in range(20, 180, 10):
            leave_requests(client, range(first, first + 10))
        assert memory_of_penstock(upstream) - before < MOST_LEFT
