"""The values that a store keeps about a result besides its rows."""

from __future__ import annotations

from typing import Literal

import msgspec

Shape = Literal["rows", "members", "lines", "literal"]
# Whether a framework had put the value under a key of its own, mostly {"result": …}: as it is, or
# as a text that is JSON.
Wrapped = Literal["", "value", "text"]


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
    """The facts about a stored result that need no row to be read.

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
