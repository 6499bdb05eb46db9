"""The values that a store keeps about a result, apart from its rows."""

from __future__ import annotations

from typing import Literal

import msgspec

Shape = Literal["rows", "members", "lines", "literal"]
# How a framework had wrapped the value in an object, mostly {"result": …}: not at all, as the value
# itself, or as a text that is JSON.
Wrapped = Literal["", "value", "text"]


class Stored(msgspec.Struct, frozen=True, tag="stored"):
    """A source of rows: the chunks in the store."""


class Live(msgspec.Struct, frozen=True, tag="live"):
    """A source of rows: an adapter, which reads them when they are needed."""

    reference: bytes
    data_size: int
    estimated: bool
    refuses_part: bool = False  # as in `LiveRows`


class Alias(msgspec.Struct, frozen=True, tag="alias"):
    """A source of rows: a part of another entry. It has a token of its own for one of two reasons:
    its path or list of keys is too long for every token to carry, or clients need a handle, which
    may appear in logs, as a token may not."""

    key: str  # of the other entry
    root: str = ""  # the path of the part
    position: bytes = b""  # a `Position`, with the mode and the keys
    is_handle: bool = False  # a handle names a resource, and is not a continuation token


class Aside(msgspec.Struct, frozen=True):
    """The members of a content block that are not in its value, such as `annotations` and `_meta`."""

    path: str  # of the block's value in the document
    members: bytes  # a JSON object
    is_text: bool  # the value is the text of the block, otherwise the rest of the block


HEAD_VERSION = 2


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about a stored result that need no row to be read.

    The document is `prefix` + rows joined by `joint` + `suffix`.
    """

    version: int = HEAD_VERSION
    source: Stored | Live | Alias = Stored()
    tool: str
    server: str
    owner: str  # a digest of principal and server
    server_name: str = ""  # the server's own name for itself, which people see
    mark: str = ""  # of the principal
    arguments: dict[str, bytes] = {}  # digests, which show whether a later call changes one
    origin: bytes = b""
    created: float
    sliding: bool  # each read extends the life of the entry
    parents: tuple[str, ...] = ()  # keys of the entries that this one was made from

    shape: Shape = "rows"
    prefix: bytes = b""
    suffix: bytes = b""
    list_path: str = ""
    count: int = 0
    size: int = 0
    wire_size: int = 0  # the bytes that the view `full` would send
    preview: str = ""
    media_type: str = ""  # of an image or audio
    columns: dict[str, str] = {}
    further_columns: int = 0  # those beyond the columns above
    outline: bytes = b"null"
    has_tables: bool = False  # a dict with lists that SQL can read as tables
    uniform: bool = False  # a dict of alike members, which SQL can read as a table
    format: str = ""  # of a text with data, see `core.results.formats`
    reading: bytes = b""  # all that decoding its rows needs to know
    joint: bytes = b","  # the bytes between two rows
    contents: tuple[bytes, ...] = ()  # of the text, as the probe tells them, from long to short
    samples: dict[str, str] = {}  # a value of each column, if the text does not tell their types
    is_said_twice: bool = False  # the text repeats structuredContent
    has_text_blocks: bool = False  # rows that are texts with one value are read as that value
    wrapped: Wrapped = ""
    wrapper: str = "result"  # the key that wraps the value in structuredContent
    is_error: bool = False
    notices: tuple[str, ...] = ()
    meta: bytes = b""
    members: bytes = b""  # extensions of the result, as a JSON object
    asides: tuple[Aside, ...] = ()
