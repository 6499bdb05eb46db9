"""Records of lines with a key each, and empty lines between the records.

    Commit: fce06c1
    Author: Ada Holm
    Message: Open the upper gate

    Commit: ae1e2d8
    …

Each record starts with the same key, and all records share at least two. A line that is indented goes
on with the value above it. Paragraphs below the keys, as messages have, are the `text` of the record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped
from penstock.core.results.formats.tables.numbers import NumberColumns, notice_of_marks
from penstock.core.results.formats.tables.records import MISSING

_FEWEST: Final = 3  # records
_FEWEST_SHARED: Final = 2  # keys
_MANY_SHARED: Final = 5  # keys, with which two records are enough
# Prose with some colons must not pass for records: with paragraphs, more has to be alike.
_FEWEST_WITH_TEXT: Final = 5
_SHARED_WITH_TEXT: Final = 3
_MOST_KEYS: Final = 200
_MOST_BEFORE: Final = 300  # bytes of text before the first record
_TEXT: Final = "text"
_NAME: Final = rb"[A-Za-z][\w.()/#-]*+(?: [\w.()/#-]++){0,5}+"
_KEY_LINE: Final = re.compile(rb"(" + _NAME + rb")[ \t]*+:(?:[ \t]++(.*)|)", re.DOTALL)
_EMPTY_LINES: Final = re.compile(rb"\n[ \t\r]*+\n(?:[ \t\r]*+\n)*+")
_FIRST: Final = re.compile(rb"^(" + _NAME + rb")[ \t]*+:(?=[ \t\r\n])", re.MULTILINE)


class _KeyedReading(msgspec.Struct, frozen=True):
    """The facts that decoding a record needs."""

    are_numbers: dict[str, bool]  # by key
    before: int  # the bytes of text before the first record


class _Parsed(NamedTuple):
    """A record. `text` is below its keys."""

    fields: dict[str, str]
    text: str
    has_free_lines: bool  # a value goes on in lines that are not indented


class KeyedRecords:
    """Records of keys and values, each in lines of its own."""

    has_free_cells = True
    is_one_value = False
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        start = _start_of(text)
        if start is None:
            return None
        end = _end_of_records(text, start)
        columns = _Columns()
        for row in _rows(text, end, *start):
            parsed = _parsed(row)
            if parsed is None or not columns.note(parsed):
                return None
        if not columns.are_alike():
            return None
        stray = _stray_line(text, end, start, columns.shared)
        if stray is not None:
            line = text.count(b"\n", 0, stray) + 1
            return NearMiss(f"the record in line {line} does not start with {start.key.decode()}")
        reading = _KeyedReading(columns.are_numbers(), start.position)
        return TextCut(
            "rows",
            grouped(_rows(text, end, *start)),
            text[: start.position],
            text[end:],
            reading=msgspec.json.encode(reading),
            notices=notice_of_marks(columns.marks),
        )

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        told = msgspec.json.decode(reading, type=_KeyedReading)
        return [_encoded(row, told.are_numbers) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del reading
        return ValueFrame(text_before=prefix, text_after=suffix)


FORMAT: Final = KeyedRecords()


# -- the cut -----------------------------------------------------------------------------------


class _Start(NamedTuple):
    """The first record: where it starts, and the key that starts each."""

    position: int
    key: bytes


def _start_of(text: bytes) -> _Start | None:
    """Return the first key that comes again after an empty line."""
    for found in _FIRST.finditer(text, 0, _MOST_BEFORE):
        start = _Start(found.start(), found[1])
        if _between(start.key).search(text, start.position):
            return start
    return None


def _rows(text: bytes, end: int, position: int, key: bytes) -> Iterator[bytes]:
    """Yield the records, each with the empty lines below it."""
    for found in _between(key).finditer(text, position, end):
        yield text[position : found.end()]
        position = found.end()
    yield text[position:end]


def _end_of_records(text: bytes, start: _Start) -> int:
    """Return where text after the records starts: paragraphs below the last record, if no other record
    has some."""
    *others, last = _rows(text, len(text), *start)
    paragraph = _EMPTY_LINES.search(last.rstrip(b" \t\r\n"))
    if paragraph is None or any(_EMPTY_LINES.search(one.rstrip(b" \t\r\n")) for one in others):
        return len(text)
    return len(text) - len(last) + paragraph.end()


def _stray_line(text: bytes, end: int, start: _Start, shared: set[str]) -> int | None:
    """Return where a paragraph starts that has a key of the records, but not their first. Part of a
    record may be missing there, or it may be a record of its own."""
    for found in _FIRST.finditer(text, 0, start.position):
        if rawjson.text(found[1]) in shared:
            return found.start()
    for empty in _EMPTY_LINES.finditer(text, start.position):
        below = _FIRST.match(text, empty.end())
        if below is None or rawjson.text(below[1]) not in shared:
            continue
        if below[1] != start.key or below.start() >= end:
            return below.start()
    return None


def _between(key: bytes) -> re.Pattern[bytes]:
    """Return the pattern of the empty line above a record."""
    return re.compile(rb"\n[ \t\r]*+\n(?=" + re.escape(key) + rb"[ \t]*+:[ \t\r\n])")


def _parsed(row: bytes) -> _Parsed | None:
    """Return the fields of a record, or None if a key comes twice or too many are there."""
    head, *below = re.split(rb"\n[ \t\r]*+\n", row.strip(b"\r\n"), maxsplit=1)
    fields: dict[str, str] = {}
    key = ""
    has_free_lines = False
    for line in head.split(b"\n"):
        found = _KEY_LINE.fullmatch(line.rstrip()) if line[:1] not in b" \t" else None
        if found is not None and not has_free_lines:
            key = rawjson.text(found[1])
            if key in fields or len(fields) == _MOST_KEYS:
                return None
            fields[key] = rawjson.text(found[2] or b"")
        else:
            has_free_lines = has_free_lines or line[:1] not in b" \t"
            fields[key] += "\n" + rawjson.text(line.strip())
    text = rawjson.text(below[0]).strip("\r\n") if below else ""
    return _Parsed(fields, text, has_free_lines)


class _Columns:
    """The keys of all records, and the numbers in their values."""

    def __init__(self) -> None:
        self._count = 0
        self.shared: set[str] = set()
        self._has_text = False
        self._cells: dict[str, NumberColumns] = {}

    def note(self, record: _Parsed) -> bool:
        """Note a record. Return whether the text can still be records."""
        self.shared = self.shared & {*record.fields} if self._count else {*record.fields}
        self._count += 1
        self._has_text = self._has_text or bool(record.text) or record.has_free_lines
        for key, value in record.fields.items():
            if key not in self._cells:
                self._cells[key] = NumberColumns(1, may_have_commas=True)
            self._cells[key].note([rawjson.utf8(value)])
        return len(self.shared) >= _FEWEST_SHARED and len(self._cells) <= _MOST_KEYS

    def are_alike(self) -> bool:
        if self._has_text and _TEXT in self._cells:
            return False  # the text below the keys has this name
        shared = len(self.shared)
        if self._has_text:
            return self._count >= _FEWEST_WITH_TEXT and shared >= _SHARED_WITH_TEXT
        return self._count >= (_FEWEST if shared < _MANY_SHARED else 2)

    @property
    def marks(self) -> set[bytes]:
        """The texts that stand for missing numbers, in columns of numbers."""
        numbers = [cells for cells in self._cells.values() if cells.are_numbers()[0]]
        return set().union(*(cells.marks for cells in numbers))

    def are_numbers(self) -> dict[str, bool]:
        return {key: cells.are_numbers()[0] for key, cells in self._cells.items()}


# -- decoding ----------------------------------------------------------------------------------


def _encoded(row: bytes, are_numbers: Mapping[str, bool]) -> bytes:
    record = _parsed(row)
    assert record is not None  # noqa: S101 (recognised before)
    fields = {**record.fields, _TEXT: record.text} if record.text else record.fields
    members = (
        rawjson.string(key) + b":" + _value(value, is_number=are_numbers.get(key, False))
        for key, value in fields.items()
    )
    return b"{" + b",".join(members) + b"}"


def _value(value: str, *, is_number: bool) -> bytes:
    if is_number:
        number = rawjson.utf8(value).strip(b" ")
        return b"null" if number in MISSING else number
    return rawjson.string(value) if value else b"null"
