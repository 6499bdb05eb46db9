"""The kinds of work, by what the work waits for. A carrier with many clients has threads for each.

So nobody's list waits for a store that hangs, and nobody's stored page for a query that does not end.
"""

from __future__ import annotations

from typing import Final, Literal, assert_never, get_args

from penstock.core.model.values import Call
from penstock.core.views.request import TOKEN_FIELD, is_absent
from penstock.wire.effects import (
    Browse,
    Describe,
    Disclose,
    EndProgram,
    Find,
    Judge,
    Keep,
    KeepBytes,
    LoadExplorer,
    Offer,
    ParkProgram,
    Prepare,
    Read,
    ReadResource,
    ResumeProgram,
    Show,
    StartProgram,
    StepAside,
    UnparkProgram,
    Unwrap,
    Work,
)

# lists: nothing but memory and the processor. results: the store. queries: the worker, and the store.
# programs: an agent's program, which may take as long as programs may.
Kind = Literal["lists", "results", "queries", "programs"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

_ASKING_MODES = ("sql", "query")
# The fields of a request of the explorer that ask the worker something.
_ASKING_FIELDS = ("sort", "where", "find", "chart", "values", "all_columns")


def kind_of(work: Work) -> Kind:
    """Return the kind of a piece of work."""
    match work:
        case Read() | Prepare() | Browse():
            return "queries" if _asks_worker(work) else "results"
        case Offer() | Keep() | KeepBytes() | Show() | ReadResource():
            return "results"
        case Describe() | Unwrap() | Judge():
            return "results"  # grants are in the store
        case Disclose() | Find() | LoadExplorer() | StepAside() | ParkProgram() | UnparkProgram():
            return "lists"
        case StartProgram() | ResumeProgram() | EndProgram():
            return "programs"
        case _:
            assert_never(work)


def may_be_refused(work: Work) -> bool:
    """Return whether the work may be refused because too much of its caller's waits. Work after the
    start of a tool or a program is never refused, because what they returned would be lost."""
    match work:
        case Read() | Prepare() | Browse() | Show() | ReadResource() | StartProgram():
            return True
        case Disclose() | Find() | Describe() | Unwrap() | Judge() | LoadExplorer():
            return True
        case Offer() | Keep() | KeepBytes() | StepAside():
            return False
        case ResumeProgram() | EndProgram() | ParkProgram() | UnparkProgram():
            return False
        case _:
            assert_never(work)


def _asks_worker(work: Read | Prepare | Browse) -> bool:
    given = work.call.arguments
    if isinstance(work, Browse):
        return any(not is_absent(given.get(name)) for name in _ASKING_FIELDS)
    return _has_token(work.call) and given.get("mode") in _ASKING_MODES


def _has_token(call: Call) -> bool:
    """Return whether a call reads a stored result. Any other `mode` may be the tool's own."""
    return call.is_reader or not is_absent(call.arguments.get(TOKEN_FIELD))
