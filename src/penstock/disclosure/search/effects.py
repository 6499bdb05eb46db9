"""Verbs of names and queries: does a tool read, write or remove, and which does a query ask for?

A query that asks to read should not lead with tools that write, and no query should lead with tools
that delete unless it asks for that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

from penstock.disclosure.texts import stems


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _stems(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(stems.stem, words))


_READING: Final = _words(
    "browse check count describe display download fetch find get inspect list look lookup preview "
    "query read retrieve search see show view what which"
)
_REMOVING: Final = _words(
    "clear delete destroy discard drop empty erase prune purge remove revoke trash uninstall unset "
    "wipe"
)
_WRITING: Final = _words(
    "activate add append apply approve archive assign cancel change close configure copy create "
    "deploy disable edit enable execute import insert install invite make merge modify move new "
    "patch post publish push put register rename replace reply reset restart restore run save "
    "schedule send set start stop submit sync trigger update upload upsert write"
)
_VERBS: Final = _READING | _REMOVING | _WRITING
_ASKS_TO_READ: Final = _stems(_READING)
# A tool that removes may be the right one for these words too.
_ASKS_TO_REMOVE: Final = _stems(
    _REMOVING
    | _words(
        "abort cancel detach disconnect forget kill leave longer obsolete rid terminate throw "
        "unassign undo unlink unshare unsubscribe unwanted withdraw"
    )
)

_NOT_ASKED_TO_REMOVE: Final = 0.6
_ASKED_TO_READ: Final = 0.7


class ToolEffect(Enum):
    """The effect of a tool, as far as its name and its annotations tell it."""

    READS = "reads"
    WRITES = "writes"
    REMOVES = "removes"
    UNKNOWN = "unknown"


def effect_of(name: str, annotations: Mapping[str, Any]) -> ToolEffect:
    words = stems.in_name(name)
    verb = _verb(words)
    if annotations.get("readOnlyHint") is True or verb in _READING:
        return ToolEffect.READS
    if not _REMOVING.isdisjoint(words):
        return ToolEffect.REMOVES
    # A hint of `false` tells nothing: libraries set it for every tool that gives none.
    return ToolEffect.WRITES if verb in _WRITING else ToolEffect.UNKNOWN


def _verb(words: list[str]) -> str:
    """Return the verb of a name: its first word, else its last, else the first in between. In
    `update_list` and `item_list_update`, `list` is a noun."""
    known = [word for word in (words[:1] + words[-1:] + words[1:-1]) if word in _VERBS]
    return known[0] if known else ""


class QueryIntent:
    """The effects that a query asks for."""

    def __init__(self, stems: Sequence[str]) -> None:
        """Read the stems of a query. Only the first can be a verb that reads: any other `list` or
        `view` may be a noun."""
        self._reads = not _ASKS_TO_READ.isdisjoint(stems[:1])
        self._removes = not _ASKS_TO_REMOVE.isdisjoint(stems)

    def worth_of(self, effect: ToolEffect) -> float:
        """Return the factor for the score of a tool with this effect."""
        if effect is ToolEffect.REMOVES:
            return 1.0 if self._removes else _NOT_ASKED_TO_REMOVE
        return _ASKED_TO_READ if self._reads and effect is ToolEffect.WRITES else 1.0
