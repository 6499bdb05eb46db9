"""What a result is: from whatever a tool gave to rows of bytes, lazily.

A document is a prefix, rows, and a suffix. Put together they are the whole value, to the byte:

    a list               [        its elements           ]
    a dict with one list {"a":1,"items":[   elements     ],"b":2}
    any other dict       {        its "key":value pairs  }
    text                          its lines
    number, true, null            the literal

Rows come in blocks, as they are asked for, so that a list of Python objects is never encoded as
a whole, and what is small can be recognised after the first few.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from penstock import rawjson
from penstock.encoding import count_non_finite, encode
from penstock.model import ABSENT, MEDIA_TYPES, Result, Shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

BLOCK_ROWS = 500
BLOCK_BYTES = 64_000
# What stands beside the one list of a dict travels with every page; more than this is paged
# itself, as the entries of the dict.
LARGEST_ENVELOPE = 8_000


@dataclass(slots=True)
class Tally:
    """What was noticed while rows were made; complete when the rows are."""

    non_finite: int = 0

    @property
    def notices(self) -> tuple[str, ...]:
        if not self.non_finite:
            return ()
        return (f"{self.non_finite} NaN or infinite numbers are shown as null.",)


@dataclass(frozen=True, slots=True)
class Document:
    """A value in rows. `blocks` can be walked once."""

    shape: Shape
    blocks: Iterator[list[bytes]]
    prefix: bytes = b""
    suffix: bytes = b""
    list_path: str = ""
    wrapped: bool = False
    media: tuple[Mapping[str, Any], ...] = ()
    notices: tuple[str, ...] = ()
    tally: Tally = field(default_factory=Tally)

    @property
    def separator(self) -> bytes:
        return b"\n" if self.shape == "lines" else b","


def read_result(result: Result, *, media_cap: int) -> Document:
    """The document of a tool's result, after the table in the module's docstring."""
    media, blocks = _apart(result.content, media_cap)
    if result.structured is not ABSENT:
        value, wrapped = _unwrapped(result)
        return _with(read_value(value), media=media, wrapped=wrapped)
    if len(blocks) == 1:
        return _with(_read_block(blocks[0]), media=media)
    return _with(read_value([_block_value(block) for block in blocks]), media=media)


def read_result_as_text(result: Result, *, media_cap: int) -> Document:
    """A value that nests too deep to be walked is kept and shown as text."""
    media, blocks = _apart(result.content, media_cap)
    if result.structured is not ABSENT:
        value = result.structured
    else:
        value = [dict(block) for block in blocks] if len(blocks) > 1 else blocks[0].get("text", "")
    text = value if isinstance(value, str) else rawjson.text(encode(value))
    notice = f"Nested deeper than {rawjson.MAX_DEPTH} levels: kept as text."
    return _with(read_text(text), media=media, notices=(notice,))


def read_json(data: bytes) -> Document:
    """The document of compact JSON."""
    first = data[:1]
    if first == b"[":
        return Document("rows", _checked(rawjson.row_blocks(data)), b"[", b"]")
    if first == b"{":
        return _read_object(data)
    if first == b'"':
        return read_text(str(rawjson.decode(data)))
    return Document("literal", iter([[data]]))


def read_text(text: str) -> Document:
    return Document("lines", _line_blocks(rawjson.utf8(text)))


def is_json_container(text: str) -> bool:
    """Whether a text looks like a JSON list or dict; a bare word or number is just text."""
    stripped = text.lstrip(" \t\r\n")[:1]
    return stripped in ("{", "[") and bool(stripped)


# -- Python values -----------------------------------------------------------------------------


def read_value(value: Any) -> Document:
    """The document of a Python value, of text, or of JSON bytes (`msgspec.Raw`)."""
    if isinstance(value, msgspec.Raw):
        return read_json(rawjson.compact(bytes(value)))
    if isinstance(value, str):
        return _read_text_or_json(value)
    if type(value) in (list, tuple):
        tally = Tally()
        return Document("rows", _encoded_blocks(value, tally), b"[", b"]", tally=tally)
    if type(value) is dict and all(type(key) is str for key in value):
        return _read_dict(value)
    encoded = encode(value)
    tally = Tally(count_non_finite(value, encoded))
    return _with(read_json(encoded), tally=tally)


def _read_text_or_json(text: str) -> Document:
    if is_json_container(text):
        try:
            return read_json(rawjson.compact(rawjson.utf8(text)))
        except (rawjson.NotJson, rawjson.TooDeep):
            pass
    return read_text(text)


def _read_dict(value: dict[str, Any]) -> Document:
    lists = [key for key, item in value.items() if type(item) in (list, tuple)]
    tally = Tally()
    if len(lists) == 1:
        before, after = _around(value, lists[0], tally)
        if len(before) + len(after) <= LARGEST_ENVELOPE:
            return Document(
                "rows",
                _encoded_blocks(value[lists[0]], tally),
                before,
                after,
                list_path=pointer(lists[0]),
                tally=tally,
            )
        tally = Tally()
    rows = (_encoded_member(key, item, tally) for key, item in value.items())
    return Document("members", _grouped(rows), b"{", b"}", tally=tally)


def _around(value: dict[str, Any], list_key: str, tally: Tally) -> tuple[bytes, bytes]:
    """What stands before and after the elements of the one list."""
    members = {
        key: b"" if key == list_key else _encoded_member(key, item, tally)
        for key, item in value.items()
    }
    keys = list(members)
    at = keys.index(list_key)
    opening = rawjson.string(list_key) + b":["
    before = b",".join([*(members[key] for key in keys[:at]), opening])
    after = b"".join(b"," + members[key] for key in keys[at + 1 :])
    return b"{" + before, b"]" + after + b"}"


def _encoded_member(key: str, item: Any, tally: Tally) -> bytes:
    return rawjson.string(key) + b":" + _encoded(item, tally)


def _encoded(item: Any, tally: Tally) -> bytes:
    encoded = rawjson.compact(bytes(item)) if isinstance(item, msgspec.Raw) else encode(item)
    rawjson.require_shallow(encoded)
    tally.non_finite += count_non_finite(item, encoded)
    return encoded


def _encoded_blocks(items: Sequence[Any], tally: Tally) -> Iterator[list[bytes]]:
    for start in range(0, len(items), BLOCK_ROWS):
        yield [_encoded(item, tally) for item in items[start : start + BLOCK_ROWS]]


# -- JSON bytes --------------------------------------------------------------------------------


def _read_object(data: bytes) -> Document:
    span = _sole_list(data)
    if span is None:
        rows = (member.key + b":" + member.value for member in rawjson.members(data))
        return Document("members", _checked(_grouped(rows)), b"{", b"}")
    name, start, stop = span
    rawjson.require_shallow(data[:start] + data[stop:])
    return Document(
        "rows",
        _checked(rawjson.row_blocks(data[start - 1 : stop + 1])),
        data[:start],
        data[stop:],
        list_path=pointer(name),
    )


def _sole_list(data: bytes) -> tuple[str, int, int] | None:
    """The one list of an object: its key, and where its elements start and stop."""
    found = None
    position = 1
    for key, length, is_list in rawjson.member_spans(data):
        value_at = position + len(key) + 1
        if is_list:
            if found is not None:
                return None
            found = (str(rawjson.decode(key)), value_at + 1, value_at + length - 1)
        position = value_at + length + 1
    if found is None or len(data) - (found[2] - found[1]) > LARGEST_ENVELOPE:
        return None
    return found


def _checked(blocks: Iterable[list[bytes]]) -> Iterator[list[bytes]]:
    for block in blocks:
        for row in block:
            rawjson.require_shallow(row)
        yield block


# -- text and blocks ---------------------------------------------------------------------------


def _line_blocks(data: bytes) -> Iterator[list[bytes]]:
    position = 0
    while len(data) - position > BLOCK_BYTES:
        cut = data.rfind(b"\n", position, position + BLOCK_BYTES)
        if cut < 0:
            cut = data.find(b"\n", position + BLOCK_BYTES)
        if cut < 0:
            break
        yield data[position:cut].split(b"\n")
        position = cut + 1
    yield data[position:].split(b"\n")


def _grouped(rows: Iterable[bytes]) -> Iterator[list[bytes]]:
    block: list[bytes] = []
    size = 0
    for row in rows:
        block.append(row)
        size += len(row)
        if size >= BLOCK_BYTES or len(block) >= BLOCK_ROWS:
            yield block
            block, size = [], 0
    if block:
        yield block


def _apart(
    content: Sequence[Mapping[str, Any]], media_cap: int
) -> tuple[tuple[Mapping[str, Any], ...], list[Mapping[str, Any]]]:
    """Images and audio that travel beside the reply, and everything that is stored."""
    media = tuple(block for block in content if is_small_media(block, media_cap))
    return media, [block for block in content if not is_small_media(block, media_cap)]


def is_small_media(block: Mapping[str, Any], media_cap: int) -> bool:
    return block.get("type") in MEDIA_TYPES and len(str(block.get("data", ""))) <= media_cap


def _read_block(block: Mapping[str, Any]) -> Document:
    if _is_plain_text(block):
        return _read_text_or_json(str(block["text"]))
    return read_value(dict(block))


def _block_value(block: Mapping[str, Any]) -> Any:
    """A block among several: text is the JSON in it, or itself."""
    if not _is_plain_text(block):
        return dict(block)
    text = str(block["text"])
    if is_json_container(text):
        try:
            return msgspec.Raw(rawjson.compact(rawjson.utf8(text)))
        except (rawjson.NotJson, rawjson.TooDeep):
            pass
    return text


def _is_plain_text(block: Mapping[str, Any]) -> bool:
    return block.get("type") == "text" and isinstance(block.get("text"), str)


def _unwrapped(result: Result) -> tuple[Any, bool]:
    """Frameworks wrap what is no object as {"result": x}; the value is x."""
    value = result.structured
    if isinstance(value, msgspec.Raw):
        compacted = rawjson.compact(bytes(value))
        inner = _wrapped_raw(compacted)
        return msgspec.Raw(inner if inner is not None else compacted), inner is not None
    if type(value) is dict and list(value) == ["result"] and not isinstance(value["result"], dict):
        return value["result"], True
    return value, False


def _wrapped_raw(data: bytes) -> bytes | None:
    opening = b'{"result":'
    if not data.startswith(opening) or data[len(opening) : len(opening) + 1] == b"{":
        return None
    spans = rawjson.member_spans(data)
    return data[len(opening) : -1] if len(spans) == 1 else None


def _with(document: Document, **changes: Any) -> Document:
    names = Document.__dataclass_fields__
    return Document(**{name: changes.get(name, getattr(document, name)) for name in names})


def pointer(*steps: str | int) -> str:
    """A JSON Pointer (RFC 6901)."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)
