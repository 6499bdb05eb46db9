"""Commands that only connect to a URL. Their server is elsewhere, like that of a URL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_BRIDGES: Final = frozenset({"mcp-remote", "mcp-proxy", "supergateway"})
_URL: Final = re.compile(r"https?://", re.IGNORECASE)
_SEPARATOR: Final = re.compile(r"[/\\]")
_AFTER_NAME: Final = re.compile(r"(@[^@]*|==.*|\.cmd|\.exe|\.js)$")


def is_bridge(command: Sequence[str]) -> bool:
    """Return whether a command is a known program that hands all messages on to a URL."""
    if not any(_URL.match(word) for word in command):
        return False
    names = (_AFTER_NAME.sub("", part) for word in command for part in _SEPARATOR.split(word))
    return not _BRIDGES.isdisjoint(names)
