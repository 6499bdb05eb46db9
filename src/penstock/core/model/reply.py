"""The reply that goes out, and its form on the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.values import ABSENT, NO_FRAME, Frame, Result

MEDIA_TYPES = ("image", "audio")


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply that goes out."""

    payload: bytes = b""
    is_text: bool = False  # the payload is UTF-8 text, otherwise compact JSON
    is_error: bool = False
    attachments: Sequence[Mapping[str, Any]] = ()  # content blocks after the payload
    meta: Mapping[str, Any] = field(default_factory=dict)
    structured: bytes | None = None
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
        return [{"type": "text", "text": self.text}, *map(dict, self.attachments)]

    @property
    def structured_content(self) -> Any:
        """MCP structuredContent, or None."""
        if self.untouched is not None:
            given = self.untouched.structured
            return None if given is ABSENT else given
        return None if self.structured is None else rawjson.decode(self.structured)

    def wire(self, *, measured: bool = False) -> bytes:
        """Return the compact JSON of the JSON-RPC `result`.

        `measured` leaves out the data of images and audio, which has a separate cap.
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
    """Return a block without the data of an image or of audio."""
    if block.get("type") not in MEDIA_TYPES:
        return block
    return {name: value for name, value in block.items() if name != "data"}


def _encoded_block(block: Mapping[str, Any]) -> bytes:
    if block.keys() == {"type", "text"} and isinstance(block["text"], str):
        return b'{"type":"text","text":' + rawjson.string(block["text"]) + b"}"
    return encode(block)
