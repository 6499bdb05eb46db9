"""The calls of an agent, their results and what they cost, printed while they happen."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Final

from penstock.core.budget.measure import default_meter
from penstock.errors import PenstockError

BUDGET_BYTES: Final = 25_000  # the default of `penstock run`
_CHARS_OF_ARGUMENT: Final = 88
_CHARS_OF_LINE: Final = 100
_LINES_OF_RESULT: Final = 6
_DIGITS_OF_ESTIMATE: Final = 3

CODE: Final = "code"  # the argument of `run_python`

BOLD: Final = "1"
CYAN: Final = "36"
_GREEN: Final = "32"
_BOLD_YELLOW: Final = "1;33"


class NotShown(PenstockError):
    """The demo did not do what it is meant to show."""

    next_step = "Report this, with the whole output."


class Transcript:
    """The calls of one agent: how many there were, and the tokens that their results cost."""

    def __init__(self) -> None:
        self.calls = 0
        self.spent = 0

    def add(self, thought: str, tool: str, arguments: dict[str, Any], result: bytes) -> Any:
        """Print a call and its result as it came over the wire. Return the result's value."""
        text = text_in(result)
        cost = count_tokens(text)
        self.calls += 1
        self.spent += cost
        say(f"\n▸ {thought}", BOLD)
        for line in _call(tool, arguments):
            say(f"  {line}", CYAN)
        for line in _lines(text):
            say(f"  {line}")
        say(f"  {tokens(cost)}", _GREEN)
        expect(len(result) <= BUDGET_BYTES)
        expect(not json.loads(result).get("isError"))
        return json.loads(text) if text.startswith("{") else text


def expect(holds: bool) -> None:
    """End the demo if a step does not do what it says."""
    if not holds:
        raise NotShown


def text_in(result: bytes) -> str:
    """Return all text of a tool's result."""
    content = json.loads(result)["content"]
    return "\n".join(block["text"] for block in content if block["type"] == "text")


def heading(text: str) -> None:
    say(f"\n{text}", _BOLD_YELLOW)


def say(text: str, colour: str = "") -> None:
    """Print at once, so that a pipe shows each step when it happens."""
    has_colour = colour and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    print(f"\x1b[{colour}m{text}\x1b[0m" if has_colour else text, flush=True)


def count_tokens(text: str) -> int:
    return default_meter().count(text)


def tokens(count: int) -> str:
    """Return the count in words. Mark and round an estimate."""
    if default_meter().name != "estimate":
        return f"{count:,} tokens"
    return f"about {round(count, _DIGITS_OF_ESTIMATE - len(str(count))):,} tokens"


def _call(tool: str, arguments: dict[str, Any]) -> list[str]:
    """Return the lines of a call. A program is shown as it is written."""
    if list(arguments) == [CODE]:
        return [f"{tool}:", *(f"  {line}" for line in arguments[CODE].splitlines())]
    return [f"{tool}({_shown(arguments)})"]


def _shown(arguments: dict[str, Any]) -> str:
    """Return the arguments as an agent sends them: each value is JSON."""
    return ", ".join(f"{name}={_as_json(value)}" for name, value in arguments.items())


def _as_json(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(_clipped(value), ensure_ascii=False)
    return _clipped(json.dumps(value, ensure_ascii=False))


def _clipped(text: str) -> str:
    """Shorten a long text. Show only the start of a continuation token: the rest is random."""
    head, mark, rest = text.partition("pen_")
    text = f"{head}{mark}{rest[:4]}…" if mark else text
    return text if len(text) <= _CHARS_OF_ARGUMENT else text[: _CHARS_OF_ARGUMENT - 1] + "…"


def _lines(text: str) -> list[str]:
    """Return the start of a text as a few lines of a terminal."""
    flat = text.replace("\n", " ⏎ ")
    starts = range(0, len(flat), _CHARS_OF_LINE)
    lines = [flat[start : start + _CHARS_OF_LINE] for start in starts]
    left_out = len(lines) - _LINES_OF_RESULT
    return [*lines[:_LINES_OF_RESULT], f"… {left_out} more"] if left_out > 0 else lines
