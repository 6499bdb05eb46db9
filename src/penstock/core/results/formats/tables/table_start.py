"""The search for a table at the start of a text: its separator, its header and its first records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import NearMiss
from penstock.core.results.formats.tables.headers import (
    Fields,
    has_header,
    has_numbers,
    may_have_header,
)
from penstock.core.results.formats.tables.records import QUOTE, record_pattern

_SEPARATORS: Final = (b"\t", b";", b"|", b",")
_SAMPLE: Final = 100  # records
_SAMPLE_BYTES: Final = 256_000
_MOST_AROUND: Final = 10  # lines before the table, and as many after it
_FEWEST: Final = 3  # records
_NARROWEST: Final = 2  # columns
_WIDE: Final = 3  # columns
SURE: Final = 20  # good records, after which a bad one is told
_SURE_SHARE: Final = 0.9  # of good records, if there are fewer
_UNSURE: Final = "its first line may be the names of the columns, or a record"
# A line that only rules a table, as Markdown and databases draw it.
_RULE: Final = re.compile(rb"^[ \t|+:=-]++\r?$", re.MULTILINE)


class TableStart(msgspec.Struct, frozen=True):
    """The place of a table in a text, and the shape of its records."""

    separator: bytes
    start: int
    end: int
    width: int
    first: Sequence[Fields]
    has_header: bool


def tables_in(text: bytes) -> list[TableStart | NearMiss]:
    """Return the tables that the start of a text shows, one for each separator at most."""
    sample = text[:_SAMPLE_BYTES]
    likely = [one for one in _SEPARATORS if one in sample and _may_have_table(sample, one)]
    found = (_table_with(text, one) for one in likely)
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


def _table_with(text: bytes, separator: bytes) -> TableStart | NearMiss | None:
    """Return the table with this separator, after as few lines as possible."""
    end = _end_of_records(text, separator)
    for start in _starts(text, separator):
        records = _first_records(text, separator, start, end)
        width = len(records[0]) if records else 0
        if width < _NARROWEST or _has_records_before(text, separator, start, width):
            continue
        if len(records) >= _FEWEST and all(len(one) == width for one in records):
            return _table(text, separator, start, end, records)
        near = _near_miss(text, TableStart(separator, start, end, width, records, has_header=True))
        if near is not None:
            return near
    return None


def _starts(text: bytes, separator: bytes) -> Iterator[int]:
    """Yield where a table may start: at the start, after lines that cannot be records, and after
    empty lines."""
    start = 0
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


def _has_records_before(text: bytes, separator: bytes, start: int, width: int) -> bool:
    """Return whether a line before the table is like its records."""
    lines = text[:start].split(b"\n")
    return any(
        line.count(separator) == width - 1 and not _is_apart(line, separator) for line in lines
    )


def _end_of_records(text: bytes, separator: bytes) -> int:
    """Return where the text after the table starts: some lines without a separator, after an empty
    one. Without the empty line, they may be records that are cut off."""
    end = last = len(text.rstrip(b"\r\n"))
    for _ in range(_MOST_AROUND):
        line_start = text.rfind(b"\n", 0, end) + 1
        line = text[line_start:end]
        if separator in line or QUOTE in line:
            below = text[end : end + len(b"\r\n\r\n")].replace(b"\r", b"")
            return end if below.startswith(b"\n\n") else last
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
) -> TableStart | NearMiss | None:
    """Return the table of these first records, or None if they are lines of prose or of a log, which
    may have a comma each."""
    width = len(records[0])
    if separator == b"|" and not any(record[0] or record[-1] for record in records):
        return None  # bars around a table, and not between its fields
    if all(cell.startswith(" ") for one in records for cell in one[1:]):
        spaced = _first_records(text, separator + b" ", start, end)
        if all(len(one) == width for one in spaced) and len(spaced) >= _FEWEST:
            separator, records = separator + b" ", spaced
    is_named = has_header(records, separator)
    table = TableStart(separator, start, end, width, records, is_named)
    if is_named or not _is_table_without_names(text, table):
        return table if is_named else None
    return NearMiss(_UNSURE) if may_have_header(records) else table


def _is_table_without_names(text: bytes, table: TableStart) -> bool:
    """Return whether all of a text is records with numbers. With other lines around it, it may be
    code."""
    if text[: table.start].strip() or text[table.end :].strip():
        return False
    is_tab = table.separator == b"\t"
    if table.width < _WIDE - is_tab or len(table.separator) > 1:
        return False  # the commas may be those of sentences, the tabs those of code
    return all(record[0] for record in table.first) and has_numbers(table.first)


def _near_miss(text: bytes, table: TableStart) -> NearMiss | None:
    """Return the first record that breaks a table, if most of the first records have as many fields
    as their header, or all have as many as each other."""
    others = table.first[1:]
    widths = {len(record) for record in others}
    if len(others) > SURE and len(widths) == 1 and has_numbers(others):
        return NearMiss(f"its first line has {table.width} fields, and the others {widths.pop()}")
    good = [record for record in table.first if len(record) == table.width]
    till_break = sum(1 for _ in takewhile(lambda record: len(record) == table.width, table.first))
    is_most = len(good) > SURE // 2 and len(good) >= _SURE_SHARE * len(table.first)
    if not (till_break > SURE or is_most):
        return None
    return break_of(text, table) if has_header(good, table.separator) else None


def break_of(text: bytes, table: TableStart) -> NearMiss | None:
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
