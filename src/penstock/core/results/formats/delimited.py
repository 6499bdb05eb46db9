"""Texts with separators: CSV, TSV, and the same with semicolons or bars.

A text is of this format if every record has the same number of fields, at least two, and if the
first records look like a table: names above values, or several columns with numbers in one of
them. Lines before the first record are text before the table.

One regular expression checks a thousand records at once, with the types of their columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import BLOCK_BYTES, TextCut, ValueFrame
from penstock.core.results.formats.records import RecordPattern, Types, widened

_BOM: Final = b"\xef\xbb\xbf"
_SEPARATORS: Final = (b"\t", b";", b"|", b",")
_SAMPLE: Final = 100  # records
_SAMPLE_BYTES: Final = 256_000
_MOST_BEFORE: Final = 10  # lines before the table
_FEWEST: Final = 3  # records
_WIDE: Final = 3  # columns
_LONGEST_NAME: Final = 100
_MOST_WORDS: Final = 6  # of a name
_NAME: Final = re.compile(r"[^\W\d][^\r\n]*")
_NUMBER: Final = re.compile(r"[-+]?[$€£]?\d[\d.,]*%?")
_YEAR: Final = re.compile(r"1[5-9]\d\d|20\d\d")
# A line that only rules a table, as Markdown and databases draw it.
_RULE: Final = re.compile(rb"^[ \t|+:=-]*-{2}[ \t|+:=-]*\r?$", re.MULTILINE)

Fields = Sequence[str]


class _TableReading(msgspec.Struct, frozen=True):
    """How to decode a record."""

    separator: str  # with the space that follows it everywhere, if one does
    columns: tuple[str, ...]
    types: Types
    before: int = 0  # the bytes of text before the table


class _Table(NamedTuple):
    """The place of a table in a text, and the shape of its records."""

    separator: bytes
    start: int
    width: int
    first: Sequence[Fields]

    @property
    def has_header(self) -> bool:
        return _has_header(self.first, self.separator)


class Delimited:
    """Records of fields with one separator between them."""

    def recognise(self, text: bytes) -> TextCut | None:
        table = _table_in(text)
        return None if table is None else _cut(text, table)

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        decode = _decoder(reading)
        return [decode(row) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del suffix
        told = msgspec.json.decode(reading, type=_TableReading)
        return ValueFrame(text_before=prefix[: told.before].removeprefix(_BOM))


# -- the table in a text -----------------------------------------------------------------------


def _table_in(text: bytes) -> _Table | None:
    """Return the table that the start of a text shows."""
    start = len(_BOM) if text.startswith(_BOM) else 0
    sample = text[start : start + _SAMPLE_BYTES]
    if _RULE.search(sample):
        return None
    found = (_table_with(text, one, start) for one in _SEPARATORS if one in sample)
    tables = [table for table in found if table is not None]
    return max(tables, key=lambda table: (-table.start, table.width), default=None)


def _table_with(text: bytes, separator: bytes, start: int) -> _Table | None:
    """Return the table with this separator, after as few lines as possible."""
    for _ in range(_MOST_BEFORE + 1):
        records = _first_records(text, separator, start)
        width = len(records[0]) if records else 0
        if len(records) >= _FEWEST and width > 1 and all(len(one) == width for one in records):
            if all(cell.startswith(" ") for one in records for cell in one[1:]):
                separator += b" "
                records = _first_records(text, separator, start)
            table = _Table(separator, start, width, records)
            return table if _is_table(table) else None
        line_end = text.find(b"\n", start)
        if line_end < 0:
            return None
        start = line_end + 1
    return None


def _first_records(text: bytes, separator: bytes, start: int) -> list[Fields]:
    pattern = RecordPattern(separator)
    end = (
        len(text)
        if len(text) <= start + _SAMPLE_BYTES
        else text.rfind(b"\n", start, start + _SAMPLE_BYTES) + 1
    )
    found = islice(pattern.any_records(text, start, end), _SAMPLE)
    return [[rawjson.text(cell) for cell in pattern.fields(record)] for record in found]


def _is_table(table: _Table) -> bool:
    """Return whether records are a table. Lines of prose or of a log may have a comma each."""
    if table.has_header:
        return True
    columns = zip(*table.first, strict=True)
    is_numeric = any(all(map(_NUMBER.fullmatch, column)) for column in columns)
    is_close = len(table.separator) == 1  # otherwise the commas may be those of sentences
    return table.separator == b"\t" or (table.width >= _WIDE and is_numeric and is_close)


def _has_header(records: Sequence[Fields], separator: bytes) -> bool:
    """Return whether the first record names the columns: above numbers, or by words of which no two
    are alike and none is a value in its column."""
    names = records[0]
    others = [record for record in records if record != names]  # a header may come again
    if not others or not _are_names(names):
        return False
    columns = [*zip(*others, strict=True)]
    if any(all(not cell or _NUMBER.fullmatch(cell) for cell in column) for column in columns):
        return True
    is_told = any(name in column for name, column in zip(names, columns, strict=True))
    is_listed = len(names) >= _WIDE or separator == b"\t" or not any(" " in name for name in names)
    return all(names) and len({*names}) == len(names) and is_listed and not is_told


def _are_names(cells: Fields) -> bool:
    """Return whether most cells are names and the others are empty, or years in a row."""
    years = [int(cell) for cell in cells if _YEAR.fullmatch(cell)]
    if len(years) < _WIDE or years != [*range(years[0], years[0] + len(years))]:
        years = []
    others = [cell for cell in cells if not (years and _YEAR.fullmatch(cell))]
    named = sum(map(bool, others))
    return all(map(_may_be_name, others)) and named > 0 and 2 * (named + len(years)) > len(cells)


def _may_be_name(cell: str) -> bool:
    is_short = len(cell) <= _LONGEST_NAME and len(cell.split()) <= _MOST_WORDS
    return not cell or (is_short and bool(_NAME.fullmatch(cell.strip())) and cell[-1] not in ".:!?")


# -- all records -------------------------------------------------------------------------------


def _cut(text: bytes, table: _Table) -> TextCut | None:
    """TextCut a text if all of its records are alike."""
    end = len(text.rstrip(b"\r\n"))
    pattern = RecordPattern(table.separator)
    start = table.start
    names: Fields = ()
    if table.has_header:
        header = next(pattern.any_records(text, start, end))
        names = table.first[0]
        start += len(header)
    types = _types_of(text, start, end, table)
    if types is None:
        return None
    reading = _TableReading(
        table.separator.decode(), _column_names(names, table.width), types, table.start
    )
    rows = _row_blocks(text, start, end, pattern)
    return TextCut("rows", rows, text[:start], text[end:], reading=msgspec.json.encode(reading))


def _types_of(text: bytes, position: int, end: int, table: _Table) -> Types | None:
    """Return the types of the columns; None unless every record has as many fields as the first."""
    types = widened(None, [*table.first[table.has_header :]], table.width)
    pattern = RecordPattern(table.separator, types)
    while position < end:
        stop = pattern.many_end(text, position, end)
        if stop is None:
            general = RecordPattern(table.separator, "s" * table.width)
            stop = general.many_end(text, position, end)
            if stop is None:
                return None
            records = [*general.any_records(text, position, stop)]
            if any(rawjson.are_containers([record.strip()]) for record in records):
                return None  # the text goes on in another format
            found = [[rawjson.text(cell) for cell in general.fields(one)] for one in records]
            types = widened(types, found, table.width)
            pattern = RecordPattern(table.separator, types)
        position = stop
    return types


def _row_blocks(
    text: bytes, position: int, end: int, pattern: RecordPattern
) -> Iterator[list[bytes]]:
    """Yield records with their line ends. Without quotes, each is a line."""
    has_quotes = b'"' in text
    while position < end:
        if has_quotes:
            rows = [*islice(pattern.any_records(text, position, end), 1_000)]
        else:
            stop = text.rfind(b"\n", position, position + BLOCK_BYTES) + 1
            stop = stop or text.find(b"\n", position, end) + 1 or end
            rows = [line + b"\n" for line in text[position : min(stop, end)].split(b"\n")]
            rows = rows[:-1] if rows[-1] == b"\n" else [*rows[:-1], rows[-1][:-1]]
        yield rows
        position += sum(map(len, rows))


def _column_names(header: Fields, width: int) -> tuple[str, ...]:
    """Return a different name for each column."""
    names: dict[str, None] = {}
    for number in range(width):
        name = chosen = (header[number].strip() if header else "") or f"c{number + 1}"
        twin = 2
        while chosen in names:
            chosen, twin = f"{name}_{twin}", twin + 1
        names[chosen] = None
    return tuple(names)


# -- decoding ----------------------------------------------------------------------------------


@lru_cache(64)
def _decoder(reading: bytes) -> Callable[[bytes], bytes]:
    """Return a function that makes a JSON object of a record."""
    told = msgspec.json.decode(reading, type=_TableReading)
    pattern = RecordPattern(told.separator.encode())
    keys = [rawjson.string(name).replace(b"%", b"%%") + b":" for name in told.columns]
    spots = [b'"%b"' if kind == "s" else b"%b" for kind in told.types]
    members = (key + spot for key, spot in zip(keys, spots, strict=True))
    template = b"{" + b",".join(members) + b"}"
    are_texts = [kind == "s" for kind in told.types]

    def decode(row: bytes) -> bytes:
        if pattern.is_simple(row):
            return template % tuple(pattern.split(row))
        cells = zip(pattern.fields(row), are_texts, strict=True)
        return template % tuple(
            rawjson.string(rawjson.text(cell))[1:-1] if is_text else cell or b"null"
            for cell, is_text in cells
        )

    return decode
