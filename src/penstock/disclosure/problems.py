"""Error replies to requests about tools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from penstock.core.json.encoding import encode
from penstock.disclosure.texts.shortening import clipped

_SHOWN: Final = (100, 20, 0)  # characters of a name, the most first

Fits = Callable[[bytes], bool]


def problem(fits: Fits, error: str, next_step: str, name: str = "") -> bytes:
    """Return an error and the next step. Shorten the tool's name if the reply does not fit."""
    found = b""
    for chars in _SHOWN:
        shown = repr(clipped(name, chars)) if chars else "of that name"
        step = next_step if chars else clipped(next_step, _SHOWN[0])
        found = encode({"error": error.replace("{}", shown), "next_step": step})
        if fits(found):
            break
    return found
