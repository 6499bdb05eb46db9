"""A stored image or audio that was too large to go beside its reply, and stored bytes of any kind."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import NamedTuple

from penstock.core.json import rawjson
from penstock.core.model.reply import MEDIA_TYPES

_MEMBERS = {"type", "data", "mimeType"}
BYTES_TYPE = "dev.penstock/bytes"


class Media(NamedTuple):
    """The kind, the media type and the size of an image or audio."""

    kind: str
    mime_type: str
    size: int

    @property
    def told(self) -> str:
        """The block in words, in place of its first characters, which say nothing."""
        return f"{self.kind}, {self.mime_type}, {self.size:,} bytes; mode full links to it"


def bytes_value(data: bytes) -> dict[str, str]:
    """Return the value as which bytes are stored. Its members are those of an image."""
    encoded = b64encode(data).decode("ascii")
    return {"type": BYTES_TYPE, "mimeType": "application/octet-stream", "data": encoded}


def media_in(members: Sequence[bytes]) -> Media | None:
    """Return the image or audio that the members of a dict make up, or None."""
    if len(members) > len(_MEMBERS) or not members:
        return None
    found = {member.name: member.value for member in map(rawjson.split_member, members)}
    kinds = {f'"{kind}"'.encode(): kind.rpartition("/")[2] for kind in (*MEDIA_TYPES, BYTES_TYPE)}
    kind = kinds.get(found.get("type", b""))
    data, mime_type = found.get("data", b""), found.get("mimeType", b"")
    if kind is None or data[:1] != b'"' or mime_type[:1] != b'"':
        return None
    encoded = data[1:-1].rstrip(b"=")
    return Media(kind, str(rawjson.decode(mime_type)), len(encoded) * 3 // 4)
