"""Failures of questions that never reach a child, or that end the child.

For SQL and jq, the text tells the agent how to correct its program. For the explorer's questions,
the text is for a user who chose filters or columns and knows no program, mode or path.
"""

from __future__ import annotations

import math
import signal

from penstock.core.model.questions import EXPLORER_LANGUAGES, Failure, Language, Limits
from penstock.worker.frames import LOADING_FACTOR, OUT_OF_MEMORY

CANCELLED = Failure("The question was cancelled.", "Ask it again.")
CLOSED = Failure("The server is shutting down.", "Ask again when it is back.")

_DOING: dict[Language, str] = {
    "order": "Sorting or filtering",
    "chart": "Drawing the chart",
    "values": "Counting the values",
    "columns": "Looking at the columns",
}
_AS_THEY_ARE = "Look at the rows as they are, or open a part of the result and try there."


def _statuses(*names: str) -> frozenset[int]:
    """Return the exit statuses of a child that one of these signals ended."""
    return frozenset(-getattr(signal, name) for name in names if hasattr(signal, name))


# libjq aborts when memory runs out.
_MEMORY_STATUSES = _statuses("SIGABRT") | {OUT_OF_MEMORY}
# The child's limit on memory does not send these signals. A program cannot send any. The kernel sends
# SIGKILL if the whole machine is short of memory, and a user may send any of them.
_KILLED_STATUSES = _statuses("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT")


def _for_user(language: Language) -> bool:
    return language in EXPLORER_LANGUAGES


def not_started(language: Language) -> Failure:
    if _for_user(language):
        return Failure("Rows cannot be sorted, filtered or drawn just now.", _AS_THEY_ARE)
    return Failure(
        "The process that runs queries could not be started.",
        "Use another mode, such as search or paginated.",
    )


def busy(limits: Limits, language: Language) -> Failure:
    """Explain that other questions kept all children for too long."""
    soon = f"try again in {max(1, math.ceil(limits.seconds))} s"
    if _for_user(language):
        return Failure(f"Too much is being sorted, filtered or drawn: {soon}.", _AS_THEY_ARE)
    return Failure(
        f"The processes that run queries are busy: {soon}.",
        "Try the same query again then, or use another mode, such as search or paginated.",
    )


def too_slow_to_start(language: Language) -> Failure:
    if _for_user(language):
        return not_started(language)
    return Failure(
        "The process that runs queries did not start in time.",
        "Ask again, or use another mode, such as search or paginated.",
    )


def too_slow(limits: Limits, language: Language) -> Failure:
    if _for_user(language):
        return Failure(
            f"{_DOING[language]} took longer than {limits.seconds:g} s.",
            "Try a simpler filter, or a part of the result.",
        )
    return Failure(
        f"The program was ended: it ran longer than {limits.seconds:g} s.",
        "Ask for less: narrow with path, or simplify the program and bound its loops.",
    )


def too_large(limits: Limits, language: Language) -> Failure:
    seconds = f"{limits.seconds * LOADING_FACTOR:g} s"
    if _for_user(language):
        return Failure(f"The rows could not be loaded within {seconds}.", _AS_THEY_ARE)
    return Failure(
        f"The result could not be loaded within {seconds}.",
        "Narrow with path to a part of it, and ask again.",
    )


def died(status: int, limits: Limits, language: Language) -> Failure:
    """Explain the exit status of a child that the parent did not end."""
    if status in _MEMORY_STATUSES:
        return _out_of_memory(limits, language)
    if status in _KILLED_STATUSES:
        return _killed(language)
    if _for_user(language):
        return Failure(f"{_DOING[language]} failed (status {status}).", _AS_THEY_ARE)
    return Failure(
        f"The program ended the process that ran it (status {status}).",
        "Simplify the program; values nested too deep can do this.",
    )


def _killed(language: Language) -> Failure:
    by = "was killed by the system or by a user; perhaps the machine is short of memory."
    if _for_user(language):
        return Failure(f"The process that sorts, filters and draws {by}", "Try again.")
    return Failure(
        f"The process that ran the program {by}",
        "Ask again. If that fails too, ask for less: narrow with path, or count instead of listing.",
    )


def _out_of_memory(limits: Limits, language: Language) -> Failure:
    memory = f"{limits.memory / 1e6:g} MB of memory"
    if _for_user(language):
        return Failure(f"{_DOING[language]} needed more than {memory}.", _AS_THEY_ARE)
    return Failure(
        f"The program was ended: it needed more than {memory}.",
        "Ask for less: narrow with path, select fewer rows or fields, or count instead of listing.",
    )
