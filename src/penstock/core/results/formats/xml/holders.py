"""Elements near the root of an XML text whose children may be rows, and the places of the children."""

from __future__ import annotations

from array import array
from typing import Final

OTHERS: Final = ""  # the group of all further children
_MOST_GROUPS: Final = 1_000  # of children with one name
_NEAR: Final = 8  # rows are not deeper than this


class _ElementGroup:
    """The children of one name in an element."""

    __slots__ = ("count", "first", "is_split", "last", "size")

    def __init__(self, number: int) -> None:
        self.first = self.last = number  # among all children
        self.count = self.size = 0
        self.is_split = False  # there are others between them


class RowHolder:
    """An element near the root, and the places of its children."""

    __slots__ = ("_last", "_last_name", "end", "groups", "has_text", "path", "starts")

    def __init__(self, path: tuple[str, ...]) -> None:
        self.path = path
        self.starts = array("I")  # of all children, in four bytes each: a text is small enough
        self.groups: dict[str, _ElementGroup] = {}
        self.has_text = False  # beside its children
        self.end = 0  # where its end tag starts
        self._last: _ElementGroup | None = None
        self._last_name = ""

    def note_child(self, name: str, start: int) -> RowHolder | None:
        """Take the name and place of a child. Return its holder, unless it is one of several: what it
        holds is smaller than they are together."""
        self._note_size(start)
        group = self.groups.get(name)
        if group is None:
            if len(self.groups) >= _MOST_GROUPS:
                name = OTHERS
            group = self.groups.setdefault(name, _ElementGroup(len(self.starts)))
        elif name != self._last_name:
            group.is_split = True
        group.count += 1
        group.last = len(self.starts)
        self.starts.append(start)
        self._last, self._last_name = group, name
        is_near = group.count == 1 and len(self.path) < _NEAR
        return RowHolder((*self.path, name)) if is_near else None

    def note_end(self, end: int) -> None:
        self._note_size(end)
        self.end = end

    def _note_size(self, end: int) -> None:
        if self._last is not None:
            self._last.size += end - self.starts[-1]

    @property
    def main_name(self) -> str:
        """The name of the repeated child with the most bytes, or an empty text."""
        sizes = {
            name: group.size
            for name, group in self.groups.items()
            if group.count > 1 and name != OTHERS
        }
        return max(sizes, key=sizes.__getitem__, default="")

    @property
    def main_size(self) -> int:
        name = self.main_name
        return self.groups[name].size if name else 0
