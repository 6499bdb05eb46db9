"""The memory that sessions take."""

from __future__ import annotations

import psutil
from http_rig import PLAIN, Raw, serving, started

SESSIONS = 60
# Each session used to keep a list of its own, and what was made of it: 37 MB in all.
MOST_GROWTH = 15_000_000


def memory_of_penstock(upstream):
    """Return the memory of the process in front of this upstream."""
    below = psutil.Process().children()
    (serve,) = [process for process in below if upstream in process.cmdline()]
    return serve.memory_info().rss


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
