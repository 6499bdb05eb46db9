"""The helper for widgets, in JavaScript: built from `apps/payload` by `make app`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).with_name("payload.js")


@cache
def payload_script() -> str:
    """A module that tells what a widget was given, also where a host has put a note in its place:
    `readPayload`, `describe`, `showProblem`. To be served, or to stand in a page before one's own."""
    return _FILE.read_text("utf-8")
