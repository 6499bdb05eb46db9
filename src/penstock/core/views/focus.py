"""The focus of a view: the whole result, or the part that `path` points to.

The rows of a focus are in memory or in the store. Rows of a text that holds data are parts of the
text there, and are decoded when they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, islice
from typing import NamedTuple

from penstock.core.json import rawjson
from penstock.core.json.pointers import pointer
from penstock.core.model.effects import Entry, ReadChunks, ReadWindow, Steps
from penstock.core.model.store import chunk_numbers
from penstock.core.model.stored import Head, Live, Shape
from penstock.core.model.values import LiveWindow
from penstock.core.results import formats
from penstock.core.results.decoding import decoded
from penstock.core.results.document import (
    Document,
    read_json,
    read_members,
    read_text,
    read_text_with_data,
)
from penstock.core.results.packing import chunks_of_rows, pick_rows, slice_rows

SPAN = 1_000
LONGEST_KEY = 60


class Ahead(NamedTuple):
    """Rows that were read ahead: all up to `stop`, unless a live list has become shorter."""

    start: int
    stop: int
    rows: tuple[bytes, ...]

    def holds(self, start: int, stop: int) -> bool:
        return self.start <= start and stop <= self.stop


@dataclass(frozen=True, slots=True)
class InText:
    """The text in which the rows of a focus are data. The prefix, the rows as they are kept, with
    `joint` between them, and the suffix are the text."""

    format: str
    prefix: bytes
    suffix: bytes
    joint: bytes
    before: bytes  # the text before the data
    after: bytes


@dataclass(frozen=True, slots=True)
class Focus:
    """A value in rows, which are either in memory or in the store."""

    path: str
    shape: Shape
    count: int
    prefix: bytes = b""
    suffix: bytes = b""
    list_path: str = ""
    rows: tuple[bytes, ...] | None = None  # the rows in memory, as they are kept
    entry: Entry | None = None  # the entry whose rows are in the store, otherwise
    ordinals: tuple[int, ...] | None = None  # of `rows` in their dict, if some members are left out
    ahead: Ahead | None = None
    # Makes JSON of rows as they are kept.
    decode: Callable[[list[bytes]], list[bytes]] | None = None
    in_text: InText | None = None  # set if the value is a text that holds data
    has_text_blocks: bool = False  # as in `Document`
    notices: tuple[str, ...] = ()  # about a text inside the result, which the probe does not tell
    is_section: bool = False  # the value is a section of a document

    def read(self, start: int, stop: int) -> Steps[list[bytes]]:
        """Return rows as JSON, lines as they are."""
        return self._decoded((yield from self.kept(start, stop)))

    def kept(self, start: int, stop: int) -> Steps[list[bytes]]:
        """Return rows as they are kept: those of a text that holds data are parts of the text."""
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
        index = self.entry.index
        numbers = chunk_numbers(index, start, stop)
        chunks = yield from self._chunks(self.entry, numbers)
        return slice_rows(index, chunks, numbers, start, stop, self.entry.head.joint)

    def _decoded(self, kept: list[bytes]) -> list[bytes]:
        return kept if self.decode is None else self.decode(kept)

    def pick(self, rows: Sequence[int]) -> Steps[list[bytes]]:
        """Read rows in any order."""
        if self.rows is not None:
            return self._decoded([self.rows[row] for row in rows])
        assert self.entry is not None  # noqa: S101 (one of the two is always there)
        index = self.entry.index
        chunks = yield from self._chunks(self.entry, chunks_of_rows(index, rows))
        return self._decoded(pick_rows(index, chunks, rows, self.entry.head.joint))

    def only(self, rows: Sequence[bytes], ordinals: Sequence[int]) -> Focus:
        """Return the focus with only these rows, in JSON, and their numbers among all."""
        return replace(
            self,
            count=len(rows),
            rows=tuple(rows),
            ordinals=tuple(ordinals),
            entry=None,
            decode=None,
            in_text=None,
        )

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
        return self.in_text is not None and self.in_text.format == formats.JSON

    @property
    def is_log(self) -> bool:
        """Whether the value is a text that is a log, whose rows are its entries."""
        return self.in_text is not None and self.in_text.format == formats.LOG

    @property
    def is_text(self) -> bool:
        """Whether the value is a text, with data in it or without."""
        return self.shape == "lines" or self.in_text is not None

    @property
    def has_sections(self) -> bool:
        """Whether the rows are the sections of a document."""
        return self.in_text is not None and formats.has_sections(self.in_text.format)

    def text(self) -> Steps[bytes]:
        """Return the text of a value, to the byte."""
        if self.in_text is None:
            return (yield from self.whole())
        rows = yield from self.kept(0, self.count)
        return self.in_text.prefix + self.in_text.joint.join(rows) + self.in_text.suffix

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
        if self.has_twin(place):
            return by_ordinal(place.number)
        return member_step(place.number, place.member)

    def has_twin(self, place: Place) -> bool:
        """Return whether a later member has the same key."""
        later = islice(rawjson.members(self.envelope), place.number + 1, None)
        return any(member.name == place.member.name for member in later)

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
    return next(place for place in places if _is_list_at(place.member, focus.list_path))


def _is_list_at(member: rawjson.Member, list_path: str) -> bool:
    return member.value[:1] == b"[" and pointer(member.name) == list_path


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
    return _with_format(focus, head)


def of_value(raw: bytes, path: str) -> Focus:
    """Return the focus on a value in memory. A text that holds data is shown as the data."""
    if raw[:1] != b'"':
        return of_document(read_json(raw), path)
    try:
        return of_document(read_text_with_data(str(rawjson.decode(raw))), path)
    except rawjson.TooDeep:
        return of_text(raw, path)


def of_section(raw: bytes, path: str) -> Focus:
    """Return the focus on a section of a document: on its members, even if only one is a list."""
    return replace(of_document(read_members(raw), path), is_section=True)


def of_text(raw: bytes, path: str) -> Focus:
    """Return the focus on the lines of a string, whatever it holds."""
    return of_document(read_text(str(rawjson.decode(raw))), path)


def of_document(document: Document, path: str) -> Focus:
    rows = tuple(row for block in document.blocks for row in block)
    around = document.prefix, document.suffix
    focus = Focus(path, document.shape, len(rows), *around, document.list_path, rows=rows)
    focus = replace(focus, notices=document.all_notices)
    return _with_format(focus, document)


def _with_format(focus: Focus, about: Document | Head) -> Focus:
    """Return the focus on the data in a text, or in texts, in place of the texts."""
    if not (about.format or about.has_text_blocks):
        return focus
    decode = partial(decoded, about)
    if not about.format:
        return replace(focus, decode=decode, has_text_blocks=True)
    frame = formats.frame_of(about.format, about.prefix, about.suffix, about.reading)
    return replace(
        focus,
        prefix=frame.prefix,
        suffix=frame.suffix,
        decode=decode,
        in_text=InText(
            about.format,
            about.prefix,
            about.suffix,
            about.joint,
            frame.text_before,
            frame.text_after,
        ),
    )
