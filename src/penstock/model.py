"""The values that everything else speaks in. All frozen; none does anything but hold and render.

`Call` comes in, `Result` is what the tool gave, `Reply` goes out. `Head` is what a store keeps
about a result besides its rows. A `Refusal` is an answer, not an accident.

A value that others are made from with `replace` is a dataclass; any other is a struct, which is
quicker to import and to make.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal

import msgspec

from penstock import rawjson
from penstock.encoding import encode

ABSENT: Final = msgspec.UNSET
RESERVED_META = "io.modelcontextprotocol/"
MEDIA_TYPES = ("image", "audio")


class Mode(StrEnum):
    """The views, cheapest first: the order in which they are offered."""

    SQL = "sql"
    QUERY = "query"
    SEARCH = "search"
    SUMMARY = "summary"
    FILTERED = "filtered"
    PAGINATED = "paginated"
    FULL = "full"


Shape = Literal["rows", "members", "lines", "literal"]
# Whether a framework had put the value under a key of its own, mostly {"result": …}: as it is, or
# as a text that is JSON.
Wrapped = Literal["", "value", "text"]


class Principal(msgspec.Struct, frozen=True):
    """Who calls. Without an identity, whoever holds a token is its bearer."""

    id: str = ""

    @property
    def is_bearer(self) -> bool:
        return not self.id


class Frame(msgspec.Struct, frozen=True):
    """What the adapter's framework will put around a reply, so that the measure is what leaves.

    `structured`: the envelope is sent as structuredContent as well as text.
    `fields`: what is added to every result, such as `resultType`.
    """

    structured: bool = False
    fields: Mapping[str, Any] = {}


NOBODY: Final = Principal()
NO_FRAME: Final = Frame()


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool. `schema` is the tool's own input schema, before Penstock's merge.
    `reader` names the tool that stored results are read with, where there is one; `browser` the tool
    that an app reads them with. `is_merged`: the negotiation fields are advertised as the tool's own,
    so that they are taken out again. `for_app`: only an app sees its result, which may then fill what
    the host takes. `has_link`: a probe of its result links to the whole, for clients that read
    resources. `origin`: JSON that an adapter wants to see again when it is asked whether the result may
    still be read. `pages_first`: rows are answered with their first page in the place of a probe. `essence`: what
    the agent needs of the result, which is shown in the place of a probe."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    principal: Principal = NOBODY
    server: str = ""
    frame: Frame = NO_FRAME
    schema: Mapping[str, Any] | None = None
    heavy: bool = False
    is_reader: bool = False
    reader: str = ""
    browser: str = ""
    is_merged: bool = True
    for_app: bool = False
    has_link: bool = False
    origin: Any = None
    pages_first: bool = False
    essence: Mapping[str, Any] | None = None

    @property
    def reading_frame(self) -> Frame:
        """The frame of replies about the stored result: the reader promises no structure."""
        return Frame(fields=self.frame.fields) if self.reader else self.frame

    def __post_init__(self) -> None:
        if isinstance(self.principal, str):
            object.__setattr__(self, "principal", Principal(self.principal))


class Result(msgspec.Struct, frozen=True):
    """What a tool gave: content blocks, structured content, or both.

    `structured` may be a `msgspec.Raw`: JSON that stays bytes from end to end. One inside other
    values must be compact.
    """

    content: Sequence[Mapping[str, Any]] = ()
    structured: Any = ABSENT
    is_error: bool = False
    meta: Mapping[str, Any] = {}

    @classmethod
    def of(cls, value: Any) -> Result:
        """The result of a Python function: text stays text, anything else is structured."""
        if isinstance(value, cls):
            return value
        if isinstance(value, str):
            return cls(content=({"type": "text", "text": value},))
        return cls(structured=value)


class LiveRows(msgspec.Struct, frozen=True):
    """A result that is a question an adapter can ask again, a queryset for instance.

    `reference` is JSON that the adapter's resolver understands; `first` are the rows of the
    first page, encoded. `data_size` may be an estimate, and then says so.
    """

    reference: Any
    count: int
    first: Sequence[bytes]
    data_size: int
    estimated: bool = True


class LiveWindow(msgspec.Struct, frozen=True):
    """Rows of a live result, encoded, and how many it has by now where that is known."""

    rows: Sequence[bytes]
    count: int | None = None


class Refusal(msgspec.Struct, frozen=True):
    """What is wrong with a call, and what to do next."""

    error: str
    next_step: str
    reason: str = ""  # for the log; never on the wire


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes out. `payload` is compact JSON, or plain UTF-8 where `is_text`. `is_whole`: the
    result passed as the tool gave it."""

    payload: bytes = b""
    is_text: bool = False
    is_error: bool = False
    attachments: Sequence[Mapping[str, Any]] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    structured: bytes | None = None
    untouched: Result | None = None
    is_whole: bool = False
    frame: Frame = NO_FRAME
    reason: str = ""  # for the log; never on the wire

    @property
    def value(self) -> Any:
        """The payload as Python values."""
        if self.untouched is not None and self.untouched.structured is not ABSENT:
            return rawjson.decode(encode(self.untouched.structured))
        return self.text if self.is_text else rawjson.decode(self.payload)

    @property
    def text(self) -> str:
        """The payload as the model reads it."""
        return rawjson.text(self.payload)

    @property
    def content(self) -> list[dict[str, Any]]:
        """MCP content blocks."""
        if self.untouched is not None and self.untouched.content:
            return [dict(block) for block in self.untouched.content]
        if self.structured is not None and not self.payload:
            return []  # for an app alone
        return [{"type": "text", "text": self.text}, *map(dict, self.attachments)]

    @property
    def structured_content(self) -> Any:
        """MCP structuredContent, or None."""
        if self.untouched is not None:
            given = self.untouched.structured
            return None if given is ABSENT else given
        return None if self.structured is None else rawjson.decode(self.structured)

    def wire(self, *, measured: bool = False) -> bytes:
        """The compact JSON of the JSON-RPC `result`.

        `measured` leaves out the data of images and audio, which has a cap of its own.
        """
        blocks = [
            _encoded_block(without_data(block) if measured else block) for block in self.content
        ]
        members = [b'"content":[' + b",".join(blocks) + b"]"]
        structured = self._structured_bytes()
        if structured is not None:
            members.append(b'"structuredContent":' + structured)
        fields = {**self.frame.fields}
        if self.is_error:
            fields["isError"] = True
        if self.meta:
            fields["_meta"] = {**fields.get("_meta", {}), **self.meta}
        members += [rawjson.string(name) + b":" + encode(value) for name, value in fields.items()]
        return b"{" + b",".join(members) + b"}"

    def _structured_bytes(self) -> bytes | None:
        if self.untouched is None:
            return self.structured
        value = self.untouched.structured
        return None if value is ABSENT or not self.untouched.content else encode(value)


