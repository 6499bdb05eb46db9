"""The JavaScript helper for widgets, which `make app` builds from `apps/payload`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

_FILE: Final = Path(__file__).with_name("payload.js")


@cache
def payload_script() -> str:
    """Return a module that tells what a widget received, be it data or a host's note in its place.

    It exports `readPayload`, `describe` and `showProblem`. Serve it, or paste it before your script.
    """
    return _FILE.read_text("utf-8")
