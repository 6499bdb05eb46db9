"""The failures of a program, in words for the agent that wrote it."""

from __future__ import annotations

from typing import Final

import pydantic_monty as monty

from penstock.core.model.program import ASK_LESS, Broken
from penstock.disclosure.schemas.python_names import IMPORTABLE
from penstock.programs.source import lines_of

_SHOWN: Final = 500
_MOST_SOURCE: Final = 200
GONE: Final = "The sandbox ended while the program ran."
_PRELUDE: Final = "<python-input-0>"  # the sandbox numbers what it runs
TOO_LONG: Final = "The program took longer than {:g} seconds."


# Parts of messages about Python that the sandbox lacks or a model often forgets, and what to do.
_HINTS: Final = (
    ("type coroutine", "Write await before the call."),
    ("object is not callable", "A variable hides the function of that name: use another name."),
    ("is not an iterator", "Use next(iter([...])), or a loop."),
    ("cannot suspend in this synchronous context", "Use a comprehension in place of map."),
    ("gather() does not yet support", "Catch exceptions inside the functions that you gather."),
    ("object has no attribute", "Where a method is passed on, pass a lambda that calls it."),
    ("module 'asyncio' has no attribute", "Of asyncio, only gather and run are here."),
    (
        "string indices must be",
        "The tool gave a text: json.loads or text.splitlines() may read it.",
    ),
)


def failure(
    error: monty.MontyError, code: str, printed: str, memory: int, seconds: float
) -> Broken:
    """Return what to tell an agent about an error of its program. The last two are its limits."""
    match error:
        case monty.MontyCrashedError():
            return Broken(GONE, "Simplify the program.", printed=printed, is_stopped=True)
        case monty.MontySyntaxError():
            told, is_stopped, step = f"SyntaxError: {error}", False, ""
        case monty.MontyRuntimeError():
            told, is_stopped, step = _runtime(error, memory, seconds)
        case _:
            told, is_stopped, step = str(error), False, ""
    line = _line_of(error)
    source = source_line(code, line)
    return Broken(told[:_SHOWN], step, line, source, printed, is_stopped=is_stopped)


def _runtime(error: monty.MontyRuntimeError, memory: int, seconds: float) -> tuple[str, bool, str]:
    """Return the message, whether a limit stopped the program, and the next step."""
    told = str(error)
    is_outside = not error.traceback()  # the program has not ended, so its variables are not kept
    if told.startswith("MemoryError") and ("limit" in told):
        return f"The program needs more than {memory // 1_000_000:,} MB of memory.", True, ASK_LESS
    if told.startswith("TimeoutError: feed time limit"):
        return TOO_LONG.format(seconds), True, ASK_LESS
    if told.startswith("NotImplementedError: The monty syntax parser"):
        told = told.partition("does not yet support")[2].strip()
        return f"This sandbox does not support {told}.", False, "Write it in another way."
    if told.startswith("ModuleNotFoundError"):
        return told, False, f"Import some of: {', '.join(IMPORTABLE)}."
    step = next((hint for part, hint in _HINTS if part in told), "")
    return told, is_outside, step


def _line_of(error: monty.MontyError) -> int:
    """Return the line of the program in which an error arose; 0 if none is known.

    A function of an earlier program, or of Penstock's own, may be the place of the error. The
    outermost frame is the program itself, and the last frame in the same source counts.
    """
    frames = error.traceback() if hasattr(error, "traceback") else []
    own = frames[0].filename if frames else _PRELUDE
    if own == _PRELUDE:
        return 0
    return int(next(frame.line for frame in reversed(frames) if frame.filename == own))


def source_line(code: str, line: int) -> str:
    lines = lines_of(code)
    return lines[line - 1].strip()[:_MOST_SOURCE] if 0 < line <= len(lines) else ""
