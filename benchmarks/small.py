"""The time of a small result through the gate, compared with `json.dumps` of it. Medians."""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks import clock
from benchmarks.lines import Line
from penstock import Call, Gate, Principal

ROUNDS = 2_000
CALL = Call("get_customer", principal=Principal("benchmark"))
SMALL = {
    "200 bytes of dict": {"id": 17, "name": "Ada", "tags": ["a", "b"], "note": "x" * 140},
    "5 kB of text": "A line of an ordinary text, as tools give.\n" * 116,
}


def measure() -> Iterator[Line]:
    gate = Gate()
    for what, result in SMALL.items():
        runs = clock.in_turns(
            {
                "ours": lambda: gate.offer(CALL, result),  # noqa: B023 (called now)
                "floor": lambda: json.dumps(result),  # noqa: B023
            },
            ROUNDS,
        )
        ms = clock.middle(runs)
        yield Line(f"passing through: {what}", 1_000 * ms["ours"], 1_000 * ms["floor"], "us")
