"""Texts with separators: CSV, TSV, and the same with semicolons or bars.

A text is of this format if every record has the same number of fields, at least two, and if the
first records look like a table: names above values, or several columns with numbers in one of
them. Lines without the separator may be before and after the table.

If no quotes hold a line end, records are lines, and stay so. A column holds numbers if each of its
cells is one, or empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.surrogates import has_half_pair
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped, line_blocks
from penstock.core.results.formats.tables.headers import Fields
from penstock.core.results.formats.tables.numbers import NumberColumns, notice_of_marks
from penstock.core.results.formats.tables.records import QUOTE, RecordEncoder, record_pattern
from penstock.core.results.formats.tables.table_start import SURE, TableStart, break_of, tables_in


class _TableReading(msgspec.Struct, frozen=True):
    """The facts that decoding a record needs."""

    separator: str  # with the space that follows it everywhere, if one does
    columns: tuple[str, ...]
    are_numbers: tuple[bool, ...]  # for each column
    before: int = 0  # the bytes of text before the table


class Delimited:
    """Records of fields with one separator between them."""

    has_free_cells = True
    is_one_value = False
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        if b"\n" not in text and b"\r" in text:
            is_table = isinstance(self.recognise(text.replace(b"\r", b"\n")), TextCut)
            return NearMiss("its lines end with carriage returns alone") if is_table else None
        found = tables_in(text)
        tables = [table for table in found if isinstance(table, TableStart)]
        near: NearMiss | None = None
        for table in sorted(tables, key=lambda table: (table.start, -table.width)):
            cut = _cut(text, table)
            if isinstance(cut, TextCut):
                return cut
            near = near or cut
        return near or next((one for one in found if isinstance(one, NearMiss)), None)

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        encoded = _encoder(reading).encoded
        return [encoded(row) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        told = msgspec.json.decode(reading, type=_TableReading)
        return ValueFrame(
            text_before=prefix[: told.before],
            text_after=suffix.lstrip(b"\r\n"),
        )


# -- all records -------------------------------------------------------------------------------


def _cut(text: bytes, table: TableStart) -> TextCut | NearMiss | None:
    """Cut a text if all of its records are alike."""
    start = _start_of_records(text, table)
    if start is None:
        return None
    confirmed = _confirmed(text, start, table)
    if confirmed is None:
        is_sure = table.has_header and len(table.first) > SURE
        return break_of(text, table) if is_sure else None
    names: Fields = table.first[0] if table.has_header else ()
    reading = _TableReading(
        table.separator.decode(),
        column_names(names, table.width),
        confirmed.numbers.are_numbers(),
        table.start,
    )
    joint = confirmed.joint
    return TextCut(
        "rows",
        _lines(text, start, table.end) if joint else _records(text, start, table),
        text[:start],
        text[table.end :],
        joint=joint,
        reading=msgspec.json.encode(reading),
        notices=(
            *(() if any(reading.are_numbers) else _notice_of_header(text, table.start, start)),
            *notice_of_marks(confirmed.numbers.marks),
            *notice_of_text(text[table.end :]),
        ),
    )


def _start_of_records(text: bytes, table: TableStart) -> int | None:
    """Return where the records start, or None if the header is in the way."""
    if not table.has_header:
        return table.start
    if any(map(has_half_pair, table.first[0])):
        return None  # a head cannot hold it
    pattern = record_pattern(table.separator, table.width)
    header = next(pattern.records(text, table.start, table.end), None)
    return None if header is None else table.start + len(header)


class _Confirmed(NamedTuple):
    """The outcome of reading all records: each has as many fields as the first."""

    numbers: NumberColumns
    joint: bytes  # a newline if the records are lines


def _confirmed(text: bytes, start: int, table: TableStart) -> _Confirmed | None:
    """Read all records, as lines or else with line ends in quotes. Return None if they differ."""
    has_quotes = QUOTE in text
    may_have_commas = has_quotes or table.separator != b","
    numbers = NumberColumns(table.width, may_have_commas=may_have_commas)
    if _are_alike_lines(text, start, table, numbers):
        return _Confirmed(numbers, b"\n")
    numbers = NumberColumns(table.width, may_have_commas=may_have_commas)
    are_alike = has_quotes and _are_alike(text, start, table, numbers)
    return _Confirmed(numbers, b"") if are_alike else None


def _notice_of_header(text: bytes, header: int, start: int) -> tuple[str, ...]:
    """Return a notice if the header, from `header` to `start`, comes again. Then no column holds
    numbers, so that there is no need to look in a table with some."""
    times = text.count(b"\n" + text[header:start], start - 1) if start > header else 0
    return (f"The header comes again {times} times, and is a row there.",) if times else ()


def notice_of_text(after: bytes) -> tuple[str, ...]:
    """Return a notice if there is text after the table."""
    return ("The lines in text_after are not among the rows.",) if after.strip() else ()


def _is_in_another_format(record: bytes) -> bool:
    """Return whether a record is JSON, so that the text goes on in another format."""
    stripped = record.strip()
    return stripped[:1] in (b"{", b"[") and rawjson.are_containers([stripped])


# Records that are lines.


def _are_alike_lines(text: bytes, start: int, table: TableStart, numbers: NumberColumns) -> bool:
    """Return whether each line is a record, and note its numbers."""
    plain = _PlainLines(table.separator, table.width)
    for first, last in line_blocks(text, start, table.end):
        block = text[first:last]
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n").removesuffix(b"\r")
            if b"\r" in block:  # old systems end a line so
                return False
        is_plain = plain.are_all_of(block)
        pattern = record_pattern(table.separator, table.width)
        if not is_plain and (QUOTE not in block or not pattern.are_lines(block)):
            return False
        ends = block.partition(b"\n")[0], block.rpartition(b"\n")[2]
        if any(map(_is_in_another_format, ends)):
            return False
        if numbers.open:
            numbers.note(
                block.replace(b"\n", table.separator).split(table.separator)
                if is_plain
                else pattern.all_cells(block, block.count(b"\n") + 1)
            )
    return True


class _PlainLines:
    """A quick check of lines: each has as many fields, and quotes only around whole fields that have
    no separator and no quote in them."""

    def __init__(self, separator: bytes, width: int) -> None:
        self._separator = separator
        self._mark = separator[:1]
        self._line = self._mark * (width - 1)
        self._others = bytes(code for code in range(256) if code not in self._mark + b'\n"')

    def are_all_of(self, block: bytes) -> bool:
        # Without all other bytes, lines that are alike are the same.
        marks = block.translate(None, self._others)
        if QUOTE in marks:
            if not self._are_quotes_outside(block, marks.count(QUOTE)):
                return False
            first = marks.partition(b"\n")[0]
            if _is_repeated(first, marks):
                marks = first
            marks = marks.replace(b'""', b"")
        if not _is_repeated(self._line, marks):
            return False
        is_close = len(self._separator) == 1
        return is_close or block.count(self._separator) == block.count(self._mark)

    def _are_quotes_outside(self, block: bytes, quotes: int) -> bool:
        between = self._separator
        fields = between + block.replace(b"\n", between) + between
        return quotes == fields.count(between + QUOTE) + fields.count(QUOTE + between)


def _is_repeated(line: bytes, lines: bytes) -> bool:
    """Return whether lines are all the same."""
    line += b"\n"
    return lines + b"\n" == line * ((len(lines) + 1) // len(line))


def _lines(text: bytes, start: int, end: int) -> Iterator[list[bytes]]:
    """Yield lines in blocks, without their ends."""
    for first, last in line_blocks(text, start, end):
        yield text[first:last].split(b"\n")


# Records with line ends in quotes.


def _are_alike(text: bytes, start: int, table: TableStart, numbers: NumberColumns) -> bool:
    """Return whether all records have as many fields, and note their numbers."""
    pattern = record_pattern(table.separator, table.width)
    for records in _records(text, start, table):
        if any(map(_is_in_another_format, (records[0], records[-1]))):
            return False
        joined = b"".join(records)
        start += len(joined)
        if numbers.open:
            numbers.note(pattern.all_cells(joined, len(records)))
    return start == table.end


def _records(text: bytes, start: int, table: TableStart) -> Iterator[list[bytes]]:
    """Yield records in blocks, with their line ends, up to the first with other fields."""
    pattern = record_pattern(table.separator, table.width)
    return grouped(pattern.records(text, start, table.end))


def column_names(header: Fields, width: int) -> tuple[str, ...]:
    """Return a different name for each column. SQL does not distinguish between upper and lower case."""
    wanted = [
        (header[number].strip() if header else "") or f"c{number + 1}" for number in range(width)
    ]
    taken = {*map(str.lower, wanted)}
    counts: dict[str, int] = {}
    names: list[str] = []
    for name in wanted:
        folded = name.lower()
        number = counts.get(folded, 0) + 1
        while number > 1 and f"{folded}_{number}" in taken:
            number += 1
        counts[folded] = number
        names.append(name if number == 1 else f"{name}_{number}")
        taken.add(names[-1].lower())
    return tuple(names)


# -- decoding ----------------------------------------------------------------------------------


@lru_cache(64)
def _encoder(reading: bytes) -> RecordEncoder:
    told = msgspec.json.decode(reading, type=_TableReading)
    return RecordEncoder(told.separator.encode(), told.columns, told.are_numbers)
