"""JSON-RPC as it stands on the wire.

A message is looked at, not decoded: what the relay need not understand stays bytes, and is sent
on as the bytes it came in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.json.rawjson import NotJson

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
RESOURCE_NOT_FOUND: Final = -32002  # up to 2025-11-25; since then, invalid parameters
METHOD_NOT_FOUND: Final = -32601
UPSTREAM_GONE: Final = -32010  # ours: no answer came. Not -32000, which servers use for much else
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

_SPACE = b" \t\r\n"
_ARRAY = re.compile(rb"[ \t\r\n]*+\[")


class Message(msgspec.Struct):
    """One message. A request has a method and an id, a notification a method, a response an id."""

    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    method: str | msgspec.UnsetType = msgspec.UNSET
    params: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    # Its members, undecoded: found on the way, so that a large one is not gone through once more.
    result: dict[str, msgspec.Raw] | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_request(self) -> bool:
        return self.id is not msgspec.UNSET and self.method is not msgspec.UNSET

    @property
    def key(self) -> bytes:
        """What a request and its response are matched by. In Python 1 == 1.0 == True, on the wire
        they are three ids: so the bytes count."""
        return b"" if self.id is msgspec.UNSET else id_key(self.id)


_MESSAGE: Final = msgspec.json.Decoder(Message)
_BATCH: Final = msgspec.json.Decoder(list[msgspec.Raw])
_OBJECT: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_message(line: bytes | msgspec.Raw) -> Message:
    """`NotJson` where it is not one JSON object with members of the right types."""
    try:
        return _MESSAGE.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _read_slowly(bytes(line), error)


def _read_slowly(line: bytes, cause: Exception) -> Message:
    """For what the fast parser refuses although it is valid: lone surrogates, deep nesting, a method
    that is not text, which is not for the relay to judge."""
    document = _compact(line)
    if not document.startswith(b"{"):
        raise NotJson("not a JSON object") from cause
    members = {member.name: member.value for member in rawjson.members(document)}
    try:
        method = decoded(members.get("method"))
        raw = {name: msgspec.Raw(value) for name, value in members.items()}
        return Message(
            raw.get("id", msgspec.UNSET),
            method if isinstance(method, str) else msgspec.UNSET,
            raw.get("params", msgspec.UNSET),
            members_of(raw["result"]) if "result" in raw else msgspec.UNSET,
            raw.get("error", msgspec.UNSET),
        )
    except ValueError as error:
        raise NotJson(str(error)) from error


def message_or_none(line: bytes | msgspec.Raw) -> Message | None:
    """None for a batch, and for what is not JSON."""
    try:
        return read_message(line)
    except ValueError:
        return None


def mended(line: bytes) -> bytes | None:
    """What Python's own writer makes, and clients in Python read, although it is not JSON: NaN and
    infinities (null here), raw control characters, a byte order mark. None for anything else."""
    try:
        value = json.loads(line.decode("utf-8-sig"), strict=False)
    except (ValueError, RecursionError):
        return None
    return encode(value) if isinstance(value, dict) else None


def batch_of(line: bytes) -> list[bytes] | None:
    """The messages of a batch (revision 2025-03-26 and before); None for a single message."""
    if _ARRAY.match(line) is None:
        return None
    try:
        return [bytes(item) for item in _BATCH.decode(line)]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return list(rawjson.elements(_compact(line)))


def _compact(line: bytes) -> bytes:
    """Without white space, and checked as far as Python can."""
    try:
        return rawjson.compact(line)
    except rawjson.TooDeep:
        return rawjson.squeezed(line)


def id_key(raw: msgspec.Raw | bytes) -> bytes:
    """The bytes of an id; text that is spelled with escapes is respelled without."""
    key = bytes(raw).strip(_SPACE)
    if key[:1] == b'"' and b"\\" in key:
        return rawjson.string(str(rawjson.decode(key)))
    return key


# -- parts -------------------------------------------------------------------------------------


def members_of(raw: msgspec.Raw | bytes | msgspec.UnsetType) -> dict[str, msgspec.Raw]:
    """The members of an object, undecoded; none where it is something else."""
    if isinstance(raw, msgspec.UnsetType):
        return {}
    try:
        return _OBJECT.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        document = rawjson.squeezed(bytes(raw))
        found = rawjson.members(document) if document.startswith(b"{") else ()
        return {member.name: msgspec.Raw(member.value) for member in found}
    except ValueError:
        return {}


def text_of(members: Mapping[str, msgspec.Raw], name: str) -> str | None:
    """A member that is text."""
    value = decoded(members.get(name))
    return value if isinstance(value, str) else None


def decoded(raw: msgspec.Raw | bytes | None) -> Any:
    """None also for what nests too deep for Python."""
    try:
        return None if raw is None else rawjson.decode(raw)
    except RecursionError:
        return None


def object_from(members: Mapping[str, bytes | msgspec.Raw]) -> bytes:
    """An object put together from members that stay as they are."""
    return (
        b"{"
        + b",".join(rawjson.string(name) + b":" + bytes(value) for name, value in members.items())
        + b"}"
    )


def code_of(message: Message) -> Any:
    """The code of an error; None for a result."""
    return decoded(members_of(message.error).get("code"))


# -- messages of our own -----------------------------------------------------------------------


def request(key: bytes, method: str, params: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"method":%b,"params":%b}' % (
        key,
        rawjson.string(method),
        params,
    )


def notification(method: str, params: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","method":%b,"params":%b}' % (rawjson.string(method), params)


def response(key: bytes, result: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (key, result)


def error_response(key: bytes, error: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (key, error)


def error(code: int, message: str, data: Any = None) -> bytes:
    told = {"code": code, "message": message}
    return encode(told if data is None else {**told, "data": data})


def failure(key: bytes, code: int, message: str, data: Any = None) -> bytes:
    """An error as the answer to a request; with no id, to nobody in particular."""
    return error_response(key or b"null", error(code, message, data))


def framed(message: bytes) -> bytes:
    """As one line with its end; what came as one is not copied."""
    if 0 <= message.find(b"\n") == len(message) - 1 and b"\r" not in message:
        return message
    return one_line(message.rstrip(b"\r\n")) + b"\n"


def one_line(message: bytes) -> bytes:
    """As one line. In valid JSON a raw newline is only white space between tokens."""
    if b"\n" in message or b"\r" in message:
        message = message.replace(b"\r", b" ").replace(b"\n", b" ")
    return message
