"""Documents: the value of a result as rows of bytes, made lazily.

A document is a prefix, rows, and a suffix. Joined, they are the whole value, to the byte:

    a list               [        its elements           ]
    a dict with one list {"a":1,"items":[   elements     ],"b":2}    (GeoJSON: its features)
    any other dict       {        its "key":value pairs  }
    text                          its lines
    text with data               header       records, for instance
    number, true, null            the literal

Rows come in blocks, on demand. So a list of Python objects is never encoded as a whole, and a small
value shows after the first few rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from penstock.core.json import rawjson
from penstock.core.json.encoding import (
    Fallback,
    encode,
    encode_all,
    listed,
    opened,
    with_rows_opened,
)
from penstock.core.json.frames import DataRows, PandasFrame, PolarsFrame
from penstock.core.json.non_finite import count_non_finite
from penstock.core.json.pointers import pointer
from penstock.core.json.surrogates import has_half_pair
from penstock.core.model.stored import Aside, Shape, Wrapped
from penstock.core.results import formats
from penstock.core.results.formats.cut import (
    BLOCK_BYTES,
    BLOCK_ROWS,
    NearMiss,
    ValueFrame,
    grouped,
    line_blocks,
)
from penstock.core.results.formats.values.json_text import COMPACT, LARGEST_ENVELOPE
from penstock.core.results.geojson import row_list
from penstock.errors import InvalidResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

FIRST_ROWS = 20
# Values of these types are encoded in blocks.
_LISTS: Final = frozenset({list, tuple, PandasFrame, PolarsFrame})
TOO_DEEP = f"Nested deeper than {rawjson.MAX_DEPTH} levels: kept as text."
_LONGEST_KIND: Final = 40
_NEAR: Final = "The text looks like {}, but {}. So its rows are lines."


class Tally(msgspec.Struct):
    """A count of the values that encoding changed. It is complete when all rows are encoded."""

    fallback: Fallback | None = None
    non_finite: int = 0  # NaN and infinities, which became null

    def encoded(self, item: Any, path: str = "") -> bytes:
        encoded = encode(item, path, self._counting())
        self.non_finite += count_non_finite(item, encoded)
        return encoded

    def encoded_all(self, items: Sequence[Any]) -> list[bytes]:
        rows, lost = encode_all(items, self._counting())
        self.non_finite += lost
        return rows

    def _counting(self) -> Fallback | None:
        """Return the fallback, wrapped so that non-finite numbers in its values are counted too."""
        fallback = self.fallback
        if fallback is None:
            return None

        def made(item: Any) -> Any:
            form = fallback(item)
            self.non_finite += count_non_finite(form, b"null")
            return form

        return made

    @property
    def notices(self) -> tuple[str, ...]:
        if not self.non_finite:
            return ()
        return (f"{self.non_finite} NaN or infinite numbers are shown as null.",)


class Document(msgspec.Struct, frozen=True):
    """A value in rows."""

    shape: Shape
    blocks: Iterator[list[bytes]]  # can be read once
    prefix: bytes = b""
    suffix: bytes = b""
    list_path: str = ""  # the pointer to the one list of a dict, if its elements are the rows
    wrapped: Wrapped = ""
    wrapper: str = "result"
    beside: tuple[Mapping[str, Any], ...] = ()  # content blocks that go with every reply
    notices: tuple[str, ...] = ()
    asides: tuple[Aside, ...] = ()
    tally: Tally = msgspec.field(default_factory=Tally)
    format: str = ""  # of a text with data, see `formats`; the rows are then parts of the text
    reading: bytes = b""  # as in `formats.TextCut`
    contents: tuple[bytes, ...] = ()  # as in `formats.TextCut`
    joint: bytes = b","  # the bytes between two rows
    is_said_twice: bool = False  # the text repeats structuredContent
    # Rows that are texts with one value are read as that value. Such are the rows of several blocks.
    has_text_blocks: bool = False
    # The bytes of the value in compact JSON, if it is kept in another form, and as a JSON string.
    value_size: int = 0
    value_quoted: int = 0

    @property
    def is_text(self) -> bool:
        return self.shape == "lines" or bool(self.format)

    @property
    def frame(self) -> ValueFrame:
        """The frame around the rows, in compact JSON."""
        if not self.format:
            return ValueFrame(self.prefix, self.suffix)
        return formats.frame_of(self.format, self.prefix, self.suffix, self.reading)

    @property
    def envelope(self) -> bytes:
        """The dict with one list, without the elements of the list, in compact JSON."""
        return self.frame.prefix + self.frame.suffix

    @property
    def all_notices(self) -> tuple[str, ...]:
        """The notices. They are complete when all rows are encoded."""
        return (*self.notices, *self.tally.notices)


def read_json(data: bytes, start: int = 0, stop: int | None = None) -> Document:
    """Return the document of compact JSON, or of the value from `start` to `stop` in it."""
    first = data[start : start + 1]
    if first == b"[":  # not sliced: a large list would be held twice
        return Document(
            "rows", _checked(rawjson.row_blocks(data, start=start, stop=stop)), b"[", b"]"
        )
    data = data[start:stop]
    if first == b"{":
        return _read_object(data)
    if first == b'"':
        return read_text(str(rawjson.decode(data)))
    return Document("literal", iter([[data]]))


def read_members(data: bytes) -> Document:
    """Return the document of a dict in compact JSON, whose members are the rows."""
    rows = (member.key + b":" + member.value for member in rawjson.members(data))
    return Document("members", _checked(grouped(rows)), b"{", b"}")


def read_text(text: str) -> Document:
    data = rawjson.utf8(text)
    blocks = (data[start:end].split(b"\n") for start, end in line_blocks(data, 0, len(data)))
    return Document("lines", blocks, joint=b"\n")


def is_json_container(text: str) -> bool:
    """Return whether a text looks like a JSON list or dict. A bare word or number is text."""
    stripped = text.lstrip(" \t\r\n")[:1]
    return stripped in ("{", "[") and bool(stripped)


# -- Python values -----------------------------------------------------------------------------


def read_value(value: Any, fallback: Fallback | None = None) -> Document:
    """Return the document of a Python value, of text, or of JSON bytes (`msgspec.Raw`). Without a
    `fallback`, raise `InvalidResult` for a part that has no JSON form."""
    if isinstance(value, msgspec.Raw):
        return read_json(compact_raw(value))
    if isinstance(value, str):
        return read_text_with_data(value)
    value = listed(value)
    tally = Tally(fallback)
    if type(value) in _LISTS:
        return Document("rows", _encoded_blocks(value, tally), b"[", b"]", tally=tally)
    if type(value) is dict and all(type(key) is str for key in value):
        return _read_dict(value, tally)
    return replace(read_json(tally.encoded(opened(value))), tally=tally)


def read_text_with_data(text: str) -> Document:
    """Return the document of a text: the rows of its format, or its lines if it has none. The text
    is kept to the byte."""
    data = rawjson.utf8(text)
    found = formats.recognise(data)
    if found is None:
        return read_text(text)
    cut = found.cut
    if isinstance(cut, NearMiss):
        return replace(read_text(text), notices=(_NEAR.format(found.name, cut.reason),))
    if cut.is_compact:
        return replace(read_json(data), format=found.name, reading=COMPACT)
    return Document(
        cut.shape,
        cut.blocks,
        cut.prefix,
        cut.suffix,
        list_path=cut.list_path,
        notices=cut.notices,
        format=found.name,
        reading=cut.reading,
        contents=cut.contents,
        joint=cut.joint,
    )


def compact_raw(raw: msgspec.Raw) -> bytes:
    try:
        return rawjson.compact(raw)
    except rawjson.NotJson as error:
        raise InvalidResult(f"The tool returned invalid JSON: {error}.") from None


def _read_dict(given: dict[str, Any], tally: Tally) -> Document:
    value = {key: listed(item) for key, item in given.items()}
    lists = [key for key, item in value.items() if type(item) in _LISTS]
    members: dict[str, bytes] = {}
    number = row_list(lists, value.get("type"))
    if number is not None and not has_half_pair(lists[number]):
        found = lists[number]
        members = {key: _encoded_member(key, value[key], tally) for key in value if key != found}
        before, after = _around(members, list(value).index(found), found)
        if len(before) + len(after) <= LARGEST_ENVELOPE:
            return Document(
                "rows",
                _encoded_blocks(value[found], tally, pointer(found)),
                before,
                after,
                list_path=pointer(found),
                tally=tally,
            )
    rows = (members.get(key) or _encoded_member(key, value[key], tally) for key in value)
    return Document("members", grouped(rows), b"{", b"}", tally=tally)


def _around(members: Mapping[str, bytes], at: int, list_key: str) -> tuple[bytes, bytes]:
    """Return the bytes before and after the elements of the one list."""
    encoded = list(members.values())
    before = b",".join([*encoded[:at], rawjson.string(list_key) + b":["])
    after = b"".join(b"," + member for member in encoded[at:])
    return b"{" + before, b"]" + after + b"}"


def _encoded_member(key: str, item: Any, tally: Tally) -> bytes:
    return rawjson.string(key) + b":" + _encoded(with_rows_opened(item), tally, pointer(key))


def _encoded(item: Any, tally: Tally, path: str) -> bytes:
    is_raw = isinstance(item, msgspec.Raw)
    encoded = compact_raw(item) if is_raw else tally.encoded(item, path)
    rawjson.require_shallow(encoded)
    return encoded


def _encoded_blocks(
    items: Sequence[Any] | DataRows, tally: Tally, path: str = ""
) -> Iterator[list[bytes]]:
    start, count = 0, FIRST_ROWS
    while start < len(items):
        some = with_rows_opened(items[start : start + count])
        try:
            rows = _encoded_rows(some, tally)
        except InvalidResult:  # encode one by one, to report the path of the bad value
            numbered = enumerate(some, start)
            rows = [_encoded(item, tally, f"{path}/{number}") for number, item in numbered]
        yield rows
        start += count
        # As many as fill a block, if the next rows are as large as these.
        count = min(BLOCK_ROWS, 1 + BLOCK_BYTES * len(rows) // (1 + sum(map(len, rows))))


def _encoded_rows(items: Sequence[Any], tally: Tally) -> list[bytes]:
    if msgspec.Raw in set(map(type, items)):
        return [_encoded(item, tally, "") for item in items]
    rows = tally.encoded_all(items)
    rawjson.require_shallow(*rows)
    return rows


# -- JSON bytes --------------------------------------------------------------------------------


def _read_object(data: bytes) -> Document:
    span = _list_of_rows(data)
    if span is None:
        return read_members(data)
    name, start, stop = span
    rawjson.require_shallow(data[:start] + data[stop:])
    return Document(
        "rows",
        _checked(rawjson.row_blocks(data, start=start - 1, stop=stop + 1)),
        data[:start],
        data[stop:],
        list_path=pointer(name),
    )


def _list_of_rows(data: bytes) -> tuple[str, int, int] | None:
    """Return the key of the list of an object whose elements are rows, and where they start and stop."""
    lists: list[tuple[str, int, int]] = []
    kind = None
    position = 1
    for key, length, is_list in rawjson.member_spans(data):
        value_at = position + len(key) + 1
        position = value_at + length + 1
        if is_list:
            lists.append((str(rawjson.decode(key)), value_at + 1, value_at + length - 1))
        elif key == b'"type"' and length <= _LONGEST_KIND:
            kind = rawjson.decode(data[value_at : value_at + length])
    number = row_list([name for name, _, _ in lists], kind)
    if number is None:
        return None
    found = lists[number]
    if len(data) - (found[2] - found[1]) > LARGEST_ENVELOPE:
        return None
    # A path is stored as UTF-8, which cannot hold half of a surrogate pair.
    return None if has_half_pair(found[0]) else found


def _checked(blocks: Iterable[list[bytes]]) -> Iterator[list[bytes]]:
    for block in blocks:
        rawjson.require_shallow(*block)
        yield block
