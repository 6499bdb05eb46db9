"""One task over several servers, with one Penstock, with one for each server, and with none."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.lines import Line
from benchmarks.programs.player import Player
from benchmarks.registry import NotInstalled
from benchmarks.several.highs import SIDES, Bare, Separate, Together, World

BELOW: Final = 0.9999


def measure() -> Iterator[Line]:
    try:
        yield from _measured()
    except NotInstalled as error:
        print(f"skipped: {error}", file=sys.stderr, flush=True)
        yield Line("skipped: a task over six servers", 1, 0, "", limit=0, difference=True)


def _measured() -> Iterator[Line]:
    by_side: dict[str, Player] = {}
    wrong = 0
    for side in SIDES:
        with TemporaryDirectory() as place:
            folder = Path(place, "data")
            folder.mkdir()
            world = World(folder)
            by_side[side.what] = side().done(world)
            wrong += world.filled() != world.right()
    ours, separate, bare = (by_side[side.what] for side in (Together, Separate, Bare))
    task = "a sheet from a database and a file, with one Penstock for six servers"
    yield Line(f"{task}, beside six Penstocks", ours.tokens, separate.tokens, "tok", BELOW)
    yield Line("  beside no Penstock", ours.tokens, bare.tokens, "tok", BELOW)
    yield Line("  before the first call, beside six Penstocks", ours.start, separate.start, "tok")
    yield Line("  before the first call, beside no Penstock", ours.start, bare.start, "tok")
    calls = ", ".join(f"{name} {player.calls}" for name, player in by_side.items())
    yield Line(f"  calls ({calls})", ours.calls, bare.calls, "")
    yield Line("  sheets that are wrong", wrong, 0, "", limit=0, difference=True)
