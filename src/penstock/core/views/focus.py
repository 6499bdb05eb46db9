"""The focus of a view: the whole result, or the part that `path` points to.

`path` is a JSON Pointer with two additions. `/~#3` is the fourth member of a dict, as {"key",
"value"}. It is for keys that occur twice, are too long for a reply, or are not printable. `/~text`
at the end is the exact text, if the value is a text that holds data.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import NamedTuple

from penstock.core.json import rawjson
from penstock.core.json.pointers import pointer, unescaped
from penstock.core.model.effects import Entry, ReadChunks, ReadWindow, Steps
from penstock.core.model.store import chunk_numbers
from penstock.core.model.stored import Live, Shape
from penstock.core.model.values import LiveWindow, Refusal
from penstock.core.results import formats
from penstock.core.results.document import Document, read_json, read_text, read_text_with_data
from penstock.core.results.packing import chunks_of_rows, kind_of, pick_rows, slice_rows

SPAN = 1_000
_NAMED = 10
_NO_PARTS = "The value there has no parts."
LONGEST_KEY = 60
# At most 18 digits, so that the number fits 64 bits.
_ORDINAL = re.compile(r"~#([0-9]{1,18})")
_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")
_BAD_ESCAPE = re.compile(r"~(?![01#])")


# At the end of a path, leads to the lines of a text that holds data. It is no key: `~t` is not a
# valid escape in a JSON Pointer.
TEXT_STEP = "/~text"


class Ordinal(int):
    """A step to a member of a dict by its number."""


Step = str | Ordinal


class Ahead(NamedTuple):
    """Rows that were read ahead: all up to `stop`, unless a live list has become shorter."""

    start: int
    stop: int
    rows: tuple[bytes, ...]

    def holds(self, start: int, stop: int) -> bool:
        return self.start <= start and stop <= self.stop


@dataclass(frozen=True, slots=True)
class Focus:
    """A value in rows, which are either in memory or in the store."""

    path: str
    shape: Shape
    count: int
    prefix: bytes = b""
    suffix: bytes = b""
    list_path: str = ""
    rows: tuple[bytes, ...] | None = None  # the rows in memory
    entry: Entry | None = None  # the entry whose rows are in the store, otherwise
    ordinals: tuple[int, ...] | None = None  # of `rows` in their dict, if some members are left out
    ahead: Ahead | None = None
    # Of a text with data: the text, or "" if the entry has it; and the text around the data.
    text_in_memory: bytes | None = None
    format_name: str = ""
    around: tuple[bytes, bytes] = (b"", b"")

    def read(self, start: int, stop: int) -> Steps[list[bytes]]:
        if self.rows is not None:
            return list(self.rows[start:stop])
        assert self.entry is not None  # noqa: S101 (one of the two is always set)
        stop = min(stop, self.count)
        if start >= stop:
            return []
        if self.ahead is not None and self.ahead.holds(start, stop):
            return list(self.ahead.rows[start - self.ahead.start : stop - self.ahead.start])
        if isinstance(self.entry.head.source, Live):
            window: LiveWindow = yield ReadWindow(self.entry, start, stop)
            return list(window.rows)
        return self._decoded((yield from self._parts(start, stop)))

    def _parts(self, start: int, stop: int) -> Steps[list[bytes]]:
        """Return rows as they are in the store."""
        assert self.entry is not None  # noqa: S101 (only these rows are in the store)
        head, index = self.entry.head, self.entry.index
        numbers = chunk_numbers(index, start, stop)
        chunks = yield from self._chunks(self.entry, numbers)
        return slice_rows(index, chunks, numbers, start, stop, kind_of(head))

    def _decoded(self, parts: list[bytes]) -> list[bytes]:
        head = self.entry.head if self.entry is not None else None
        if head is None or not head.format:
            return parts
        return formats.decoded(head.format, parts, head.reading)

    def pick(self, rows: Sequence[int]) -> Steps[list[bytes]]:
        """Read rows in any order."""
        if self.rows is not None:
            return [self.rows[row] for row in rows]
        assert self.entry is not None  # noqa: S101 (one of the two is always there)
        chunks = yield from self._chunks(self.entry, chunks_of_rows(self.entry.index, rows))
        head = self.entry.head
        parts = pick_rows(self.entry.index, chunks, rows, kind_of(head))
        return self._decoded(parts)

    def _chunks(self, entry: Entry, numbers: Sequence[int]) -> Steps[Mapping[int, bytes]]:
        """Return chunks: those that were loaded with the entry, if all are there, else read them."""
        if all(number in entry.chunks for number in numbers):
            return {number: entry.chunks[number] for number in numbers}
        chunks: Sequence[bytes] = yield ReadChunks(entry, numbers)
        return dict(zip(numbers, chunks, strict=True))

    def spans(self) -> range:
        """Return the starts of the spans in which to read every row."""
        return range(0, self.count, SPAN)

    @property
    def size_at_least(self) -> int:
        """The bytes of the value, as far as known without reading it."""
        if self.rows is not None:
            return sum(map(len, self.rows))
        return self.entry.head.size if self.entry is not None else 0

    def whole(self) -> Steps[bytes]:
        """Return the whole value, joined again."""
        rows = yield from self.read(0, self.count)
        separator = b"\n" if self.shape == "lines" else b","
        return self.prefix + separator.join(rows) + self.suffix

    @property
    def is_json_text(self) -> bool:
        """Whether the value is a text that is JSON, and nothing else."""
        return self.text_in_memory is not None and self.format_name == "json"

    @property
    def is_text(self) -> bool:
        """Whether the value is a text, with data in it or without."""
        return self.shape == "lines" or self.text_in_memory is not None

    def text(self) -> Steps[bytes]:
        """Return the text of a value, to the byte."""
        if self.shape == "lines":
            return (yield from self.whole())
        if self.entry is None or self.text_in_memory:
            return self.text_in_memory or b""
        parts = yield from self._parts(0, self.count)
        head = self.entry.head
        return head.prefix + (b"\n" if head.are_lines else b"").join(parts) + head.suffix

    @property
    def envelope(self) -> bytes:
        """The dict with one list, without the elements of the list."""
        return self.prefix + self.suffix

    def row_path(self, number: int, row: bytes, *, by_number: bool = False) -> str:
        """Return the path of a row in the whole result."""
        if self.shape != "members":
            place = list_place(self)
            return f"{self.path}{'' if place is None else self._list_step(place)}/{number}"
        ordinal, member = self.ordinal(number), rawjson.split_member(row)
        return self.path + (by_ordinal(ordinal) if by_number else member_step(ordinal, member))

    def _list_step(self, place: Place) -> str:
        """Return the step to the one list of a dict: by key, unless a later member has the same."""
        later = islice(rawjson.members(self.envelope), place.number + 1, None)
        if any(member.name == place.member.name for member in later):
            return by_ordinal(place.number)
        return member_step(place.number, place.member)

    def ordinal(self, number: int) -> int:
        """Return the number of a row among all members of its dict."""
        return self.ordinals[number] if self.ordinals is not None else number


class Place(NamedTuple):
    """A member of a dict, and its number."""

    number: int
    member: rawjson.Member


def list_place(focus: Focus) -> Place | None:
    """Return the place of the one list of a dict, if the elements of that list are the rows."""
    if not focus.list_path:
        return None
    places = map(Place, count(), rawjson.members(focus.envelope))
    return next(place for place in places if place.member.value[:1] == b"[")


def member_step(number: int, member: rawjson.Member) -> str:
    """Return the step to a member's value: by key if a reply can show the key, else by number."""
    name = member.name
    if name and len(member.key) <= LONGEST_KEY and name.isprintable():
        return pointer(name)
    return by_ordinal(number)


