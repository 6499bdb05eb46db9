"""JSON as bytes: compacted, split and walked without decoding.

Decoding a result to show one page of it takes several times its size in memory, and rounds large
numbers. So `compact` runs once on a document, and all later steps only cut it. Every function below
`compact` takes compact, valid JSON and returns slices of it, so numbers, escapes and the order of
keys stay unchanged.

Cutting keeps duplicate keys, in order. A lookup of a key, or the decoding of an object, uses the
last duplicate, as Python's JSON parsers do.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from penstock.core.json.utf8 import require_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Deeper values are kept and shown as text (see `penstock.core.results.blocks`). Python's decoders
# recurse, and without a fixed limit the depth they reach would depend on the caller's stack.
MAX_DEPTH = 128
WHITE = b" \t\r\n"  # may stand between tokens

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_ORDINARY_DEPTH = 6
_MOST_INT_DIGITS = 4_000


class NotJson(ValueError):
    """The bytes are not one JSON value."""


class TooDeep(ValueError):
    """The value nests deeper than MAX_DEPTH."""


class Member(NamedTuple):
    """One member of an object: the key (with its quotes) and the value, as in the document."""

    key: bytes
    value: bytes

    @property
    def name(self) -> str:
        return str(decode(self.key))


def _container(depth: int) -> bytes:
    """Return a pattern for an array or object with at most `depth` levels inside."""
    inside = rb'[^"\[\]{}]++|' + _STRING
    for _ in range(depth):
        inside = rb'[^"\[\]{}]++|' + _STRING + rb"|[\[{](?:" + inside + rb")*+[\]}]"
    return rb"[\[{](?:" + inside + rb")*+[\]}]"


@cache
def _value() -> re.Pattern[bytes]:
    """Return the pattern of a value of ordinary depth. It compiles slowly, so at its first use."""
    return re.compile(
        rb"(?:" + _STRING + rb'|[^"\[\]{},:]++|' + _container(_ORDINARY_DEPTH) + rb")", re.DOTALL
    )


@cache
def _bracket() -> re.Pattern[bytes]:
    """Return the pattern of a bracket or a string. A string that is not closed reaches to the end of the
    text: if it did not match, the search would go through the rest of the text from each quote."""
    return re.compile(_STRING[:-1] + rb'(?:"|\\?+\Z)|[\[\]{}]', re.DOTALL)


_KEY = re.compile(_STRING, re.DOTALL)
_OPENING = ord("[")
_ROWS = msgspec.json.Decoder(list[msgspec.Raw])
_FIELDS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ANY = msgspec.json.Decoder()


def compact(data: bytes | msgspec.Raw) -> bytes:
    """Return the JSON without white space between its tokens. Raise `NotJson` for anything else."""
    try:
        done = msgspec.json.format(data, indent=-1)
        require_utf8(done)  # the formatter does not look inside strings
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _compact_slowly(bytes(data), error)
    return done


def _compact_slowly(data: bytes, cause: Exception) -> bytes:
    """Compact valid JSON that the fast parser refuses: lone surrogates and deep nesting."""
    if isinstance(cause, UnicodeDecodeError):
        raise NotJson("not UTF-8") from cause
    try:
        # Decode first: given bytes, `json.loads` would guess the encoding.
        json.loads(data.decode(), parse_constant=_refuse_constant, parse_int=_integer)
    except RecursionError as error:
        raise TooDeep(f"nested deeper than {MAX_DEPTH} levels") from error
    except ValueError as error:
        raise NotJson(str(error)) from error
    return squeezed(data)


def squeezed(data: bytes) -> bytes:
    """Return the JSON without white space between tokens, at any depth and without validation."""
    return re.sub(rb"(?s)(" + _STRING + rb")|[ \t\r\n]++", rb"\1", data)


def _refuse_constant(name: str) -> Any:
    raise NotJson(f"{name} is not JSON")


def decode(raw: bytes | msgspec.Raw) -> Any:
    """Return the Python value. The standard library decodes what the fast parser refuses."""
    try:
        return _ANY.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return json.loads(bytes(raw).decode("utf-8", "surrogatepass"), parse_int=_integer)


def _integer(digits: str) -> Any:
    """Return an int, or a Decimal for so many digits that Python refuses to spend the time."""
    return int(digits) if len(digits) <= _MOST_INT_DIGITS else Decimal(digits)


def are_containers(values: Sequence[bytes]) -> bool:
    """Return whether each of these is one list or dict in JSON, without white space around it. Raise
    `TooDeep` if one nests too deep."""
    if not all(value[:1] in (b"[", b"{") for value in values):
        return False
    joined = b"[" + b",".join(values) + b"]"
    try:
        require_utf8(joined)
        found = _ROWS.decode(joined)
    except (UnicodeDecodeError, RecursionError):
        return False
    except msgspec.DecodeError:  # it refuses halves of surrogate pairs
        return b"\\u" in joined and all(map(_is_value, values))
    # The lengths are compared, because "[1", "2]" and "[3],[4]" are as many values when joined.
    if [len(memoryview(raw)) for raw in found] != [*map(len, values)]:
        return False
    require_shallow(*values)
    return True


def _is_value(data: bytes) -> bool:
    try:
        require_shallow(compact(data))
    except NotJson:
        return False
    return True


def raw_elements(array: bytes) -> list[msgspec.Raw]:
    """Return the elements of an array, without the white space around them."""
    try:
        return _ROWS.decode(array)
    except (msgspec.DecodeError, RecursionError) as error:
        raise NotJson(str(error)) from error


def member_lengths(document: bytes) -> list[tuple[str, int]]:
    """Return the name of each member and the length of its value; nothing if the parser refuses the
    object. Of members with the same name, only the last is there."""
    try:
        named = _FIELDS.decode(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    return [(name, len(memoryview(raw))) for name, raw in named.items()]


def names(document: bytes) -> list[str]:
    """Return the names of the members of an object."""
    return [name for name, _ in member_lengths(document)] or [
        each.name for each in members(document)
    ]


def fields(raw: bytes) -> dict[str, bytes]:
    """Return the members of an object by name, with their values as bytes."""
    try:
        return {name: bytes(value) for name, value in _FIELDS.decode(raw).items()}
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {member.name: member.value for member in members(raw)}


def require_shallow_rows(document: bytes) -> None:
    """Raise `TooDeep` if an element or member of compact JSON nests deeper than MAX_DEPTH.

    Most documents are lists of flat objects, and counting proves that these are shallow: an object that
    follows an object is in a list, so that at least every other level of a value has a bracket that does
    not follow an object.
    """
    brackets = document.count(b"[") + document.count(b"{")
    if brackets - document.count(b"},{") <= MAX_DEPTH // 2:
        return
    if document[:1] == b"[":
        for block in row_blocks(document):
            require_shallow(*block)
        return
    position = 1
    for key, length, is_list in member_spans(document):
        value_at = position + len(key) + 1
        position = value_at + length + 1
        if is_list:
            for block in row_blocks(document, start=value_at, stop=value_at + length):
                require_shallow(*block, deepest=MAX_DEPTH - 1)
        else:
            require_shallow(document[value_at : value_at + length])


def require_shallow(*values: bytes, deepest: int = MAX_DEPTH) -> None:
    """Raise `TooDeep` if a value nests deeper than that. Fast for ordinary values."""
    if max(map(len, values), default=0) < 2 * deepest:
        return
    for raw in values:
        _require_shallow(raw, deepest)


def _require_shallow(raw: bytes, deepest: int) -> None:
    if len(raw) < 2 * deepest or raw.count(b"[") + raw.count(b"{") <= deepest:
        return
    if _value().fullmatch(raw):
        return  # the pattern is shallow, and ten times as fast as the loop below
    depth = 0
    for match in _bracket().finditer(raw):
        token = match.group()
        depth += (token in b"[{") - (token in b"]}") if len(token) == 1 else 0
        if depth > deepest:
            raise TooDeep(f"nested deeper than {MAX_DEPTH} levels")


# -- arrays ------------------------------------------------------------------------------------


def row_blocks(
    document: bytes, block_size: int = 64_000, *, start: int = 0, stop: int | None = None
) -> Iterator[list[bytes]]:
    """Yield the elements of an array in blocks, so that a million tiny elements never become a
    million objects at once. The array may be the part of a document from `start` to `stop`.

    A block is cut at a comma that looks like the end of a row. The parser then proves the guess: if
    "[" + the bytes before the cut + "]" parses, the cut is at the top level of the array. The same
    parse splits the block into rows.
    """
    position, end = start + 1, (len(document) if stop is None else stop) - 1
    boundary = b"," + _row_start(document[position : position + _LONGEST_START])
    while position < end:
        rows, position = _next_block(document, position, end, boundary, block_size)
        yield rows


_LONGEST_START = 80


def _row_start(rows: bytes) -> bytes:
    """Guess from the first row what rows start with: a key, or a bracket or quote."""
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
            continue  # the cut is inside a string or a nested value
        return list(map(bytes, rows)), cut + 1
    return _scanned_block(document, position, end, block_size)


def _cuts(
    document: bytes, position: int, end: int, boundary: bytes, block_size: int
) -> Iterator[int]:
    """Yield a few places to try, those of larger blocks first."""
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
    """Scan row by row. Needed if all guesses are wrong, or if a row is larger than a block."""
    rows: list[bytes] = []
    stop = position + block_size
    for row in _elements(document, position, end):
        rows.append(row)
        position += len(row) + 1
        if position >= stop:
            break
    return rows, position


def elements(array: bytes, position: int = 1) -> Iterator[bytes]:
    """Yield the elements of an array one by one, starting with the element at `position`."""
    return _elements(array, position, len(array) - 1)


def _elements(document: bytes, position: int, end: int) -> Iterator[bytes]:
    while position < end:
        stop = value_end(document, position)
        yield document[position:stop]
        position = stop + 1


# -- objects -----------------------------------------------------------------------------------


def members(document: bytes) -> Iterator[Member]:
    """Yield the members of an object in order, including duplicates."""
    position, end = 1, len(document) - 1
    while position < end:
        colon = _match_end(_KEY, document, position)
        stop = value_end(document, colon + 1)
        yield Member(document[position:colon], document[colon + 1 : stop])
        position = stop + 1


def member_spans(document: bytes) -> list[tuple[bytes, int, bool]]:
    """Return the key of each member, the length of its value, and whether the value is a list.

    The parser knows the lengths, so a list of millions of bytes is not scanned again. The parser
    keeps only the last of duplicate keys. Then the walk below meets an unexpected key, or ends
    before the object does, and the object is scanned after all.
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
    """Split a `"key":value` that was cut out of an object."""
    colon = _match_end(_KEY, raw, 0)
    return Member(raw[:colon], raw[colon + 1 :])


def value_end(document: bytes, position: int) -> int:
    """Return where the value ends that starts there. White space between tokens is allowed."""
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
    """Return a JSON string. Only characters that UTF-8 cannot encode become `\\u` escapes."""
    try:
        return msgspec.json.encode(text)
    except UnicodeEncodeError:
        return json.dumps(text, ensure_ascii=False).encode("utf-8", "backslashreplace")


def utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")
