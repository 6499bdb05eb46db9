"""Patterns of records: the fields, the separators between them, and the end of the line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final

from penstock.core.json import rawjson

# A number as JSON writes it. It has no leading zeros, which a code may have, and no more digits than
# every reader keeps.
_NUMBER: Final = rb"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,17})?(?:[eE][+-]?[0-9]{1,2})?"
NUMBER: Final = re.compile(_NUMBER)
_QUOTED: Final = rb'"[^"]*+(?:""[^"]*+)*+"'
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

    def fields(self, record: bytes) -> list[bytes]:
        """Return the cells of a record, without quotes."""
        line = record.removesuffix(b"\n").removesuffix(b"\r")
        if b'"' not in line:
            return line.split(self._separator)
        return [
            cell[1:-1].replace(b'""', b'"') if cell[:1] == b'"' else cell
            for cell in self._cell.findall(line)
        ]

    @cached_property
    def _record(self) -> re.Pattern[bytes]:
        times = b"{%d}" % (self._width - 1) if self._width else b"*+"
        further = rb"(?:" + re.escape(self._separator) + self._field + rb")" + times
        return re.compile(self._field + further + _END)

    @cached_property
    def _cell(self) -> re.Pattern[bytes]:
        between = re.escape(self._separator)
        return re.compile(rb"(?:^|(?<=" + between + rb"))(" + self._field + rb")")

    @property
    def _field(self) -> bytes:
        """A field in quotes, or one that does not start with a quote."""
        other = rb"\r\n" + re.escape(self._separator[:1])
        return rb"(?:" + _QUOTED + rb'|(?:[^"' + other + rb"][^" + other + rb"]*+)?+)"


@lru_cache(16)
def record_pattern(separator: bytes, width: int = 0) -> RecordPattern:
    """Return a pattern, made once: compiling takes longer than most matches."""
    return RecordPattern(separator, width)


class RecordEncoder:
    """A writer of records as JSON objects. `are_numbers` tells which columns hold numbers; a cell that
    is none is a text there too, and an empty one is null."""

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
        cells = record_pattern(self._separator).fields(record)
        members = zip(self._keys, cells, self._are_numbers, strict=True)
        return (
            b"{"
            + b",".join(key + _value(cell, is_number) for key, cell, is_number in members)
            + b"}"
        )

    @cached_property
    def _simple(self) -> re.Pattern[bytes]:
        """A record without quotes, without anything to escape, and with a number where one belongs."""
        plain = rb'[^"\\\x00-\x1f\xed' + re.escape(self._separator[:1]) + rb"]*+"
        fields = (_NUMBER if is_number else plain for is_number in self._are_numbers)
        return re.compile(re.escape(self._separator).join(fields))


def _value(cell: bytes, is_number: bool) -> bytes:
    if is_number and not cell:
        return b"null"
    if is_number and NUMBER.fullmatch(cell):
        return cell
    return rawjson.string(rawjson.text(cell))