def without_data(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """A block without the data of an image or of audio."""
    if block.get("type") not in MEDIA_TYPES:
        return block
    return {name: value for name, value in block.items() if name != "data"}


def _encoded_block(block: Mapping[str, Any]) -> bytes:
    if block.keys() == {"type", "text"} and isinstance(block["text"], str):
        return b'{"type":"text","text":' + rawjson.string(block["text"]) + b"}"
    return encode(block)


# -- what a store keeps ------------------------------------------------------------------------


class Stored(msgspec.Struct, frozen=True, tag="stored"):
    """The rows are in the store's chunks."""


class Live(msgspec.Struct, frozen=True, tag="live"):
    """The rows are wherever an adapter's resolver finds them."""

    reference: bytes
    data_size: int
    estimated: bool


class Alias(msgspec.Struct, frozen=True, tag="alias"):
    """A part of another entry, under a name of its own: where a path or a list of keys is too
    long to be carried by every token, and for handles that may be logged where a token may not.

    `root` is the path of the part; `position` holds the mode and the keys. A handle reads as a
    resource and is no continuation token."""

    key: str
    root: str = ""
    position: bytes = b""
    is_handle: bool = False


HEAD_VERSION = 1


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a stored result without reading a row.

    The document is `prefix` + rows joined by a comma (lines: a newline) + `suffix`.
    """

    version: int = HEAD_VERSION
    source: Stored | Live | Alias = Stored()
    tool: str
    server: str
    owner: str
    arguments: dict[str, bytes] = {}
    origin: bytes = b""
    created: float
    sliding: bool
    parents: tuple[str, ...] = ()

    shape: Shape = "rows"
    prefix: bytes = b""
    suffix: bytes = b""
    list_path: str = ""
    count: int = 0
    size: int = 0
    wire_size: int = 0
    preview: str = ""
    columns: dict[str, str] = {}
    outline: bytes = b"null"
    uniform: bool = False
    wrapped: Wrapped = ""
    wrapper: str = "result"
    is_error: bool = False
    notices: tuple[str, ...] = ()
    meta: bytes = b""
