"""The time of programs: a call from inside, an empty program, and a hundred programs at once.

A call inside a program is compared with the same call through the same relay, in rounds, so that a
busy moment hits both. The time of an empty program is taken off first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from threading import Event, Thread
from time import perf_counter
from typing import Any, Final, Self

from benchmarks import peers
from benchmarks.lines import Line
from benchmarks.relay_calls import TEXT
from benchmarks.wire import WireClient

ROUNDS: Final = 9
CALLS: Final = 300
AT_ONCE: Final = 100
STARTS: Final = 30
LIMIT: Final = 2.0
LIMIT_START_MS: Final = 30
_LOOP: Final = f'for i in range({CALLS}):\n    r=await echo(text="{TEXT}")\nr'
_KB_PER_MB: Final = 1_000


def measure() -> Iterator[Line]:
    variables = {**os.environ, "PENSTOCK_PROGRAM_CALLS": str(CALLS)}
    command = peers.penstock(peers.direct(), "--programs", "on").command
    with WireClient(command, variables) as client:
        client.greet()
        first = _run(client, "1")
        yield from _calls(client)
        starts = [_run(client, "1") for _ in range(STARTS)]
        yield Line("an empty program", median(starts), LIMIT_START_MS, limit=1)
        yield Line("  the first one after the start", first)
    with WireClient(command, variables) as client:
        client.greet()
        yield from _at_once(client)


def _calls(client: WireClient) -> Iterator[Line]:
    inside, outside = [], []
    for _ in range(ROUNDS):
        outside.append(_direct(client))
        inside.append(_run(client, _LOOP, TEXT) - _run(client, "1"))
    ratio = median(one / other for one, other in zip(inside, outside, strict=True))
    through = 1_000 * median(outside) / CALLS
    what = "a call inside a program, beside one through the relay"
    yield Line(what, ratio * through, through, "us", LIMIT)


def _direct(client: WireClient) -> float:
    params = {"name": "echo", "arguments": {"text": TEXT}}
    return sum(client.timed("tools/call", params)[0] for _ in range(CALLS))


def _run(client: WireClient, code: str, expected: str = "1") -> float:
    """Run a program, and return the milliseconds that it took."""
    took, answer = client.timed("tools/call", _program(code))
    assert expected.encode() in answer, answer
    assert b'"isError":true' not in answer, answer
    return took


def _program(code: str) -> dict[str, Any]:
    return {"name": "run_python", "arguments": {"code": code}}


def _at_once(client: WireClient) -> Iterator[Line]:
    """Run programs that all start before the first has ended."""
    codes = [
        f'[await echo(text="one {number}."),await echo(text="two {number}.")]'
        for number in range(AT_ONCE)
    ]
    with _Watch(client.pid) as memory:
        start = perf_counter()
        answers = client.ask_at_once("tools/call", [_program(code) for code in codes])
        took = perf_counter() - start
    wrong = sum(
        b"one %d." % number not in answer or b"two %d." % number not in answer
        for number, answer in enumerate(answers)
    )
    what = f"{AT_ONCE} programs at once"
    yield Line(f"{what}: wrong", wrong, 0, "", limit=0, difference=True)
    yield Line("  until the last has ended", took, unit="s")
    yield Line("  memory of all processes at the peak", memory.megabytes, unit="MB")


class _Watch:
    """A thread that looks how much memory a process and its descendants have."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._ended = Event()
        self._thread = Thread(target=self._look, daemon=True)
        self.megabytes = 0.0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while True:
            self.megabytes = max(self.megabytes, _megabytes_of_tree(self._pid))
            if self._ended.wait(0.05):
                return


def _megabytes_of_tree(root: int) -> float:
    """Return the resident memory of a process and its descendants, as Linux counts it."""
    parents, sizes = {}, {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        except (OSError, ValueError):
            continue  # it has ended
        pid = int(status.parent.name)
        parents[pid] = int(fields["PPid"])
        sizes[pid] = int(fields.get("VmRSS", "0 kB").split()[0])
    return (
        1.024
        * sum(size for pid, size in sizes.items() if _is_below(pid, root, parents))
        / _KB_PER_MB
    )


def _is_below(pid: int, root: int, parents: dict[int, int]) -> bool:
    while pid and pid != root:
        pid = parents.get(pid, 0)
    return pid == root