def by_ordinal(number: int) -> str:
    return f"/~#{number}/value"


def root(entry: Entry) -> Focus:
    """Return the focus on a whole stored result."""
    head = entry.head
    focus = Focus("", head.shape, head.count, head.prefix, head.suffix, head.list_path, entry=entry)
    if not head.format:
        return focus
    return _framed(focus, head.format, head.reading, text=b"")


def of_value(raw: bytes, path: str) -> Focus:
    """Return the focus on a value in memory. A text that holds data is shown as the data."""
    if raw[:1] == b'"':
        return of_document(read_text_with_data(str(rawjson.decode(raw))), path)
    return of_document(read_json(raw), path)


def of_document(document: Document, path: str) -> Focus:
    rows = [row for block in document.blocks for row in block]
    focus = Focus(
        path,
        document.shape,
        len(rows),
        document.prefix,
        document.suffix,
        document.list_path,
        rows=tuple(document.decoded(rows)),
    )
    if not document.format:
        return focus
    text = document.prefix + document.separator.join(rows) + document.suffix
    return _framed(focus, document.format, document.reading, text)


def _framed(focus: Focus, format_name: str, reading: bytes, text: bytes) -> Focus:
    """Return a focus on the data in a text, in place of its parts."""
    frame = formats.frame_of(format_name, focus.prefix, focus.suffix, reading)
    return replace(
        focus,
        prefix=frame.prefix,
        suffix=frame.suffix,
        around=(frame.text_before, frame.text_after),
        format_name=format_name,
        text_in_memory=text,
    )


