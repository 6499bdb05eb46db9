"""Memory and file descriptors of `penstock serve` over 10,000 sessions and 100,000 calls.

A hundred sessions at a time begin, connect anew, call and end, in front of the URL of a bare echo
server. So with two workers, half of the calls are passed on. In front of a command, where each session
has a process of its own, there are a tenth as many. Memory is compared with that after a fifth of
them, when everything has been used. The descriptors are those after the first hundred sessions. Both
times, connections to upstream may be kept for a while. It takes minutes, so it runs only if it is asked
for. Linux only.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

from benchmarks import process_tree, relay_http
from benchmarks.http_load import run
from benchmarks.http_wire import Served
from benchmarks.lines import Line

SESSIONS = 10_000
SESSIONS_OF_COMMAND = 1_000
BATCH = replace(relay_http.ANEW, sessions=100, calls=10)
FLAT = 1.1
# Some connections to upstream are kept, by chance more or fewer. A leak would show in thousands.
MOST_KEPT = 8
_SECONDS_TO_CLOSE = 90
_POLL_SECONDS = 1
# Connections that stay open for so long stay open.
_STILL = 20


def measure() -> Iterator[Line]:
    if sys.platform != "linux":
        return
    with TemporaryDirectory() as folder, ExitStack() as running:
        servers = relay_http.Servers(running, Path(folder))
        for name, server in servers.before_echo.items():
            yield from _soak(name, server, SESSIONS)
        name, server = list(servers.before_command.items())[-1]
        yield from _soak(name, server, SESSIONS_OF_COMMAND)


def _soak(name: str, server: Served, sessions: int) -> Iterator[Line]:
    batches = sessions // BATCH.sessions
    failures = run(server, BATCH).failures
    files = _settled(server)
    fifth = memory = 0.0
    for number in range(1, batches + 1):
        failures += run(server, BATCH).failures
        memory = process_tree.megabytes(server.pid)
        if number == batches // 5:
            fifth = memory
        if number % (batches // 10) == 0:
            done = f"{number * BATCH.sessions:,} sessions, {memory:.1f} MB, "
            print(f"{done}{process_tree.descriptors(server.pid)} descriptors", file=sys.stderr)
    what = f"{sessions:,} sessions, {sessions * BATCH.calls:,} calls, {name}"
    yield Line(f"{what}: memory", memory, fifth, "MB", FLAT)
    left = _settled(server, files)
    yield Line(f"{what}: file descriptors", left, files, "", MOST_KEPT, difference=True)
    yield Line(f"{what}: failed calls", failures, 0, "", 0, difference=True)


def _settled(server: Served, enough: int = 0) -> int:
    """Return the number of descriptors once it is low enough, or has not fallen for a while."""
    lowest, since = process_tree.descriptors(server.pid), monotonic()
    deadline = since + _SECONDS_TO_CLOSE
    while lowest > enough and monotonic() < min(deadline, since + _STILL):
        sleep(_POLL_SECONDS)
        now = process_tree.descriptors(server.pid)
        if now < lowest:
            lowest, since = now, monotonic()
    return lowest
