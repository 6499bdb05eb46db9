"""The reply that goes out, and its form on the wire."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.values import ABSENT, NO_FRAME, Frame, Result

MEDIA_TYPES = ("image", "audio")
# Members for hosts and users. Models do not see them, so the budget does not count them.
HOST_MEMBERS = ("_meta", "icons")


class Showing(msgspec.Struct, frozen=True):
    """The parts of a result that a host shows a model, where hosts differ."""

    # The host shows content and structuredContent, even if one repeats the other.
    both: bool = False
    # The host keeps blocks with `audience: ["user"]` from the model.
    hides_user_blocks: bool = False


ORDINARY = Showing()
_EVERYTHING = Showing(both=True)


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply that goes out."""

    payload: bytes = b""
    is_text: bool = False  # the payload is UTF-8 text, otherwise compact JSON
    is_error: bool = False
    attachments: Sequence[Mapping[str, Any]] = ()  # content blocks after the payload
    meta: Mapping[str, Any] = field(default_factory=dict)
    members: Mapping[str, Any] = field(default_factory=dict)  # extensions of the tool's result
    # Members of the first content block besides its text, such as `annotations`.
    first_members: Mapping[str, Any] = field(default_factory=dict)
    structured: bytes | None = None
    repeated: Collection[int] = ()  # places of content blocks that the structured content repeats
    untouched: Result | None = None  # the tool's own result, sent in place of the payload
    is_whole: bool = False  # the result passes as the tool gave it
    frame: Frame = NO_FRAME
    reason: str = ""  # for the log; never on the wire

    @property
    def value(self) -> Any:
        """The payload as a Python value."""
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
            return []  # only an app reads this reply
        first = {**self.first_members, "type": "text", "text": self.text}
        return [first, *map(dict, self.attachments)]

    @property
    def structured_content(self) -> Any:
        """MCP structuredContent, or None."""
        if self.untouched is not None:
            given = self.untouched.structured
            return None if given is ABSENT else given
        return None if self.structured is None else rawjson.decode(self.structured)

    def wire(self) -> bytes:
        """Return the compact JSON of the JSON-RPC `result`."""
        fields = self._fields
        if self.meta:
            fields["_meta"] = {**fields.get("_meta", {}), **self.meta}
        return _result(self.content, self._structured_bytes(), fields)

    def shown(self, showing: Showing = ORDINARY) -> tuple[bytes, ...]:
        """Return the forms in which a host may show this reply to a model: each has to fit.

        If the structured content repeats the content, hosts show one of the two, so there are two
        forms. No form holds the members and the data that have caps of their own.
        """
        blocks = {
            place: counted(block)
            for place, block in enumerate(self.content)
            if not (showing.hides_user_blocks and is_for_user(block))
        }
        fields = {name: value for name, value in self._fields.items() if name != "_meta"}
        structured = self._structured_bytes()
        if structured is None or showing.both or not self.repeated:
            return (_result(blocks.values(), structured, fields),)
        others = [block for place, block in blocks.items() if place not in self.repeated]
        return _result(blocks.values(), None, fields), _result(others, structured, fields)

    @property
    def everything(self) -> bytes:
        """The wire without the members and the data that have caps of their own."""
        return self.shown(_EVERYTHING)[0]

    @property
    def _fields(self) -> dict[str, Any]:
        error = {"isError": True} if self.is_error else {}
        return {**self.members, **self.frame.fields, **error}

    def _structured_bytes(self) -> bytes | None:
        if self.untouched is None:
            return self.structured
        value = self.untouched.structured
        return None if value is ABSENT or not self.untouched.content else encode(value)


def _result(
    blocks: Iterable[Mapping[str, Any]], structured: bytes | None, fields: Mapping[str, Any]
) -> bytes:
    members = [b'"content":[' + b",".join(map(_encoded_block, blocks)) + b"]"]
    if structured is not None:
        members.append(b'"structuredContent":' + structured)
    members += [rawjson.string(name) + b":" + encode(value) for name, value in fields.items()]
    return b"{" + b",".join(members) + b"}"


def counted(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the part of a block that counts against the budget: not the data of images and audio,
    nor the members for hosts, which have caps of their own."""
    apart = (*HOST_MEMBERS, "data") if block.get("type") in MEDIA_TYPES else HOST_MEMBERS
    resource = block.get("resource")
    if isinstance(resource, Mapping) and not resource.keys().isdisjoint(HOST_MEMBERS):
        block = {**block, "resource": _without(resource, HOST_MEMBERS)}
    return block if block.keys().isdisjoint(apart) else _without(block, apart)


def _without(members: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if name not in names}


def is_for_user(block: Mapping[str, Any]) -> bool:
    """Return whether a block is meant for the user alone, and not for the model."""
    annotations = block.get("annotations")
    return isinstance(annotations, Mapping) and annotations.get("audience") == ["user"]


def _encoded_block(block: Mapping[str, Any]) -> bytes:
    if block.keys() == {"type", "text"} and isinstance(block["text"], str):
        return b'{"type":"text","text":' + rawjson.string(block["text"]) + b"}"
    return encode(block)
