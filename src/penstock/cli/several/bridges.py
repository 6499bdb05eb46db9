"""Commands whose server is elsewhere, like that of a URL."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from penstock.cli.several.itself import penstocks_in

_BRIDGES: Final = frozenset({"mcp-remote", "mcp-proxy", "supergateway"})
_URL: Final = re.compile(r"https?://", re.IGNORECASE)
_SEPARATOR: Final = re.compile(r"[/\\'\"]")
_AFTER_NAME: Final = re.compile(r"(@[^@]*|==.*|\.cmd|\.exe|\.js)$")


def leads_elsewhere(command: Sequence[str], variables: Collection[str] = ()) -> bool:
    """Return whether a command hands all messages on to a URL, which may be in one of its
    `variables`. A Penstock in front of other servers counts too: some of them may be remote."""
    words = " ".join(command).split()  # a shell takes a whole command as one word
    if any(found.values("--servers") or found.values("--url") for found in penstocks_in(words)):
        return True
    if not any(map(_URL.search, (*words, *variables))):
        return False
    return not _BRIDGES.isdisjoint(
        _AFTER_NAME.sub("", part).replace("_", "-")  # `python -m mcp_proxy`
        for word in words
        for part in _SEPARATOR.split(word)
    )