def parse_pointer(path: str) -> list[Step] | Refusal:
    """Return the steps of a pointer, unescaped."""
    if path in ("", "/"):
        return []
    if not path.startswith("/") or _BAD_ESCAPE.search(path):
        return Refusal(
            f"path {_shown(path)} is not a JSON Pointer.",
            "Start it with /, separate keys and 0-based indexes with /, and write / in a key "
            "as ~1 and ~ as ~0, for instance /items/0/name.",
        )
    return [_step(text) for text in path[1:].split("/")]


def _step(text: str) -> Step:
    ordinal = _ORDINAL.fullmatch(text)
    return Ordinal(ordinal[1]) if ordinal else unescaped(text)


def resolve(start: Focus, path: str) -> Steps[Focus | Refusal]:
    """Return the part of `start` that `path` points to."""
    if path.endswith(TEXT_STEP):
        return (yield from _text_at(start, path))
    steps = parse_pointer(path)
    if isinstance(steps, Refusal) or not steps:
        return steps if isinstance(steps, Refusal) else start
    place = list_place(start)
    if place is not None:
        rows = replace(
            start,
            path=start.path + path,
            prefix=b"[",
            suffix=b"]",
            list_path="",
            text_in_memory=None,
        )
        if steps == [Ordinal(place.number)]:
            return of_value(_pair(place.member.key, (yield from rows.whole())), rows.path)
        below = _below_list(place, steps)
        if below is None:
            return _descend(start.envelope, steps, rows.path, place)
        if not below:
            return rows
        start, steps = replace(rows, path=start.path), below
    row = yield from _find_row(start, steps[0])
    if row is None:
        return _not_there(path, (yield from _parts_of(start)))
    return _descend(row, steps[1:], start.path + path)


def _text_at(start: Focus, path: str) -> Steps[Focus | Refusal]:
    """Return the lines of a text, also if it holds data."""
    focus = yield from resolve(start, path.removesuffix(TEXT_STEP))
    if isinstance(focus, Refusal) or focus.shape == "lines":
        return focus if isinstance(focus, Refusal) else replace(focus, path=start.path + path)
    if not focus.is_text:
        return Refusal(
            f"There is no text at path {_shown(path)}.",
            f"{TEXT_STEP} follows the path of a text; mode full returns any other value.",
        )
    text = yield from focus.text()
    return of_document(read_text(rawjson.text(text)), start.path + path)


def _below_list(place: Place, steps: list[Step]) -> list[Step] | None:
    """Return the steps after the one list, or None if the steps do not lead into it."""
    if steps[:1] == [place.member.name]:
        return steps[1:]
    return steps[2:] if steps[:2] == [Ordinal(place.number), "value"] else None


