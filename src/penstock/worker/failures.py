"""What the parent says when a question fails before it is asked, or together with its child."""

from __future__ import annotations

import signal

from penstock.questions import Failure, Limits
from penstock.worker.frames import LOADING_FACTOR, OUT_OF_MEMORY

CANCELLED = Failure("The question was cancelled.", "Ask it again.")
CLOSED = Failure("The server is shutting down.", "Ask again when it is back.")
NOT_STARTED = Failure(
    "The process that runs queries could not be started.",
    "Use another mode, such as search or paginated.",
)
TOO_SLOW_TO_START = Failure(
    "The process that runs queries did not start in time.",
    "Ask again, or use another mode, such as search or paginated.",
)

# libjq aborts when it gets no memory; SIGKILL that is not ours is the kernel's, short of memory.
_MEMORY_STATUSES = frozenset(
    {OUT_OF_MEMORY}
    | {-getattr(signal, name) for name in ("SIGABRT", "SIGKILL") if hasattr(signal, name)}
)


def unusable(program: str, limits: Limits) -> Failure | None:
    """Why this program need not be tried, if so."""
    if not program.strip():
        return Failure("The program is empty.", "Give a program in query.")
    if len(program) > limits.program_chars:
        return Failure(
            f"The program has {len(program)} characters; {limits.program_chars} are allowed.",
            "Shorten it. Data belongs into the result, not into the program.",
        )
    if "\0" in program or not _is_unicode(program):
        return Failure(
            "The program holds a character that cannot be part of one (NUL, or half of a pair).",
            "Leave it out.",
        )
    return None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def too_slow(limits: Limits) -> Failure:
    return Failure(
        f"The program was ended: it ran longer than {limits.seconds:g} s.",
        "Ask for less: narrow with path, or simplify the program and bound its loops.",
    )


def too_large(limits: Limits) -> Failure:
    return Failure(
        f"The result could not be loaded within {limits.seconds * LOADING_FACTOR:g} s.",
        "Narrow with path to a part of it, and ask again.",
    )


def died(status: int, limits: Limits) -> Failure:
    """What the exit status of a child says that nobody here ended."""
    if status in _MEMORY_STATUSES:
        return _out_of_memory(limits)
    return Failure(
        f"The program ended the process that ran it (status {status}).",
        "Simplify the program; values nested too deep can do this.",
    )


def _out_of_memory(limits: Limits) -> Failure:
    return Failure(
        f"The program was ended: it needed more than {limits.memory / 1e6:g} MB of memory.",
        "Ask for less: narrow with path, select fewer rows or fields, or count instead of listing.",
    )
