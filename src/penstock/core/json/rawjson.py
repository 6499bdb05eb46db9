"""JSON as bytes: made compact, split and walked without being decoded.

Decoding a result to look at one page of it costs several times its size in memory, and rounds
large numbers. So a document is compacted once (`compact`), and from then on only cut: every
function below `compact` takes compact, valid JSON and returns slices of it, so numbers, escapes
and the order of keys come back as they were.

Duplicate keys are kept, in order, wherever bytes are cut; where a key is looked up, or an object
is decoded, the last one counts, as in every JSON parser of Python.
"""

from __future__ import annotations

import codecs
import json
import re
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

# Deeper values are kept and shown as text (see `penstock.core.results.document`): every decoder of Python
# recurses, and a limit that depends on the caller's own stack is none.
MAX_DEPTH = 128

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_ORDINARY_DEPTH = 6
_MOST_INT_DIGITS = 4_000


class NotJson(ValueError):
    """The bytes are not one JSON value."""


class TooDeep(ValueError):
    """The value nests deeper than MAX_DEPTH."""


class Member(NamedTuple):
    """One entry of an object, key (with its quotes) and value as they stand in the document."""

    key: bytes
    value: bytes

    @property
    def name(self) -> str:
        return str(decode(self.key))


def _container(depth: int) -> bytes:
    """A pattern for an array or object that nests at most `depth` levels further."""
    inside = rb'[^"\[\]{}]++|' + _STRING
    for _ in range(depth):
        inside = rb'[^"\[\]{}]++|' + _STRING + rb"|[\[{](?:" + inside + rb")*+[\]}]"
    return rb"[\[{](?:" + inside + rb")*+[\]}]"


@cache
def _value() -> re.Pattern[bytes]:
    """Any value of ordinary depth. Compiled at the first use, which takes a while."""
    return re.compile(
        rb"(?:" + _STRING + rb'|[^"\[\]{},:]++|' + _container(_ORDINARY_DEPTH) + rb")", re.DOTALL
    )


@cache
def _bracket() -> re.Pattern[bytes]:
    return re.compile(_STRING + rb"|[\[\]{}]", re.DOTALL)


_KEY = re.compile(_STRING, re.DOTALL)
_OPENING = ord("[")
_ROWS = msgspec.json.Decoder(list[msgspec.Raw])
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ANY = msgspec.json.Decoder()


def compact(data: bytes | msgspec.Raw) -> bytes:
    """The same JSON without white space between its tokens; `NotJson` where it is not JSON."""
    try:
        done = msgspec.json.format(data, indent=-1)
        _require_utf8(done)  # the formatter does not look inside strings
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _compact_slowly(bytes(data), error)
    return done


def _require_utf8(data: bytes, step: int = 1_000_000) -> None:
    """In steps: as text, the whole may take four times its bytes."""
    if data.isascii():
        return
    decode_step = codecs.getincrementaldecoder("utf-8")().decode
    for start in range(0, len(data), step):
        decode_step(data[start : start + step], final=start + step >= len(data))


def _compact_slowly(data: bytes, cause: Exception) -> bytes:
    """For what the fast parser refuses although it is valid: lone surrogates, and deep nesting."""
    if isinstance(cause, UnicodeDecodeError):
        raise NotJson("not UTF-8") from cause
    try:
        # As text: of bytes, the library would guess the encoding.
        json.loads(data.decode(), parse_constant=_refuse_constant, parse_int=_integer)
    except RecursionError as error:
        raise TooDeep(f"nested deeper than {MAX_DEPTH} levels") from error
    except ValueError as error:
        raise NotJson(str(error)) from error
    return squeezed(data)


def squeezed(data: bytes) -> bytes:
    """The same without white space between tokens, however deep it nests, and unchecked."""
    return re.sub(rb"(?s)(" + _STRING + rb")|[ \t\r\n]++", rb"\1", data)


def _refuse_constant(name: str) -> Any:
    raise NotJson(f"{name} is not JSON")


def decode(raw: bytes | msgspec.Raw) -> Any:
    """A Python value. The standard library takes over where the fast parser refuses."""
    try:
        return _ANY.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return json.loads(bytes(raw).decode("utf-8", "surrogatepass"), parse_int=_integer)


def _integer(digits: str) -> Any:
    """Python refuses to turn very many digits into an int, for the time it takes."""
    return int(digits) if len(digits) <= _MOST_INT_DIGITS else Decimal(digits)


def fields(raw: bytes) -> dict[str, bytes]:
    """The entries of an object by name, values as bytes."""
    try:
        return {name: bytes(value) for name, value in _FIELDS.decode(raw).items()}
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {member.name: member.value for member in members(raw)}


def require_shallow(*values: bytes) -> None:
    """`TooDeep` where a value nests deeper than MAX_DEPTH; nearly free for ordinary ones."""
    if max(map(len, values), default=0) < 2 * MAX_DEPTH:
        return
    for raw in values:
        _require_shallow(raw)


def _require_shallow(raw: bytes) -> None:
    if len(raw) < 2 * MAX_DEPTH or raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return
    if _value().fullmatch(raw):
        return  # no deeper than the pattern itself, and found out ten times as fast
    depth = 0
    for match in _bracket().finditer(raw):
        token = match.group()
        depth += (token in b"[{") - (token in b"]}") if len(token) == 1 else 0
        if depth > MAX_DEPTH:
            raise TooDeep(f"nested deeper than {MAX_DEPTH} levels")


