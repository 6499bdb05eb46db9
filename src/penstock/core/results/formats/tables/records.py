"""Patterns of records: the fields, the separators between them, and the end of the line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final

from penstock.core.json import rawjson

QUOTE: Final = b'"'
# Marks for a missing number. In a column of numbers, they are null.
MISSING: Final = frozenset(
    (
        b"",
        b"NA",
        b"N/A",
        b"n/a",
        b"#N/A",
        b"NULL",
        b"null",
        b"None",
        b"NaN",
        b"nan",
        b"nil",
        b"-",
        b".",
        b"..",
    )
)
_QUOTED: Final = rb'"[^"]*+(?:""[^"]*+)*+"'
_QUOTED_IN_LINE: Final = rb'"[^"\r\n]*+(?:""[^"\r\n]*+)*+"'
_END: Final = rb"(?:\r?\n|\Z)"


class RecordPattern:
    """The patterns of records with one separator, and with a number of fields if it is given."""

    def __init__(self, separator: bytes, width: int = 0) -> None:
        self._separator = separator
        self._width = width

    def records(self, text: bytes, position: int, end: int) -> Iterator[bytes]:
        """Yield records, with their line ends, as long as there are some."""
        match = self._record.match
        while position < end and (found := match(text, position, end)) is not None:
            yield found.group()
            position = found.end()

    def are_lines(self, block: bytes) -> bool:
        """Return whether each line is a record of the given number of fields."""
        return self._lines.fullmatch(block) is not None

    def fields(self, record: bytes) -> list[bytes]:
        """Return the cells of a record, without quotes."""
        return [*map(unquoted, self.cells(record))]

    def cells(self, record: bytes) -> list[bytes]:
        """Return the cells of a record as they are."""
        line = record.removesuffix(b"\n").removesuffix(b"\r")
        return self._cell.findall(line) if QUOTE in line else line.split(self._separator)

    def all_cells(self, block: bytes, count: int) -> list[bytes]:
        """Return the cells of a number of records as they are, one after the other."""
        # After the last cell, the pattern finds nothing once more.
        found: list[bytes] = self._any_cell.findall(block)
        return found[: count * self._width]

    @cached_property
    def _record(self) -> re.Pattern[bytes]:
        return re.compile(self._fields(_QUOTED) + _END)

    @cached_property
    def _lines(self) -> re.Pattern[bytes]:
        line = self._fields(_QUOTED_IN_LINE)
        return re.compile(line + rb"(?:\n" + line + rb")*+")

    def _fields(self, quoted: bytes) -> bytes:
        field = self._field(quoted)
        times = b"{%d}" % (self._width - 1) if self._width else b"*+"
        return field + rb"(?:" + re.escape(self._separator) + field + rb")" + times

    @cached_property
    def _cell(self) -> re.Pattern[bytes]:
        between = re.escape(self._separator)
        return re.compile(rb"(?:^|(?<=" + between + rb"))(" + self._field(_QUOTED) + rb")")

    @cached_property
    def _any_cell(self) -> re.Pattern[bytes]:
        end = rb"(?:" + re.escape(self._separator) + rb"|\r?\n|\Z)"
        return re.compile(rb"(" + self._field(_QUOTED) + rb")" + end)

    def _field(self, quoted: bytes) -> bytes:
        """A field in quotes, or one that does not start with a quote."""
        other = rb"\r\n" + re.escape(self._separator[:1])
        return rb"(?:" + quoted + rb'|(?:[^"' + other + rb"][^" + other + rb"]*+)?+)"


@lru_cache(16)
def record_pattern(separator: bytes, width: int = 0) -> RecordPattern:
    """Return a pattern, made once: compiling takes longer than most matches."""
    return RecordPattern(separator, width)


def unquoted(cell: bytes) -> bytes:
    return cell[1:-1].replace(b'""', QUOTE) if cell[:1] == QUOTE else cell


class RecordEncoder:
    """A writer of records as JSON objects. `are_numbers` tells which columns hold numbers; blanks
    around these, and marks for missing ones, are left out. An empty cell is null; in a column of
    texts, one in quotes is an empty text."""

    def __init__(self, separator: bytes, names: Sequence[str], are_numbers: Sequence[bool]) -> None:
        self._separator = separator
        self._are_numbers = are_numbers
        self._keys = [rawjson.string(name) + b":" for name in names]
        spots = [b"%b" if is_number else b'"%b"' for is_number in are_numbers]
        keys = (key.replace(b"%", b"%%") for key in self._keys)
        members = (key + spot for key, spot in zip(keys, spots, strict=True))
        self._template = b"{" + b",".join(members) + b"}"

    def encoded(self, record: bytes) -> bytes:
        line = record.removesuffix(b"\n").removesuffix(b"\r")
        if self._simple.fullmatch(line):
            return self._template % tuple(line.split(self._separator))
        cells = record_pattern(self._separator).cells(record)
        members = zip(self._keys, cells, self._are_numbers, strict=True)
        return (
            b"{"
            + b",".join(key + _value(cell, is_number) for key, cell, is_number in members)
            + b"}"
        )

    @cached_property
    def _simple(self) -> re.Pattern[bytes]:
        """A record without empty cells, without quotes, and without anything to escape or to trim."""
        field = rb'[^"\\\x00-\x1f\xed' + re.escape(self._separator[:1]) + rb"]++"
        fields = (rb"-?+[0-9][0-9.eE+-]*+" if one else field for one in self._are_numbers)
        return re.compile(re.escape(self._separator).join(fields))


def _value(cell: bytes, is_number: bool) -> bytes:
    if not cell:
        return b"null"
    inner = unquoted(cell)
    if is_number:
        number = inner.strip(b" ")
        return b"null" if number in MISSING else number
    return rawjson.string(rawjson.text(inner))
