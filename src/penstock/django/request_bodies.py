"""The bodies of requests to views, encoded as JSON or as forms."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from mimetypes import guess_type
from typing import Any, Final
from urllib.parse import urlencode

from penstock.core.json.encoding import encode
from penstock.django.inputs.files import SentFile, sent_files
from penstock.django.inputs.media import JSON, MULTIPART

# The characters that would end a name in a header, as browsers write them.
_QUOTED: Final = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


def encoded_body(body: Any, content_type: str) -> tuple[bytes, str]:
    """Encode a body for a view that takes this media type. Return the content and its media type:
    a body with a file is always a multipart form."""
    if not isinstance(body, Mapping):
        return encode(body), JSON
    if content_type == MULTIPART:
        body = {name: sent_files(name, value) for name, value in body.items()}
    elif not any(isinstance(value, SentFile) for _, value in _fields(body)):
        is_json = content_type == JSON
        return (encode(body) if is_json else _form(body)), content_type
    boundary = secrets.token_hex()
    return _multipart(body, boundary), f"{MULTIPART}; boundary={boundary}"


def _form(body: Mapping[str, Any]) -> bytes:
    return urlencode([(name, _in_form(value)) for name, value in _fields(body)]).encode()


def _multipart(body: Mapping[str, Any], boundary: str) -> bytes:
    parts = (_part(name, value) for name, value in _fields(body))
    lines = (f"--{boundary}\r\n".encode() + part + b"\r\n" for part in parts)
    return b"".join(lines) + f"--{boundary}--\r\n".encode()


def _part(name: str, value: Any) -> bytes:
    head = f'Content-Disposition: form-data; name="{name.translate(_QUOTED)}"'
    if not isinstance(value, SentFile):
        return f"{head}\r\n\r\n{_in_form(value)}".encode()
    kind = guess_type(value.filename)[0] or "application/octet-stream"
    head += f'; filename="{value.filename.translate(_QUOTED)}"\r\nContent-Type: {kind}'
    return f"{head}\r\n\r\n".encode() + value.content


def _fields(body: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a form: one for each item of a list, and none for null."""
    for name, value in body.items():
        for item in value if isinstance(value, list) else [value]:
            if item is not None:
                yield name, item


def _in_form(value: Any) -> str:
    """Return a value for a form: JSON for other values than text."""
    return value if isinstance(value, str) else encode(value).decode()