# -- arrays ------------------------------------------------------------------------------------


def row_blocks(
    document: bytes, block_size: int = 64_000, *, start: int = 0, stop: int | None = None
) -> Iterator[list[bytes]]:
    """The elements of an array, some at a time, so that a million tiny ones cost no million
    objects at once. The array may be a part of the document, from `start` to `stop`.

    A cut is guessed at a comma that looks like a row's end, and then proved: if "[" + what lies
    before the cut + "]" parses, the cut is at the top level of the array. The parser that proves
    it splits the block as well.
    """
    position, end = start + 1, (len(document) if stop is None else stop) - 1
    boundary = b"," + _row_start(document[position : position + _LONGEST_START])
    while position < end:
        rows, position = _next_block(document, position, end, boundary, block_size)
        yield rows


_LONGEST_START = 80


def _row_start(rows: bytes) -> bytes:
    """What rows begin with, judging by the first: an object's first key, or an opening."""
    if rows[:2] == b'{"':
        colon = rows.find(b'":', 2)
        return rows[: colon + 2] if colon > 0 else b'{"'
    return rows[:1] if rows[:1] in (b"{", b"[", b'"') else b""


def _next_block(
    document: bytes, position: int, end: int, boundary: bytes, block_size: int
) -> tuple[list[bytes], int]:
    for cut in _cuts(document, position, end, boundary, block_size):
        try:
            rows = _ROWS.decode(b"[" + document[position:cut] + b"]")
        except (msgspec.DecodeError, RecursionError):
            continue  # inside a string or a nested value: not a row's end
        return list(map(bytes, rows)), cut + 1
    return _scanned_block(document, position, end, block_size)


def _cuts(
    document: bytes, position: int, end: int, boundary: bytes, block_size: int
) -> Iterator[int]:
    """A few places to try, the largest block first."""
    if end - position <= block_size:
        yield end
        return
    cut = position + block_size
    for _ in range(3):
        cut = document.rfind(boundary, position + 1, cut)
        if cut < 0:
            break
        yield cut


def _scanned_block(
    document: bytes, position: int, end: int, block_size: int
) -> tuple[list[bytes], int]:
    """One row after the other: where the guesses are wrong, and where a row is large."""
    rows: list[bytes] = []
    stop = position + block_size
    for row in _elements(document, position, end):
        rows.append(row)
        position += len(row) + 1
        if position >= stop:
            break
    return rows, position


def elements(array: bytes, position: int = 1) -> Iterator[bytes]:
    """The elements of an array, one by one, from a byte where one starts."""
    return _elements(array, position, len(array) - 1)


def _elements(document: bytes, position: int, end: int) -> Iterator[bytes]:
    while position < end:
        stop = _value_end(document, position)
        yield document[position:stop]
        position = stop + 1


# -- objects -----------------------------------------------------------------------------------


def members(document: bytes) -> Iterator[Member]:
    """The entries of an object, in order, duplicates too."""
    position, end = 1, len(document) - 1
    while position < end:
        colon = _match_end(_KEY, document, position)
        stop = _value_end(document, colon + 1)
        yield Member(document[position:colon], document[colon + 1 : stop])
        position = stop + 1


def member_spans(document: bytes) -> list[tuple[bytes, int, bool]]:
    """Of each entry of an object: its key, the length of its value, and whether that is a list.

    The parser knows the lengths, so that a list of millions of bytes is not scanned again. It
    keeps only the last of duplicate keys: then a step of the walk meets another key than the
    parser did, or the walk ends before the object does, and it is scanned after all.
    """
    try:
        named = _FIELDS.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _scanned_spans(document)
    spans, position = [], 1
    for name, raw in named.items():
        key = _KEY.match(document, position)
        if key is None or decode(key.group()) != name:
            return _scanned_spans(document)
        value = memoryview(raw)
        spans.append((key.group(), len(value), value[0] == _OPENING))
        position = key.end() + 1 + len(value) + 1
    return spans if position == len(document) else _scanned_spans(document)


def _scanned_spans(document: bytes) -> list[tuple[bytes, int, bool]]:
    return [(key, len(value), value[:1] == b"[") for key, value in members(document)]


def split_member(raw: bytes) -> Member:
    """A `"key":value` that was cut out of an object."""
    colon = _match_end(_KEY, raw, 0)
    return Member(raw[:colon], raw[colon + 1 :])


def _value_end(document: bytes, position: int) -> int:
    match = _value().match(document, position)
    if match is not None:
        return match.end()
    return _deep_end(document, position)


def _deep_end(document: bytes, position: int) -> int:
    depth = 0
    for match in _bracket().finditer(document, position):
        token = match.group()
        if len(token) == 1:
            depth += 1 if token in b"[{" else -1
            if depth == 0:
                return match.end()
    raise NotJson("unbalanced brackets")


def _match_end(pattern: re.Pattern[bytes], document: bytes, position: int) -> int:
    match = pattern.match(document, position)
    if match is None:
        raise NotJson(f"no key at byte {position}")
    return match.end()


# -- strings -----------------------------------------------------------------------------------


def string(text: str) -> bytes:
    """A JSON string, without `\\u` escapes but for what UTF-8 cannot hold."""
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:
        return json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace")


def utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
