"""Many cycles of start, call and stop: none hangs, and none leaves an orphan or a zombie.

A cycle goes wrong in a race, so there must be many. `make test` runs 30, and `make faults` 300.
"""

import http.client
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from urllib.parse import urlsplit

import pytest
from fault_rig import RUN_COMMAND, RUN_URL, Rig, Way
from faulty_server import rows as rows_of_server
from relay_processes import wait_until, wait_until_gone

WAYS = (RUN_COMMAND, RUN_URL, Way("serve"))
CYCLES = int(os.environ.get("PENSTOCK_FAULT_CYCLES", "30")) // len(WAYS)
AT_ONCE = 3


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_cycles(rig, tmp_path, way):
    upstream = rig(way, starts=False).upstream() if way.upstream == "url" else ""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        cycles = [
            pool.submit(cycle, way, tmp_path / str(number), upstream, number)
            for number in range(CYCLES)
        ]
    for one in cycles:
        one.result()


def cycle(way, folder, upstream, number):
    folder.mkdir()
    made = Rig(folder, way, upstream=upstream)
    try:
        made.start()
        client = made.client()
        assert client.text(client.call("rows", count=3)) == rows_of_server(3)
        below = [one.pid for one in made.below()]
        if way.program == "serve":
            end_session(made, client)
        by_signal = way.program == "serve" or number % 2
        stop(made, signal.SIGTERM if by_signal else None)
        client.close()
        wait_until_gone(*below)
    finally:
        made.close()


def stop(made, number):
    if number is None:
        made.process.stdin.close()
        assert made.wait() == 0
        return
    made.process.send_signal(number)
    assert made.wait() in (0, 128 + number, -number)


def end_session(made, client):
    """End the session. Its process must go, and be waited for: a zombie is still a child."""
    place = urlsplit(made.address)
    with closing(http.client.HTTPConnection(place.hostname, place.port)) as connection:
        connection.request("DELETE", place.path, headers={"mcp-session-id": client.session})
        assert connection.getresponse().status == 204
    wait_until(lambda: not made.servers(), "the end of the session's process")
