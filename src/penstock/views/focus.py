"""The part of a result that a view looks at: all of it, or what `path` points to.

`path` is a JSON Pointer, with one addition for keys that are too long to be repeated in a reply:
`/~#3` is the fourth entry of a dict, as {"key", "value"}.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from penstock import rawjson
from penstock.document import Document, pointer, read_json
from penstock.effects import Entry, ReadRows, Steps
from penstock.model import Refusal, Shape
from penstock.packing import slice_rows
from penstock.stores.base import chunk_numbers

SPAN = 1_000
LONGEST_KEY = 60
_ORDINAL = re.compile(r"~#(\d+)")
_INDEX = re.compile(r"0|[1-9]\d*")
_BAD_ESCAPE = re.compile(r"~(?![01#])")


@dataclass(frozen=True, slots=True)
class Focus:
    """A value in rows, either in memory (`rows`) or in the store (`entry`)."""

    path: str
    shape: Shape
    count: int
    prefix: bytes = b""
    suffix: bytes = b""
    list_path: str = ""
    rows: tuple[bytes, ...] | None = None
    entry: Entry | None = None
    ordinals: tuple[int, ...] | None = None

    def read(self, start: int, stop: int) -> Steps[list[bytes]]:
        if self.rows is not None:
            return list(self.rows[start:stop])
        assert self.entry is not None  # noqa: S101 (one of the two is always there)
        stop = min(stop, self.count)
        if start >= stop:
            return []
        numbers = chunk_numbers(self.entry.index, start, stop)
        if numbers and all(number in self.entry.chunks for number in numbers):
            return slice_rows(self.entry.index, self.entry.chunks, start, stop)
        rows: list[bytes] = yield ReadRows(self.entry, start, stop)
        return rows

    def spans(self) -> range:
        """Where to start reading, again and again, to see every row."""
        return range(0, self.count, SPAN)

    @property
    def size_at_least(self) -> int:
        """The bytes of the value, as far as they are known without reading it."""
        if self.rows is not None:
            return sum(map(len, self.rows))
        return self.entry.head.size if self.entry is not None else 0

    def whole(self) -> Steps[bytes]:
        """The value itself, put together again."""
        rows = yield from self.read(0, self.count)
        separator = b"\n" if self.shape == "lines" else b","
        return self.prefix + separator.join(rows) + self.suffix

    @property
    def envelope(self) -> bytes:
        """A dict with one list, without the elements of the list."""
        return self.prefix + self.suffix

    def row_path(self, number: int, row: bytes) -> str:
        """Where a row is in the whole result."""
        base = self.path + self.list_path
        if self.shape != "members":
            return f"{base}/{number}"
        name = rawjson.split_member(row).name
        if 0 < len(name) <= LONGEST_KEY:  # "/" alone is the whole
            return base + pointer(name)
        ordinal = self.ordinals[number] if self.ordinals is not None else number
        return f"{base}/~#{ordinal}/value"


def root(entry: Entry) -> Focus:
    """All of a stored result."""
    head = entry.head
    return Focus("", head.shape, head.count, head.prefix, head.suffix, head.list_path, entry=entry)


def of_value(raw: bytes, path: str) -> Focus:
    """A value at hand."""
    return of_document(read_json(raw), path)


def of_document(document: Document, path: str) -> Focus:
    rows = tuple(row for block in document.blocks for row in block)
    return Focus(
        path,
        document.shape,
        len(rows),
        document.prefix,
        document.suffix,
        document.list_path,
        rows=rows,
    )


def parse_pointer(path: str) -> list[str] | Refusal:
    """The steps of a pointer, unescaped but for ordinals."""
    if path in ("", "/"):
        return []
    if not path.startswith("/") or _BAD_ESCAPE.search(path):
        return Refusal(
            f"path {_shown(path)} is not a JSON Pointer.",
            "Start it with /, separate keys and 0-based indexes with /, and write / in a key "
            "as ~1 and ~ as ~0, for instance /items/0/name.",
        )
    return [
        step if _ORDINAL.fullmatch(step) else step.replace("~1", "/").replace("~0", "~")
        for step in path[1:].split("/")
    ]


def resolve(start: Focus, path: str) -> Steps[Focus | Refusal]:
    """The part of `start` that `path` points to."""
    steps = parse_pointer(path)
    if isinstance(steps, Refusal) or not steps:
        return steps if isinstance(steps, Refusal) else start
    if start.list_path:
        (list_key,) = _steps_of(start.list_path)
        if steps[0] != list_key:
            return _descend(start.envelope, steps, start.path + path)
        if len(steps) == 1:
            return Focus(
                start.path + path, "rows", start.count, b"[", b"]", rows=start.rows,
                entry=start.entry,
            )  # fmt: skip
        steps = steps[1:]
    row = yield from _find_row(start, steps[0])
    if row is None:
        return _not_there(path, start)
    return _descend(row, steps[1:], start.path + path)


def _find_row(focus: Focus, step: str) -> Steps[bytes | None]:
    """The row that a step names, as a JSON value."""
    ordinal = _ORDINAL.fullmatch(step)
    if focus.shape == "members" and ordinal is None:
        return (yield from _find_member(focus, step))
    digits = ordinal[1] if ordinal else step
    if focus.shape == "literal" or not _INDEX.fullmatch(digits) or len(digits) > 18:  # noqa: PLR2004 (digits of a 64-bit number)
        return None
    number = int(digits)
    rows = yield from focus.read(number, number + 1)
    return _as_value(focus.shape, rows[0]) if rows else None


def _as_value(shape: Shape, row: bytes) -> bytes:
    if shape == "members":
        return _as_pair(row)
    return rawjson.string(rawjson.text(row)) if shape == "lines" else row


def _as_pair(row: bytes) -> bytes:
    member = rawjson.split_member(row)
    return b'{"key":' + member.key + b',"value":' + member.value + b"}"


def _find_member(focus: Focus, name: str) -> Steps[bytes | None]:
    found = None
    for start in focus.spans():
        rows = yield from focus.read(start, start + SPAN)
        for row in rows:
            member = rawjson.split_member(row)
            if member.name == name:
                found = member.value  # the last one counts
    return found


def _descend(raw: bytes, steps: list[str], path: str) -> Focus | Refusal:
    for step in steps:
        child = _child(raw, step)
        if child is None:
            return _not_there(path, of_value(raw, ""))
        raw = child
    return of_value(raw, path)


def _child(raw: bytes, step: str) -> bytes | None:
    ordinal = _ORDINAL.fullmatch(step)
    if raw[:1] == b"{":
        if ordinal is None:
            return rawjson.fields(raw).get(step)
        entry = next(islice(rawjson.members(raw), int(ordinal[1]), None), None)
        return None if entry is None else _as_pair(entry.key + b":" + entry.value)
    if raw[:1] == b"[" and _INDEX.fullmatch(step):
        return next(islice(rawjson.elements(raw), int(step), None), None)
    return None


def _not_there(path: str, last: Focus) -> Refusal:
    if last.shape == "members":
        names = [rawjson.split_member(row).name for row in (last.rows or ())[:10]]
        there = f"The dict there has keys such as: {', '.join(_shown(name) for name in names)}."
    elif last.shape in ("rows", "lines"):
        there = f"The list there has {last.count} items, the first at index 0."
    else:
        there = "The value there has no parts."
    return Refusal(f"Nothing at path {_shown(path)}.", there + " Mode summary shows the shape.")


def _steps_of(path: str) -> list[str]:
    steps = parse_pointer(path)
    return steps if isinstance(steps, list) else []


def _shown(text: str) -> str:
    return repr(text if len(text) <= LONGEST_KEY else text[:LONGEST_KEY] + "…")
