"""JSON-RPC messages as bytes.

A message is inspected, not decoded. The parts that Penstock need not understand stay bytes, and are
sent on unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from penstock.core.json import hidden_escapes, rawjson
from penstock.core.json.encoding import encode
from penstock.core.json.hidden_escapes import Hidden
from penstock.core.json.rawjson import NotJson

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
RESOURCE_NOT_FOUND: Final = -32002  # up to 2025-11-25; later revisions use INVALID_PARAMS
METHOD_NOT_FOUND: Final = -32601
UPSTREAM_GONE: Final = -32010  # Penstock's own. Servers use -32000 for many other errors
BUSY: Final = -32011  # Penstock's own: the same request can succeed later
HEADER_MISMATCH: Final = -32020
UNSUPPORTED_VERSION: Final = -32022

# After the reason why a call has no answer.
MAY_HAVE_RUN: Final = " The tool may have run: check that before you call it again."

_SPACE = b" \t\r\n"
_ARRAY = re.compile(rb"[ \t\r\n]*+\[")


class Message(msgspec.Struct):
    """One message. A request has a method and an id, a notification a method, a response an id."""

    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    method: str | msgspec.UnsetType = msgspec.UNSET
    params: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    # Its members, undecoded. Splitting them now saves a second pass through a large result.
    result: dict[str, msgspec.Raw] | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET

    @property
    def is_request(self) -> bool:
        return self.id is not msgspec.UNSET and self.method is not msgspec.UNSET

    @property
    def key(self) -> bytes:
        """The bytes of the id, which match a response to its request. As Python values, the three
        different ids 1, 1.0 and true would be equal."""
        return b"" if self.id is msgspec.UNSET else id_key(self.id)


_MESSAGE: Final = msgspec.json.Decoder(Message)
_BATCH: Final = msgspec.json.Decoder(list[msgspec.Raw])
_OBJECT: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_REFUSALS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_message(line: bytes | msgspec.Raw) -> Message:
    """Read a message. Raise `NotJson` unless it is an object with members of the right types."""
    try:
        return _MESSAGE.decode(line)
    except _REFUSALS:
        pass  # read once more, because a message that is not strange must cost no further call
    try:
        return read_fast(line)
    except NotJson as error:
        return _read_slowly(bytes(line), error)


def read_fast(line: bytes | msgspec.Raw) -> Message:
    """Read a message in C alone. Raise `NotJson` for one that needs `_read_slowly`."""
    try:
        return _MESSAGE.decode(line)
    except _REFUSALS as error:
        halves = hidden_escapes.hidden(bytes(line))
        if halves is None:
            raise NotJson(str(error)) from error
    try:
        return _shown(_MESSAGE.decode(halves.document), halves)
    except _REFUSALS as error:
        raise NotJson(str(error)) from error


def _shown(message: Message, halves: Hidden) -> Message:
    """Return a message with the surrogates that were hidden while it was read."""
    method, result = message.method, message.result
    return Message(
        _shown_part(message.id, halves),
        halves.shown_text(method) if isinstance(method, str) else method,
        _shown_part(message.params, halves),
        _shown_members(result, halves) if isinstance(result, dict) else result,
        _shown_part(message.error, halves),
    )


def _shown_part(
    part: msgspec.Raw | msgspec.UnsetType, halves: Hidden
) -> msgspec.Raw | msgspec.UnsetType:
    return msgspec.Raw(halves.shown(bytes(part))) if isinstance(part, msgspec.Raw) else part


def _shown_members(members: Mapping[str, msgspec.Raw], halves: Hidden) -> dict[str, msgspec.Raw]:
    return {
        name if name.isascii() else halves.shown_text(name): msgspec.Raw(halves.shown(bytes(value)))
        for name, value in members.items()
    }


def _read_slowly(line: bytes, cause: Exception) -> Message:
    """Read a message that the fast parser refuses, though Penstock should pass it on: one with deep
    nesting, or a method that is not text."""
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
            _result_in(raw),
            raw.get("error", msgspec.UNSET),
        )
    except ValueError as error:
        raise NotJson(str(error)) from error


def _result_in(raw: Mapping[str, msgspec.Raw]) -> dict[str, msgspec.Raw] | msgspec.UnsetType:
    """Return the members of a result. One that is no object becomes a member of its own name, so
    that it is weighed like any other."""
    if "result" not in raw:
        return msgspec.UNSET
    is_object = bytes(raw["result"])[:1] == b"{"
    return members_of(raw["result"]) if is_object else {"result": raw["result"]}


def message_or_none(line: bytes | msgspec.Raw) -> Message | None:
    """Return the message, or None for a batch and for invalid JSON."""
    try:
        return read_message(line)
    except ValueError:
        return None


def batch_of(line: bytes) -> list[bytes] | None:
    """Return the messages of a batch (revision 2025-03-26 and before), or None for a single one."""
    if line.startswith(b"{") or not is_batch(line):
        return None
    try:
        return [bytes(item) for item in _BATCH.decode(line)]
    except _REFUSALS:
        return list(rawjson.elements(_compact(line)))


def is_batch(line: bytes) -> bool:
    return _ARRAY.match(line) is not None


def _compact(line: bytes) -> bytes:
    """Remove white space. Check the JSON too, unless it nests too deep for Python."""
    try:
        return rawjson.compact(line)
    except rawjson.TooDeep:
        return rawjson.squeezed(line)


def id_key(raw: msgspec.Raw | bytes) -> bytes:
    """Return the bytes of an id, with escapes in text replaced by the characters they stand for."""
    key = bytes(raw).strip(_SPACE)
    if key[:1] == b'"' and b"\\" in key:
        return rawjson.string(str(rawjson.decode(key)))
    return key


# -- parts -------------------------------------------------------------------------------------


def members_of(raw: msgspec.Raw | bytes | msgspec.UnsetType) -> dict[str, msgspec.Raw]:
    """Return the members of an object, undecoded. Return {} for anything else."""
    if isinstance(raw, msgspec.UnsetType):
        return {}
    try:
        return _OBJECT.decode(raw)
    except _REFUSALS:
        pass  # as in `read_message`
    try:
        return members_fast(raw)
    except NotJson:
        pass
    try:
        document = rawjson.squeezed(bytes(raw))
        found = rawjson.members(document) if document.startswith(b"{") else ()
        return {member.name: msgspec.Raw(member.value) for member in found}
    except ValueError:
        return {}


def members_fast(raw: msgspec.Raw | bytes) -> dict[str, msgspec.Raw]:
    """Return the members of an object, read in C alone. Raise `NotJson` for anything else."""
    try:
        return _OBJECT.decode(raw)
    except _REFUSALS as error:
        halves = hidden_escapes.hidden(bytes(raw))
        if halves is None:
            raise NotJson(str(error)) from error
    try:
        return _shown_members(_OBJECT.decode(halves.document), halves)
    except _REFUSALS as error:
        raise NotJson(str(error)) from error


def items_of(raw: msgspec.Raw | bytes) -> list[msgspec.Raw] | None:
    """Return the items of a list, undecoded. Return None for anything else."""
    try:
        return _BATCH.decode(raw)
    except _REFUSALS:
        pass  # as in `read_message`
    try:
        listed = rawjson.squeezed(bytes(raw))
        if not listed.startswith(b"["):
            return None
        return [msgspec.Raw(item) for item in rawjson.elements(listed)]
    except ValueError:
        return None


def text_of(members: Mapping[str, msgspec.Raw], name: str) -> str | None:
    """Return a member if it is text, or None."""
    value = decoded(members.get(name))
    return value if isinstance(value, str) else None


def decoded(raw: msgspec.Raw | bytes | None) -> Any:
    """Decode a value. Return None for a missing one, and for one that nests too deep for Python."""
    try:
        return None if raw is None else rawjson.decode(raw)
    except RecursionError:
        return None


def object_from(members: Mapping[str, bytes | msgspec.Raw]) -> bytes:
    """Join members into an object. Their bytes stay unchanged."""
    return (
        b"{"
        + b",".join(rawjson.string(name) + b":" + bytes(value) for name, value in members.items())
        + b"}"
    )


def code_of(message: Message) -> Any:
    """Return the code of an error, or None for a result."""
    return decoded(members_of(message.error).get("code"))


# -- Penstock's own messages -------------------------------------------------------------------


def request(key: bytes, method: str, params: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"method":%b,"params":%b}' % (
        key,
        rawjson.string(method),
        params,
    )


def notification(method: str, params: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","method":%b,"params":%b}' % (rawjson.string(method), params)


def cancellation(key: bytes, reason: str) -> bytes:
    """Return the notification that a request is cancelled."""
    params = {"requestId": key, "reason": rawjson.string(reason)}
    return notification("notifications/cancelled", object_from(params))


def response(key: bytes, result: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (key, result)


def error_response(key: bytes, error: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":%b,"error":%b}' % (key, error)


def error(code: int, message: str, data: Any = None) -> bytes:
    told = {"code": code, "message": message}
    return encode(told if data is None else {**told, "data": data})


def failure(key: bytes, code: int, message: str, data: Any = None) -> bytes:
    """Return an error that answers a request. Without a key, its id is null."""
    return error_response(key or b"null", error(code, message, data))


def framed(message: bytes) -> bytes:
    """Return a message as one line with a final newline. One that is such a line is not copied."""
    if 0 <= message.find(b"\n") == len(message) - 1 and b"\r" not in message:
        return message
    return one_line(message.rstrip(b"\r\n")) + b"\n"


def one_line(message: bytes) -> bytes:
    """Return a message as one line. In valid JSON a raw newline can only be white space."""
    if b"\n" in message or b"\r" in message:
        message = message.replace(b"\r", b" ").replace(b"\n", b" ")
    return message
