"""Patterns of records: the fields, the separators between them, and the end of the line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from penstock.core.json import rawjson

# A letter for each column: i for whole numbers, f for numbers, s for texts. A column holds numbers
# if each of its cells is a number, as JSON writes it, or empty. A number has no leading zeros, which
# a code may have, and no more digits than every reader keeps. It stays as it is written.
Types = str

_INT: Final = rb"-?(?:0|[1-9][0-9]{0,17})"
_FLOAT: Final = rb"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,17})?(?:[eE][+-]?[0-9]{1,2})?"
_PATTERNS: Final = {"i": re.compile(_INT), "f": re.compile(_FLOAT)}
_QUOTED: Final = rb'"[^"]*+(?:""[^"]*+)*+"'
_END: Final = rb"(?:\r?\n|\Z)"
_AT_ONCE: Final = 1_000
_MOST_TYPED: Final = 200  # columns; the pattern of more would be slow to make


class RecordPattern:
    """The pattern of the records with one separator, and with columns of these types."""

    def __init__(self, separator: bytes, types: Types = "") -> None:
        self._separator = separator
        self._types = types

    def many_end(self, text: bytes, position: int, end: int) -> int | None:
        """Return the end of up to a thousand records; None if the first one does not match, or if
        the match ends before the text and inside a record."""
        found = self._many.match(text, position, end)
        return found.end() if found is not None and found.end() > position else None

    def any_records(self, text: bytes, position: int, end: int) -> Iterator[bytes]:
        """Yield records of any width, with their line ends."""
        for found in self._any.finditer(text, position, end):
            if found.end() > found.start():
                yield found.group()

    def is_simple(self, record: bytes) -> bool:
        """Return whether a record can be split at its separators, and holds nothing to escape."""
        return self._odd.search(record) is None

    def split(self, record: bytes) -> list[bytes]:
        return record.rstrip(b"\r\n").split(self._separator)

    def fields(self, record: bytes) -> list[bytes]:
        """Return the cells of a record, without quotes."""
        if b'"' not in record:
            return self.split(record)
        return [
            cell[1:-1].replace(b'""', b'"') if cell[:1] == b'"' else cell
            for cell in self._cell.findall(
                record.rstrip(b"\r\n") if record[-1:] == b"\n" else record
            )
        ]

    # -- patterns ------------------------------------------------------------------------------

    @property
    def _plain(self) -> bytes:
        """A cell without quotes around it."""
        return rb'(?:[^"\r\n' + self._first + rb"][^\r\n" + self._first + rb"]*+)?+"

    @property
    def _first(self) -> bytes:
        return re.escape(self._separator[:1])

    @cached_property
    def _many(self) -> re.Pattern[bytes]:
        if len(self._types) > _MOST_TYPED:
            cell = self._typed("s")
            cells = rb"(?:" + cell + self._between + rb"){%d}" % (len(self._types) - 1) + cell
        else:
            cells = self._between.join(map(self._typed, self._types))
        return re.compile(rb"(?:" + cells + _END + rb"){1,%d}+" % _AT_ONCE)

    @property
    def _between(self) -> bytes:
        return re.escape(self._separator)

    def _typed(self, kind: str) -> bytes:
        number = {"i": _INT, "f": _FLOAT}.get(kind)
        if number is not None:
            return rb"(?:" + number + rb")?+"
        return rb"(?:" + _QUOTED + rb"|" + self._plain + rb")"

    @cached_property
    def _any(self) -> re.Pattern[bytes]:
        cell = self._typed("s")
        return re.compile(cell + rb"(?:" + self._between + cell + rb")*+" + _END)

    @cached_property
    def _cell(self) -> re.Pattern[bytes]:
        cell = rb"(" + _QUOTED + rb"|" + self._plain + rb")"
        return re.compile(rb"(?:^|(?<=" + self._between + rb"))" + cell)

    @cached_property
    def _odd(self) -> re.Pattern[bytes]:
        """A quote, something to escape, or an empty cell, which may have to be null."""
        controls = bytes(code for code in range(32) if code not in (*self._separator, 10, 13))
        empty = (
            rb"^" + self._between + rb"|" + self._between + rb"(?=" + self._between + rb"|\r?\n?\Z)"
        )
        half_pair = rb"\xed[\xa0-\xbf]"  # of surrogates, which JSON escapes
        escaped = rb'["\\' + re.escape(controls) + rb"]|" + half_pair
        return re.compile(escaped + rb"|" + empty + rb"|\r(?!\n)")


def widened(types: Types | None, records: Iterable[Sequence[str]], width: int) -> Types:
    """Return types that suit these records too. A column of empty cells holds texts."""
    known = types or "i" * width
    columns = [*zip(*records, strict=True)] or [()] * width
    return "".join(
        _wider(kind, column, is_new=types is None)
        for kind, column in zip(known, columns, strict=True)
    )


def _wider(kind: str, cells: Sequence[str], *, is_new: bool) -> str:
    filled = [rawjson.utf8(cell) for cell in cells if cell]
    if not filled:
        return "s" if is_new else kind
    for narrow in ("i", "f"):
        if kind in (narrow, "i") and all(map(_PATTERNS[narrow].fullmatch, filled)):
            return narrow
    return "s"
