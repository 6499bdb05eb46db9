"""Ten tasks over real servers, each done in four ways. See `task.py` for what a play is.

A task is done in four ways, and every answer is checked: by plain calls, by Penstock without programs, by
FastMCP's CodeMode, and by Penstock's programs. `player.py` says what is counted.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from typing import Final

from benchmarks import peers
from benchmarks.lines import Line
from benchmarks.programs.sides import (
    CODE_MODE,
    PLAIN,
    PROGRAMS,
    SIDES,
    STORED,
    Done,
    done,
    folder_of,
)
from benchmarks.programs.task import Task
from benchmarks.programs.tasks import TASKS
from benchmarks.registry import NotInstalled

BELOW: Final = 0.9999  # of the tokens of CodeMode
OF_PLAIN: Final = 0.02  # where plain calls need more than MANY
MANY: Final = 20

ByAll = Mapping[str, Done]


def measure() -> Iterator[Line]:
    peers.install()
    finished = []
    for task in TASKS:
        try:
            by_all = _done_by_all(task)
        except NotInstalled as error:
            print(f"skipped {task.what}: {error}", file=sys.stderr, flush=True)
            yield Line(f"skipped: {task.what}", 1, 0, "", limit=0, difference=True)
            continue
        finished.append(by_all)
        yield from _of_task(task, by_all)
    yield from _of_all(finished)


def _done_by_all(kind: type[Task]) -> ByAll:
    task = kind(folder_of(kind))
    try:
        return {side.name: done(task, side) for side in SIDES}
    finally:
        shutil.rmtree(task.folder, ignore_errors=True)


def _of_task(task: type[Task], by_all: ByAll) -> Iterator[Line]:
    plain, stored, peer, ours = (by_all[side.name] for side in (PLAIN, STORED, CODE_MODE, PROGRAMS))
    for name, those in by_all.items():
        if those.problem:
            print(f"{task.what}, {name}: {those.problem}", file=sys.stderr, flush=True)
    limit = OF_PLAIN if plain.calls > MANY else None
    yield Line(f"{task.what}: a program beside CodeMode", ours.tokens, peer.tokens, "tok", BELOW)
    yield Line("  beside plain calls", ours.tokens, plain.tokens, "tok", limit)
    yield Line("  without programs, beside plain calls", stored.tokens, plain.tokens, "tok")
    calls = ", ".join(f"{name} {those.calls}" for name, those in by_all.items())
    yield Line(f"  calls ({calls})", ours.calls, plain.calls, "")


def _of_all(finished: list[ByAll]) -> Iterator[Line]:
    for side in SIDES:
        tokens = sum(by_all[side.name].tokens for by_all in finished)
        calls = sum(by_all[side.name].calls for by_all in finished)
        yield Line(f"all tasks, {side.name} ({calls} calls)", tokens, unit="tok")
    wrong = sum(bool(those.problem) for by_all in finished for those in by_all.values())
    yield Line("  answers that are wrong", wrong, 0, "", limit=0, difference=True)
