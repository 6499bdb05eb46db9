"""Pipe tables of Markdown: their cells, and the names and types of their columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from penstock.core.budget.fitting import clip
from penstock.core.json import rawjson
from penstock.core.results.formats.markdown.inline import plain
from penstock.core.results.formats.tables.delimited import column_names
from penstock.core.results.formats.tables.numbers import NumberColumns
from penstock.core.results.formats.tables.records import MISSING, QUOTE

_PIPE: Final = re.compile(rb"(?<!\\)\|")
_ESCAPE: Final = re.compile(rb"\\([!-/:-@\[-`{-~])")
_CODE: Final = re.compile(rb"(`++)([^`]++)\1")
_LONGEST_NAME: Final = 100
# A table whose rows would be this many times as large as its lines is left as text.
_MOST_GROWTH: Final = 20
_FREE_GROWTH: Final = 100_000  # bytes
_MARKED: Final = re.compile(
    rb"\|[ \t]*+(?:%b)[ \t]*+(?=\||$)" % b"|".join(re.escape(mark) for mark in sorted(MISSING) if mark),
    re.MULTILINE,
)  # fmt: skip


def cell_count(line: bytes) -> int:
    """Return how many cells a line of a table has."""
    return len(_PIPE.findall(_inside(line))) + 1 if line != b"|" else 0


def _inside(line: bytes) -> bytes:
    """Return a line without the pipes at its ends."""
    line = line.strip(b" \t\r").removeprefix(b"|")
    return line if line.endswith(b"\\|") else line.removesuffix(b"|")


class PipeTable:
    """A table, given its header."""

    def __init__(self, header: bytes) -> None:
        names = [clip(plain(rawjson.text(cell)), _LONGEST_NAME) for cell in _cells(header)]
        self.columns = column_names(names, len(names))

    def is_readable(self, count: int, size: int) -> bool:
        """Return whether the rows of a table are not much larger than its lines. Each row repeats the
        names, and has all columns."""
        row = sum(map(len, self.columns)) + len('"":null,') * len(self.columns)
        return count * row <= _MOST_GROWTH * size + _FREE_GROWTH

    def rows(self, lines: Sequence[bytes]) -> tuple[list[dict[str, Any]], set[bytes]]:
        """Return the rows, and the marks for missing numbers that are null there."""
        width = len(self.columns)
        records = [self._filled(_cells(line, width)) for line in lines]
        numbers = NumberColumns(width, may_have_commas=True)
        for record in records:
            if numbers.open:
                # A quote is part of the text here, and not around a field as in CSV.
                numbers.note([b"x" if cell[:1] == QUOTE else cell for cell in record])
        are_numbers = numbers.are_numbers()
        rows = [
            {
                name: _value(cell, is_number)
                for name, cell, is_number in zip(self.columns, record, are_numbers, strict=True)
            }
            for record in records
        ]
        return rows, numbers.marks if any(are_numbers) else set()

    def _filled(self, cells: list[bytes]) -> list[bytes]:
        return cells + [b""] * (len(self.columns) - len(cells))


def may_have_marks(table: bytes) -> bool:
    """Return quickly whether a table has cells that may stand for missing numbers."""
    return _MARKED.search(table) is not None


def _cells(line: bytes, most: int = 0) -> list[bytes]:
    """Return the cells of a line. Those beyond `most` stay in the last, with the pipes between them."""
    inside = _inside(line)
    if b"\\" not in inside:
        return [*map(_cell, inside.split(b"|", most - 1))]
    return [*map(_cell, _PIPE.split(inside, max(0, most - 1)) if most != 1 else [inside])]


def _cell(source: bytes) -> bytes:
    """Return the text of a cell: code without its marks if it is nothing else, and without escapes."""
    cell = source.strip(b" \t").replace(b"\\|", b"|")
    if cell[:1] == b"`" and (code := _CODE.fullmatch(cell)):
        return code[2].strip(b" ")
    return _ESCAPE.sub(rb"\1", cell) if b"\\" in cell and b"`" not in cell else cell


def _value(cell: bytes, is_number: bool) -> Any:
    if not cell or (is_number and cell in MISSING):
        return None
    return msgspec.Raw(cell) if is_number else rawjson.text(cell)
