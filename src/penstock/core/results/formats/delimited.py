"""Texts with separators: CSV, TSV, and the same with semicolons or bars.

A text is of this format if every record has the same number of fields, at least two, and if the
first records look like a table: names above values, or several columns with numbers in one of
them. Lines without the separator may be before and after the table.

If no quotes hold a line end, records are lines, and stay so. A column holds numbers if each of its
cells is one, or empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, takewhile
from typing import Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.surrogates import has_half_pair
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped, line_blocks
from penstock.core.results.formats.headers import Fields, has_header, has_numbers
from penstock.core.results.formats.numbers import NumberColumns
from penstock.core.results.formats.records import QUOTE, RecordEncoder, record_pattern

_BOM: Final = b"\xef\xbb\xbf"
_SEPARATORS: Final = (b"\t", b";", b"|", b",")
_SAMPLE: Final = 100  # records
_SAMPLE_BYTES: Final = 256_000
_MOST_AROUND: Final = 10  # lines before the table, and as many after it
_FEWEST: Final = 3  # records
_NARROWEST: Final = 2  # columns
_WIDE: Final = 3  # columns
_SURE: Final = 20  # good records, after which a bad one is told
_SURE_SHARE: Final = 0.9  # of good records, if there are fewer
# A line that only rules a table, as Markdown and databases draw it.
_RULE: Final = re.compile(rb"^[ \t|+:=-]++\r?$", re.MULTILINE)


class _TableReading(msgspec.Struct, frozen=True):
    """How to decode a record."""

    separator: str  # with the space that follows it everywhere, if one does
    columns: tuple[str, ...]
    are_numbers: tuple[bool, ...]  # for each column
    before: int = 0  # the bytes of text before the table


class _Table(msgspec.Struct, frozen=True):
    """The place of a table in a text, and the shape of its records."""

    separator: bytes
    start: int
    end: int
    width: int
    first: Sequence[Fields]
    has_header: bool


class Delimited:
    """Records of fields with one separator between them."""

    has_free_cells = True
    is_one_value = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        found = _tables_in(text)
        tables = [table for table in found if isinstance(table, _Table)]
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
            text_before=prefix[: told.before].removeprefix(_BOM),
            text_after=suffix.lstrip(b"\r\n"),
        )


# -- the table in a text -----------------------------------------------------------------------


def _tables_in(text: bytes) -> list[_Table | NearMiss]:
    """Return the tables that the start of a text shows, one for each separator at most."""
    start = len(_BOM) if text.startswith(_BOM) else 0
    sample = text[start : start + _SAMPLE_BYTES]
    likely = [one for one in _SEPARATORS if one in sample and _may_have_table(sample, one)]
    found = (_table_with(text, one, start) for one in likely)
    return [one for one in found if one is not None]


def _may_have_table(sample: bytes, separator: bytes) -> bool:
    """Return quickly whether some first lines have the same number of separators each."""
    if separator == b"|" and _is_ruled(sample):
        return False
    if QUOTE in sample:
        return True
    lines = sample.split(b"\n", _MOST_AROUND + _FEWEST)[: _MOST_AROUND + _FEWEST]
    counts = [line.count(separator) for line in lines]
    starts = range(len(counts) - 1)
    return any(counts[at] and counts[at] == counts[at + 1] for at in starts)


def _is_ruled(sample: bytes) -> bool:
    return b"--" in sample and any(b"--" in rule.group() for rule in _RULE.finditer(sample))


def _table_with(text: bytes, separator: bytes, first: int) -> _Table | NearMiss | None:
    """Return the table with this separator, after as few lines as possible."""
    end = _end_of_records(text, separator)
    for start in _starts(text, separator, first):
        records = _first_records(text, separator, start, end)
        width = len(records[0]) if records else 0
        if width < _NARROWEST or _has_records_before(text, separator, first, start, width):
            continue
        if len(records) >= _FEWEST and all(len(one) == width for one in records):
            return _table(text, separator, start, end, records)
        near = _near_miss(text, _Table(separator, start, end, width, records, has_header=True))
        if near is not None:
            return near
    return None


def _starts(text: bytes, separator: bytes, start: int) -> Iterator[int]:
    """Yield where a table may start: at the start, after lines that cannot be records, and after
    empty lines."""
    yield start
    are_apart = True
    for _ in range(_MOST_AROUND):
        line_end = text.find(b"\n", start)
        if line_end < 0:
            return
        line = text[start:line_end].strip()
        start = line_end + 1
        are_apart = are_apart and _is_apart(line, separator)
        if are_apart or not line:
            yield start


def _is_apart(line: bytes, separator: bytes) -> bool:
    """Return whether a line cannot be a record. Spreadsheets take a separator from `sep=;`."""
    return separator not in line or line.startswith((b"#", b"sep="))


def _has_records_before(text: bytes, separator: bytes, first: int, start: int, width: int) -> bool:
    """Return whether a line before the table is like its records."""
    lines = text[first:start].split(b"\n")
    return any(
        line.count(separator) == width - 1 and not _is_apart(line, separator) for line in lines
    )


def _end_of_records(text: bytes, separator: bytes) -> int:
    """Return where the text after the table starts: some lines without a separator."""
    end = last = len(text.rstrip(b"\r\n"))
    for _ in range(_MOST_AROUND):
        line_start = text.rfind(b"\n", 0, end) + 1
        line = text[line_start:end]
        if separator in line or QUOTE in line:
            return end
        end = line_start
        while end and text[end - 1] in b"\r\n":
            end -= 1
    return last  # too many lines


def _first_records(text: bytes, separator: bytes, start: int, end: int) -> list[Fields]:
    if end > start + _SAMPLE_BYTES:
        end = text.rfind(b"\n", start, start + _SAMPLE_BYTES) + 1
    if QUOTE not in text[start:end]:
        lines = text[start:end].removesuffix(b"\n").split(b"\n", _SAMPLE)[:_SAMPLE]
        sep = separator.decode()
        return [rawjson.text(line.removesuffix(b"\r")).split(sep) for line in lines]
    pattern = record_pattern(separator)
    found = islice(pattern.records(text, start, end), _SAMPLE)
    return [[rawjson.text(cell) for cell in pattern.fields(record)] for record in found]


def _table(
    text: bytes, separator: bytes, start: int, end: int, records: Sequence[Fields]
) -> _Table | None:
    """Return the table of these first records, or None if they are lines of prose or of a log, which
    may have a comma each."""
    width = len(records[0])
    if all(cell.startswith(" ") for one in records for cell in one[1:]):
        spaced = _first_records(text, separator + b" ", start, end)
        if all(len(one) == width for one in spaced) and len(spaced) >= _FEWEST:
            separator, records = separator + b" ", spaced
    is_named = has_header(records, separator)
    table = _Table(separator, start, end, width, records, is_named)
    return table if is_named or _is_table_without_names(text, table) else None


def _is_table_without_names(text: bytes, table: _Table) -> bool:
    """Return whether all of a text is records with numbers. With other lines around it, it may be
    code."""
    if text[: table.start].strip(_BOM) or text[table.end :].strip():
        return False
    is_tab = table.separator == b"\t"
    if table.width < _WIDE - is_tab or len(table.separator) > 1:
        return False  # the commas may be those of sentences, the tabs those of code
    return all(record[0] for record in table.first) and has_numbers(table.first)


def _near_miss(text: bytes, table: _Table) -> NearMiss | None:
    """Return the first record that breaks a table, if most of the first records have as many fields
    as their header."""
    good = [record for record in table.first if len(record) == table.width]
    till_break = sum(1 for _ in takewhile(lambda record: len(record) == table.width, table.first))
    is_most = len(good) > _SURE // 2 and len(good) >= _SURE_SHARE * len(table.first)
    if not (till_break > _SURE or is_most):
        return None
    return _break(text, table) if has_header(good, table.separator) else None


# -- all records -------------------------------------------------------------------------------


def _cut(text: bytes, table: _Table) -> TextCut | NearMiss | None:
    """Cut a text if all of its records are alike."""
    names: Fields = table.first[0] if table.has_header else ()
    if any(map(has_half_pair, names)):
        return None  # a head cannot hold it
    start = table.start
    if table.has_header:
        pattern = record_pattern(table.separator, table.width)
        header = next(pattern.records(text, start, table.end), None)
        if header is None:
            return None  # with a carriage return in it
        start += len(header)
    has_quotes = QUOTE in text
    may_have_commas = has_quotes or table.separator != b","
    numbers = NumberColumns(table.width, may_have_commas=may_have_commas)
    are_lines = _are_alike_lines(text, start, table, numbers)
    if not are_lines:
        numbers = NumberColumns(table.width, may_have_commas=may_have_commas)
        if not has_quotes or not _are_alike(text, start, table, numbers):
            is_sure = table.has_header and len(table.first) > _SURE
            return _break(text, table) if is_sure else None
    reading = _TableReading(
        table.separator.decode(),
        _column_names(names, table.width),
        numbers.are_numbers(),
        table.start,
    )
    rows = _lines(text, start, table.end) if are_lines else _records(text, start, table)
    return TextCut(
        "rows",
        rows,
        text[:start],
        text[table.end :],
        are_lines=are_lines,
        reading=msgspec.json.encode(reading),
    )


def _is_in_another_format(record: bytes) -> bool:
    """Return whether a record is JSON, so that the text goes on in another format."""
    stripped = record.strip()
    return stripped[:1] in (b"{", b"[") and rawjson.are_containers([stripped])


# Records that are lines.


def _are_alike_lines(text: bytes, start: int, table: _Table, numbers: NumberColumns) -> bool:
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


def _are_alike(text: bytes, start: int, table: _Table, numbers: NumberColumns) -> bool:
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


def _records(text: bytes, start: int, table: _Table) -> Iterator[list[bytes]]:
    """Yield records in blocks, with their line ends, up to the first with other fields."""
    pattern = record_pattern(table.separator, table.width)
    return grouped(pattern.records(text, start, table.end))


# -- what a reader is told -----------------------------------------------------------------------


def _break(text: bytes, table: _Table) -> NearMiss | None:
    """Return the first record after the header that has another number of fields."""
    start, end, width = table.start, table.end, table.width
    number = 0
    for record in record_pattern(table.separator, width).records(text, start, end):
        start += len(record)
        number += 1
    if start >= end:
        return None
    line = text.count(b"\n", 0, start) + 1
    pattern = record_pattern(table.separator)
    broken = next(pattern.records(text, start, end), None)
    if broken is None:
        has_quote = QUOTE in text[start:end].partition(b"\n")[0]
        quote = f"a quote in line {line} is not closed, or is inside a field"
        return NearMiss(quote if has_quote else f"line {line} has a carriage return in it")
    if not broken.strip():
        return NearMiss(f"line {line}, after record {number - 1}, is empty")
    fields = len(pattern.cells(broken))
    told = f"{fields} field{'s' if fields > 1 else ''}"
    return NearMiss(f"record {number}, in line {line}, has {told}, not {width}")


def _column_names(header: Fields, width: int) -> tuple[str, ...]:
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
