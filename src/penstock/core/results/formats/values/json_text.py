"""JSON with white space between its tokens, as tools write it for people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from msgspec.structs import replace

from penstock.core.json import rawjson
from penstock.core.json.pointers import pointer
from penstock.core.json.surrogates import has_half_pair
from penstock.core.results.formats.cut import BLOCK_BYTES, NearMiss, TextCut, ValueFrame, grouped
from penstock.core.results.geojson import row_list

# Every page carries the other members of a dict with one list. If they are larger than this, the
# pages show the members of the dict instead.
LARGEST_ENVELOPE: Final = 8_000
# The reading of a text without white space between its tokens. Its rows are JSON as they are.
COMPACT: Final = b"compact"
_MEMBERS: Final = b"members"  # the reading of a dict: a member is not a value by itself
_GAP: Final = re.compile(rb"[ \t\r\n]*+")
_COMMA: Final = re.compile(rb"[ \t\r\n]*+,[ \t\r\n]*+")
_COLON: Final = re.compile(rb"[ \t\r\n]*+:[ \t\r\n]*+")
_BETWEEN: Final = rawjson.WHITE + b","
_LONGEST_START: Final = 200
_LONGEST_KIND: Final = 40
CUT_OFF: Final = "it is cut off: a bracket or a quote is not closed"
# A key, or the start of an object in a list: prose and code in brackets do not begin so.
_PLAIN_START: Final = re.compile(rb'[ \t\r\n\[]*+\{[ \t\r\n]*+"[^"\\\n]*+"[ \t\r\n]*+:')


class _Member(NamedTuple):
    """The places of a member in its text."""

    key_at: int
    key_end: int
    value_at: int
    end: int


class JsonText:
    """A list or dict in JSON, in any spelling."""

    has_free_cells = False
    is_one_value = True
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        opening = _gap_end(text, 0)
        if text[opening : opening + 1] not in (b"[", b"{"):
            return None
        try:
            compact = rawjson.compact(text)
        except rawjson.NotJson as error:
            return self._near_miss(text, opening, error)
        is_compact = len(compact) == len(text)
        if not is_compact:
            rawjson.require_shallow_rows(compact)
        return replace(self.cut(text), is_compact=is_compact)

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        if reading == COMPACT:
            return [*rows]
        parts = (row.rstrip(_BETWEEN) for row in rows)
        if reading == _MEMBERS:
            return [rawjson.compact(b"{" + part + b"}")[1:-1] for part in parts]
        return [*map(rawjson.compact, parts)]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        del reading
        return ValueFrame(rawjson.squeezed(prefix), rawjson.squeezed(suffix))

    # -- the notation, also inside a text ----------------------------------------------------------

    def value_end(self, text: bytes, start: int) -> int | None:
        try:
            return rawjson.value_end(text, start)
        except rawjson.NotJson:
            return None

    def compacted(self, value: bytes) -> bytes:
        done = rawjson.compact(value)
        rawjson.require_shallow_rows(done)
        return done

    def cut(self, value: bytes) -> TextCut:
        return _cut_json(value)

    def is_plain(self, text: bytes, start: int) -> bool:
        return _PLAIN_START.match(text, start) is not None

    def notices(self, value: bytes) -> tuple[str, ...]:
        del value
        return ()

    def _near_miss(self, text: bytes, opening: int, error: rawjson.NotJson) -> NearMiss | None:
        """Return the place of the error, if one list or dict was meant to be the whole text."""
        if not self.is_plain(text, opening):
            return None
        end, cause = self.value_end(text, opening), error.__cause__
        if end is None:
            return NearMiss(CUT_OFF)
        if text[end:].strip(rawjson.WHITE):
            return None
        if b"NaN" in text or b"Infinity" in text:  # as Python's `json` writes it
            return NearMiss("NaN and Infinity are not JSON")
        if not isinstance(cause, json.JSONDecodeError):
            return None
        return NearMiss(f"line {cause.lineno} is not JSON (column {cause.colno})")


def _cut_json(text: bytes) -> TextCut:
    """Cut valid JSON, a list or a dict."""
    opening = _gap_end(text, 0)
    closing = len(text.rstrip(rawjson.WHITE)) - 1
    if text[opening : opening + 1] == b"[":
        return _cut_list(text, opening, closing)
    members = _members(text, opening, closing)
    lists = [member for member in members if text[member.value_at : member.value_at + 1] == b"["]
    names = [_name(text, member) for member in lists]
    number = row_list(names, _kind(text, members) if len(lists) > 1 else None)
    if number is not None:
        found, name = lists[number], names[number]
        around = len(text) - (found.end - found.value_at)
        if around <= LARGEST_ENVELOPE and not has_half_pair(name):
            return _cut_list(text, found.value_at, found.end - 1, pointer(name))
    if not members:
        return TextCut("members", iter(()), text[:closing], text[closing:])
    first, last = members[0].key_at, members[-1].end
    starts = [*(member.key_at for member in members), last]
    rows = (text[start:stop] for start, stop in pairwise(starts))
    return TextCut("members", grouped(rows), text[:first], text[last:], reading=_MEMBERS)


def _kind(text: bytes, members: list[_Member]) -> object:
    """Return the member `type`, if it is short."""
    for member in members:
        value = text[member.value_at : min(member.end, member.value_at + _LONGEST_KIND)]
        is_kind = text[member.key_at : member.key_end] == b'"type"'
        if is_kind and member.end - member.value_at == len(value):
            return rawjson.decode(value)
    return None


def _name(text: bytes, member: _Member) -> str:
    return str(rawjson.decode(text[member.key_at : member.key_end]))


# -- lists -------------------------------------------------------------------------------------


def _cut_list(text: bytes, opening: int, closing: int, list_path: str = "") -> TextCut:
    """Cut the list between these brackets. A row reaches to the start of the next."""
    first = _gap_end(text, opening + 1)
    rows = _row_blocks(text, first, closing)
    return TextCut("rows", rows, text[:first], text[closing:], list_path=list_path)


def _row_blocks(text: bytes, position: int, end: int) -> Iterator[list[bytes]]:
    """Yield rows in blocks. As in `rawjson.row_blocks`, a block is cut where a row seems to start,
    and parsing the block proves the guess."""
    key = text.find(b'":', position, position + _LONGEST_START)
    row_start = text[position : key + 2] if key > 0 else text[position : position + 1]
    while position < end:
        stop = _block_end(text, position, end, row_start)
        rows = None if stop is None else _parsed(text, position, stop)
        if rows is None:
            rows = [*_scanned(text, position, end)]
        yield rows
        position += sum(map(len, rows))


def _block_end(text: bytes, position: int, end: int, row_start: bytes) -> int | None:
    """Guess where a row starts, about a block from here."""
    if end - position <= BLOCK_BYTES:
        return end
    found = text.rfind(row_start, position + 1, position + BLOCK_BYTES)
    is_after_comma = text[position:found].rstrip(rawjson.WHITE)[-1:] == b"," if found > 0 else False
    return found if is_after_comma else None


def _parsed(text: bytes, position: int, stop: int) -> list[bytes] | None:
    """Return the rows from here to there; None if these are not whole rows."""
    try:
        values = rawjson.raw_elements(b"[" + text[position:stop].rstrip(_BETWEEN) + b"]")
    except rawjson.NotJson:
        return None
    rows: list[bytes] = []
    for value in values:
        comma = _COMMA.match(text, position + len(memoryview(value)), stop)
        after = stop if comma is None else comma.end()
        rows.append(text[position:after])
        position = after
    return rows if position == stop else None


def _scanned(text: bytes, position: int, end: int) -> Iterator[bytes]:
    """Yield about a block of rows, one by one. Needed for rows that are larger than a block, or
    that hold the start of a row."""
    stop = position + BLOCK_BYTES
    while position < min(end, stop):
        comma = _COMMA.match(text, rawjson.value_end(text, position), end)
        after = end if comma is None else comma.end()
        yield text[position:after]
        position = after


# -- dicts -------------------------------------------------------------------------------------


def _members(text: bytes, opening: int, closing: int) -> list[_Member]:
    """Return the places of the members. The parser knows the lengths of values, so that these need
    not be scanned. Of members with the same key, it knows only the last: then all are scanned."""
    inside = _gap_end(text, opening + 1)
    return _known_members(text, inside, closing) or [*_scanned_members(text, inside, closing)]


def _known_members(text: bytes, position: int, closing: int) -> list[_Member]:
    found: list[_Member] = []
    for name, length in rawjson.member_lengths(text):
        member = _member_at(text, position, length)
        if member is None or rawjson.decode(text[member.key_at : member.key_end]) != name:
            return []
        found.append(member)
        position = _after_comma(text, member.end)
    return found if position == closing else []


def _scanned_members(text: bytes, position: int, closing: int) -> Iterator[_Member]:
    while position < closing:
        member = _member_at(text, position)
        assert member is not None  # noqa: S101 (the text is valid)
        yield member
        position = _after_comma(text, member.end)


def _member_at(text: bytes, position: int, length: int | None = None) -> _Member | None:
    """Return the member that starts there. `length`: of its value, if it is known."""
    if text[position : position + 1] != b'"':
        return None
    key_end = rawjson.value_end(text, position)
    colon = _COLON.match(text, key_end)
    if colon is None:
        return None
    end = rawjson.value_end(text, colon.end()) if length is None else colon.end() + length
    return _Member(position, key_end, colon.end(), end)


def _after_comma(text: bytes, position: int) -> int:
    comma = _COMMA.match(text, position)
    return _gap_end(text, position) if comma is None else comma.end()


def _gap_end(text: bytes, position: int) -> int:
    found = _GAP.match(text, position)
    return found.end() if found is not None else position
