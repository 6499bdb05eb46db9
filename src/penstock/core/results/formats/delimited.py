"""Texts with separators: CSV, TSV, and the same with semicolons or bars.

A text is of this format if every record has the same number of fields, at least two, and if the
first records look like a table: names above values, or several columns with numbers in one of
them. Lines before the first record are text before the table.

A column holds numbers if its cells do in a sample of records. A cell that is no number is a text there
too, so nothing depends on the sample but the form of numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import BLOCK_BYTES, TextCut, ValueFrame, grouped
from penstock.core.results.formats.records import NUMBER, RecordEncoder, record_pattern

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
    are_numbers: tuple[bool, ...]  # for each column
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

    has_free_cells = True
    is_one_value = False

    def recognise(self, text: bytes) -> TextCut | None:
        table = _table_in(text)
        return None if table is None else _cut(text, table)

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        encoded = _encoder(reading).encoded
        return [encoded(row) for row in rows]

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
    if not _may_have_table(text[start : start + _SAMPLE_BYTES], separator):
        return None
    for _ in range(_MOST_BEFORE + 1):
        records = _first_records(text, separator, start)
        width = len(records[0]) if records else 0
        if len(records) >= _FEWEST and width > 1 and all(len(one) == width for one in records):
            if all(cell.startswith(" ") for one in records for cell in one[1:]):
                spaced = _first_records(text, separator + b" ", start)
                if all(len(one) == width for one in spaced) and len(spaced) >= _FEWEST:
                    separator, records = separator + b" ", spaced
            table = _Table(separator, start, width, records)
            return table if _is_table(table) else None
        line_end = text.find(b"\n", start)
        if line_end < 0:
            return None
        start = line_end + 1
    return None


def _may_have_table(sample: bytes, separator: bytes) -> bool:
    """Return quickly whether some first lines have the same number of separators each."""
    if b'"' in sample:
        return True
    lines = sample.split(b"\n", _MOST_BEFORE + _FEWEST)[: _MOST_BEFORE + _FEWEST]
    counts = [line.count(separator) for line in lines]
    starts = range(len(counts) - _FEWEST + 1)
    return any(counts[at] and len({*counts[at : at + _FEWEST]}) == 1 for at in starts)


def _first_records(text: bytes, separator: bytes, start: int) -> list[Fields]:
    pattern = record_pattern(separator)
    end = (
        len(text)
        if len(text) <= start + _SAMPLE_BYTES
        else text.rfind(b"\n", start, start + _SAMPLE_BYTES) + 1
    )
    found = islice(pattern.records(text, start, end), _SAMPLE)
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
    """Cut a text if all of its records are alike."""
    end = len(text.rstrip(b"\r\n"))
    start = table.start
    names: Fields = ()
    if table.has_header:
        names = table.first[0]
        start += len(next(record_pattern(table.separator).records(text, start, end)))
    are_lines = b'"' not in text
    sample = (_ends_of_lines if are_lines else _ends_of_quoted)(text, start, end, table)
    if sample is None or any(rawjson.are_containers([one.strip()]) for one in sample):
        return None  # not alike, or the text goes on in another format
    fields = map(record_pattern(table.separator).fields, sample)
    first = ([*map(rawjson.utf8, one)] for one in table.first[table.has_header :])
    columns = zip(*first, *fields, strict=True)
    reading = _TableReading(
        table.separator.decode(),
        _column_names(names, table.width),
        tuple(map(_are_numbers, columns)),
        table.start,
    )
    rows = _lines(text, start, end) if are_lines else _quoted(text, start, end, table)
    return TextCut(
        "rows",
        rows,
        text[:start],
        text[end:],
        are_lines=are_lines,
        reading=msgspec.json.encode(reading),
    )


def _are_numbers(cells: Sequence[bytes]) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(map(NUMBER.fullmatch, filled))


# Without quotes, records are lines.


def _ends_of_lines(text: bytes, start: int, end: int, table: _Table) -> list[bytes] | None:
    """Return the first and the last line of each block; None unless all have as many separators."""
    mark = table.separator[:1]
    others = bytes(code for code in range(256) if code not in mark + b"\n")
    line = mark * (table.width - 1)
    ends: list[bytes] = []
    for first, last in _line_blocks(text, start, end):
        block = text[first:last]
        # Without all other bytes, lines that are alike are the same.
        if block.translate(None, others) != (line + b"\n") * block.count(b"\n") + line:
            return None
        if block.count(table.separator) != block.count(mark):
            return None
        ends += [block.partition(b"\n")[0], block.rpartition(b"\n")[2]]
    return ends


def _lines(text: bytes, start: int, end: int) -> Iterator[list[bytes]]:
    """Yield lines in blocks, without their ends."""
    for first, last in _line_blocks(text, start, end):
        yield text[first:last].split(b"\n")


def _line_blocks(text: bytes, position: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where blocks of lines start and end, without the newline between two blocks."""
    while position < end:
        stop = text.rfind(b"\n", position, min(position + BLOCK_BYTES, end))
        stop = stop if stop >= 0 else text.find(b"\n", position, end)
        stop = end if stop < 0 else stop
        yield position, stop
        position = stop + 1


# Quotes may hold separators and line ends.


def _ends_of_quoted(text: bytes, start: int, end: int, table: _Table) -> list[bytes] | None:
    """Return the first and the last record of each block; None unless all have as many fields."""
    ends: list[bytes] = []
    for block in _quoted(text, start, end, table):
        ends += [block[0], block[-1]]
        start += sum(map(len, block))
    return ends if start == end else None


def _quoted(text: bytes, start: int, end: int, table: _Table) -> Iterator[list[bytes]]:
    """Yield records in blocks, with their line ends, up to the first with other fields."""
    return grouped(record_pattern(table.separator, table.width).records(text, start, end))


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
def _encoder(reading: bytes) -> RecordEncoder:
    told = msgspec.json.decode(reading, type=_TableReading)
    return RecordEncoder(told.separator.encode(), told.columns, told.are_numbers)
