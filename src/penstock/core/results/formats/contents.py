"""The contents of a text, for its probe: its headings, its files, its tables. A long list is also
made in shorter forms, because the room of a probe is small."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from penstock.core.budget.fitting import clip
from penstock.core.json.encoding import encode

_SIZES: Final = (1_400, 1_100, 800, 500, 300, 150)  # bytes of a list, from long to short
_LONGEST: Final = 100  # characters of an entry


class ContentsEntry(NamedTuple):
    """A line of a list of contents."""

    key: str  # the path to that part, or its name
    told: str
    rank: int = 0  # if not all entries fit, those of the lowest ranks are kept


class ContentsList(NamedTuple):
    """A list of the contents, under a name."""

    name: str
    entries: Sequence[ContentsEntry]
    share: float = 1.0  # of the room that a list may take, if there are several

    def within(self, size: int) -> dict[str, Any]:
        """Return as much of the list as fits, and how many entries are left out."""
        if not self.entries:
            return {}
        kept = _within(self.entries, int(size * self.share))
        left_out = len(self.entries) - len(kept)
        omitted = {f"{self.name}_omitted": left_out} if left_out else {}
        return {self.name: {one.key: clip(one.told, _LONGEST) for one in kept}, **omitted}


def contents_of(*lists: ContentsList, told: Mapping[str, Any] | None = None) -> tuple[bytes, ...]:
    """Return the contents as JSON, from all of the lists to little of each. `told`: further fields,
    which each form has."""
    forms: dict[bytes, None] = {}
    for size in _SIZES:
        fields = dict(told or {})
        for one in lists:
            fields |= one.within(size)
        forms[encode(fields)] = None
    return tuple(forms)


def _within(entries: Sequence[ContentsEntry], size: int) -> list[ContentsEntry]:
    """Return as many entries as fit, those of low rank first, in their order."""
    numbered = sorted(enumerate(entries), key=lambda entry: entry[1].rank)
    chosen: list[int] = []
    for number, entry in numbered:
        size -= len(encode({entry.key: clip(entry.told, _LONGEST)}))
        if size < 0:
            break
        chosen.append(number)
    return [entries[number] for number in sorted(chosen)]