def _find_row(focus: Focus, step: Step) -> Steps[bytes | None]:
    """Return the row that a step names, as a JSON value."""
    if focus.shape == "members" and isinstance(step, str):
        return (yield from find_member(focus, step))
    is_entry = isinstance(step, Ordinal) and focus.shape == "members"
    if focus.shape == "literal" or not (is_entry or _is_index(step)):
        return None
    number = int(step)
    rows = yield from focus.read(number, number + 1)
    return _as_value(focus.shape, rows[0]) if rows else None


def _is_index(step: Step) -> bool:
    return isinstance(step, str) and _INDEX.fullmatch(step) is not None


def _as_value(shape: Shape, row: bytes) -> bytes:
    if shape == "members":
        return _as_pair(row)
    return rawjson.string(rawjson.text(row)) if shape == "lines" else row


def _as_pair(row: bytes) -> bytes:
    return _pair(*rawjson.split_member(row))


def _pair(key: bytes, value: bytes) -> bytes:
    return b'{"key":' + key + b',"value":' + value + b"}"


def find_member(focus: Focus, name: str) -> Steps[bytes | None]:
    """Return the value of the member with this key, or None."""
    found = None
    for start in focus.spans():
        rows = yield from focus.read(start, start + SPAN)
        for row in rows:
            member = rawjson.split_member(row)
            if member.name == name:
                found = member.value  # the last duplicate wins
    return found


def _descend(
    raw: bytes, steps: list[Step], path: str, place: Place | None = None
) -> Focus | Refusal:
    for step in steps:
        child = _child(raw, step)
        if child is None:
            rows = f" Its rows are under {_shown(pointer(place.member.name))}." if place else ""
            return _not_there(path, _parts(raw) + rows)
        raw, place = child, None
    return of_value(raw, path)


def _child(raw: bytes, step: Step) -> bytes | None:
    if raw[:1] == b"{":
        if isinstance(step, str):
            return rawjson.fields(raw).get(step)
        entry = next(islice(rawjson.members(raw), step, None), None)
        return None if entry is None else _pair(*entry)
    if raw[:1] == b"[" and _is_index(step):
        return next(islice(rawjson.elements(raw), int(step), None), None)
    if raw[:1] == b'"':
        return _child_of_text(of_value(raw, ""), step)
    return None


def _child_of_text(text: Focus, step: Step) -> bytes | None:
    """Return a part of the data in a text, or a line of a text without data."""
    rows = text.rows or ()
    if text.is_text and text.shape != "lines":
        return _child(text.prefix + b",".join(rows) + text.suffix, step)
    if not _is_index(step) or int(step) >= len(rows):
        return None
    return rawjson.string(rawjson.text(rows[int(step)]))


def _parts_of(focus: Focus) -> Steps[str]:
    """Describe the parts of a value in which a step was not found."""
    if focus.shape == "members":
        rows = yield from focus.read(0, _NAMED)
        return _names([rawjson.split_member(row).name for row in rows], focus.count)
    if focus.shape == "literal":
        return _NO_PARTS
    kind = "lines" if focus.shape == "lines" else "items"
    return f"There are {focus.count} {kind} there, the first at index 0."


def _parts(raw: bytes) -> str:
    if raw[:1] == b"{":
        names = [member.name for member in rawjson.members(raw)]
        return _names(names[:_NAMED], len(names))
    if raw[:1] == b"[":
        items = sum(1 for _ in rawjson.elements(raw))
        return f"There are {items} items there, the first at index 0."
    if raw[:1] == b'"':
        lines = str(rawjson.decode(raw)).count("\n") + 1
        return f"There are {lines} lines there, the first at index 0."
    return _NO_PARTS


def _names(names: list[str], total: int) -> str:
    more = f" and {total - len(names)} more" if total > len(names) else ""
    return f"The keys there are {', '.join(map(_shown, names))}{more}." if names else "It is empty."


def _not_there(path: str, there: str) -> Refusal:
    return Refusal(f"Nothing at path {_shown(path)}.", f"{there} Mode summary shows the shape.")


def _shown(text: str) -> str:
    return repr(text if len(text) <= LONGEST_KEY else text[:LONGEST_KEY] + "…")
