"""The failures of a program, in words for the agent that wrote it."""

from __future__ import annotations

from typing import Final

import pydantic_monty as monty

from penstock.core.model.program import Broken
from penstock.disclosure.schemas.python_names import IMPORTABLE

_SHOWN: Final = 500
_MOST_SOURCE: Final = 200
GONE: Final = "The sandbox ended while the program ran."
_PRELUDE: Final = "<python-input-0>"  # the sandbox numbers what it runs
TOO_LONG: Final = "The program took too long."
ASK_LESS: Final = "Ask for less, or do the work in several programs."


def failure(error: monty.MontyError, code: str, printed: str, memory: int) -> Broken:
    """Return what to tell an agent about an error of its program."""
    match error:
        case monty.MontyCrashedError():
            return Broken(GONE, "Simplify the program.", printed=printed, is_stopped=True)
        case monty.MontySyntaxError():
            told, is_stopped, step = f"SyntaxError: {error}", False, ""
        case monty.MontyRuntimeError():
            told, is_stopped, step = _runtime(error, memory)
        case _:
            told, is_stopped, step = str(error), False, ""
    line = _line_of(error)
    source = source_line(code, line)
    return Broken(told[:_SHOWN], step, line, source, printed, is_stopped=is_stopped)


def _runtime(error: monty.MontyRuntimeError, memory: int) -> tuple[str, bool, str]:
    """Return the message, whether a limit stopped the program, and the next step."""
    told = str(error)
    is_outside = not error.traceback()  # the program has not ended, so its variables are not kept
    if told.startswith("MemoryError") and ("limit" in told):
        return f"The program needs more than {memory // 1_000_000:,} MB of memory.", True, ASK_LESS
    if told.startswith("TimeoutError: feed time limit"):
        return TOO_LONG, True, ASK_LESS
    if told.startswith("NotImplementedError: The monty syntax parser"):
        told = told.partition("does not yet support")[2].strip()
        return f"This sandbox does not support {told}.", False, "Write it in another way."
    if told.startswith("ModuleNotFoundError"):
        return told, False, f"Import some of: {', '.join(IMPORTABLE)}."
    return told, is_outside, ""


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
    lines = code.splitlines()
    return lines[line - 1].strip()[:_MOST_SOURCE] if 0 < line <= len(lines) else ""
