"""The four sides of a task: each starts the same server behind something else, and has its own play."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from math import isclose
from pathlib import Path
from typing import Any, Final

import msgspec

from benchmarks import peers
from benchmarks.peers import Contender
from benchmarks.programs.player import Failed, Player
from benchmarks.programs.task import Task
from benchmarks.strangers import NoList, greeted

MOST_CALLS: Final = 200  # that one program may make, on both sides that have programs
SECONDS: Final = 300
_ROUNDED: Final = 0.011  # a side may round half a cent up or down


class Side(msgspec.Struct, frozen=True):
    """A way to do tasks: what stands before the server, and which play it is."""

    name: str
    front: Callable[[Contender, Task], Contender]
    play: Callable[[Task, Player], Any]


class Done(msgspec.Struct, frozen=True):
    """A task that one side has done, and what it took."""

    calls: int
    tokens: int
    start: int  # the tokens of the list and the instructions
    problem: str = ""


def _programs(server: Contender, task: Task) -> Contender:
    return peers.penstock(server, "--programs", "only,write" if task.writes else "only")


PLAIN: Final = Side("plain calls", lambda server, _: server, lambda task, by: task.plain(by))
STORED: Final = Side(
    "Penstock", lambda server, _: peers.penstock(server, "--programs", "off"),
    lambda task, by: task.stored(by),
)  # fmt: skip
CODE_MODE: Final = Side(
    "CodeMode", lambda server, _: peers.fastmcp_code_mode(server, MOST_CALLS),
    lambda task, by: task.code_mode(by),
)  # fmt: skip
PROGRAMS: Final = Side("programs", _programs, lambda task, by: task.program(by))
SIDES: Final = (PLAIN, STORED, CODE_MODE, PROGRAMS)


def done(task: Task, side: Side) -> Done:
    """Let one side do a task. Data that a side has written to is made anew."""
    if task.writes:
        shutil.rmtree(task.folder, ignore_errors=True)
    if not task.folder.exists():
        task.folder.mkdir(parents=True)
        task.make()
    home = task.folder.with_name(f"{task.folder.name}-home")
    shutil.rmtree(home, ignore_errors=True)  # an earlier play may have left records in it
    with task.serving() as server:
        front = side.front(server.contender, task)
        environment = {**server.environment, "PENSTOCK_PROGRAM_CALLS": str(MOST_CALLS)}
        try:
            with greeted(front.command, environment, home, SECONDS) as conversation:
                return _played(task, side, Player(conversation))
        except NoList as error:
            return Done(0, 0, 0, str(error))


def _played(task: Task, side: Side, player: Player) -> Done:
    problem = ""
    try:
        answer, right = side.play(task, player), task.right()
        if not same(answer, right):
            problem = f"{answer!r:.300} is not {right!r:.300}"
    except (Failed, LookupError, TypeError, ValueError) as error:
        problem = f"{type(error).__name__}: {error}"
    return Done(player.calls, player.tokens, player.start, problem)


def same(one: Any, other: Any) -> bool:
    """Return whether two answers are equal. Lists and tuples are, and numbers rounded otherwise."""
    match one, other:
        case (dict(), dict()):
            return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
        case (list() | tuple(), list() | tuple()):
            return len(one) == len(other) and all(map(same, one, other))
        case (int() | float(), int() | float()):
            return isclose(one, other, abs_tol=_ROUNDED)
    return bool(one == other)


def folder_of(task: type[Task]) -> Path:
    """Return a folder with the same path in every run, because servers repeat it."""
    base = Path("C:/tmp") if sys.platform == "win32" else Path("/tmp")  # noqa: S108
    return base / "penstock-tasks" / task.__name__.lower()
