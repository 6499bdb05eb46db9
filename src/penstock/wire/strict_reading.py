"""The reading of a body that a stranger sent.

Everything here is a few passes in C over the body, whatever the body holds. `wire.messages` also reads
messages that only Python code can walk through: on stdio they come from the user's own host. Over HTTP
such a message would stop all other clients, so it is refused.
"""

from __future__ import annotations

from typing import Final

import msgspec

from penstock.core.json import hidden_escapes
from penstock.core.json.nesting import is_deeper
from penstock.core.json.rawjson import NotJson
from penstock.core.json.utf8 import require_utf8
from penstock.wire import messages
from penstock.wire.messages import INVALID_REQUEST, PARSE_ERROR, Message

MOST_DEPTH: Final = 200
MOST_IN_BATCH: Final = 100
MOST_MEMBERS: Final = 1_000  # of an object that Penstock opens
MOST_ID_BYTES: Final = 4_000

_Item = msgspec.Raw | msgspec.UnsetType
# A struct of so many fields: the parser stops at the next item, before it has made an object of it.
_FEW: Final = msgspec.json.Decoder(
    msgspec.defstruct(
        "FewItems",
        [(f"item_{number}", _Item, msgspec.UNSET) for number in range(MOST_IN_BATCH)],
        array_like=True,
        forbid_unknown_fields=True,
    )
)
_REFUSALS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class Unacceptable(Exception):
    """The body is not accepted. `error` is the JSON-RPC error that says why."""

    def __init__(self, code: int, told: str, key: bytes = b"") -> None:
        super().__init__(told)
        self.error = messages.error(code, told)
        self.key = key


def read_body(body: bytes) -> Message | None:
    """Return the message of a body, or None for a batch. Raise `Unacceptable`."""
    _require_text(body)
    if messages.is_batch(body):
        items = _items(body)
        _require_shallow(body)
        for item in items:
            if item.startswith(b"{"):  # The session answers for anything else.
                _message(item)
        return None
    message = _message(body)
    _require_shallow(body)
    return message


def _require_text(body: bytes) -> None:
    try:
        require_utf8(body)
    except UnicodeDecodeError as error:
        raise Unacceptable(PARSE_ERROR, f"Not JSON: the body must be UTF-8: {error}.") from error


def _require_shallow(body: bytes) -> None:
    if is_deeper(body, MOST_DEPTH):
        raise _too_deep()


def _too_deep() -> Unacceptable:
    return Unacceptable(
        PARSE_ERROR,
        f"The body nests deeper than {MOST_DEPTH} levels. Send deep data as a string that holds JSON.",
    )


def _items(body: bytes) -> list[bytes]:
    """Return the items of a batch."""
    halves = hidden_escapes.hidden(body)
    try:
        few = _FEW.decode(body if halves is None else halves.document)
    except msgspec.ValidationError as error:
        told = f"A batch may hold {MOST_IN_BATCH} messages. Send the rest in another batch."
        raise Unacceptable(INVALID_REQUEST, told) from error
    except _REFUSALS as error:
        raise _not_json(error) from error
    items = [bytes(item) for item in msgspec.structs.astuple(few) if item is not msgspec.UNSET]
    return items if halves is None else [halves.shown(item) for item in items]


def _message(line: bytes) -> Message:
    try:
        message = messages.read_fast(line)
    except NotJson as error:
        cause = error.__cause__
        if isinstance(cause, msgspec.ValidationError):
            told = f"Not a JSON-RPC message: {cause}."
            raise Unacceptable(INVALID_REQUEST, told) from error
        raise _not_json(cause or error) from error
    _require_few_members(message)
    return message


def _not_json(error: BaseException) -> Unacceptable:
    if isinstance(error, RecursionError):
        return _too_deep()
    return Unacceptable(PARSE_ERROR, f"Not JSON: {error}.")


def _require_few_members(message: Message) -> None:
    """Refuse what costs time wherever the message is looked at: a huge id, and millions of members."""
    if (
        not isinstance(message.id, msgspec.UnsetType)
        and len(memoryview(message.id)) > MOST_ID_BYTES
    ):
        raise Unacceptable(INVALID_REQUEST, f"The id is longer than {MOST_ID_BYTES} bytes.")
    params = _members(message.params)
    result = {} if isinstance(message.result, msgspec.UnsetType) else message.result
    for members in (result, params, _members(params.get("_meta", msgspec.UNSET))):
        if len(members) > MOST_MEMBERS:
            told = f"The message has an object of more than {MOST_MEMBERS} members."
            raise Unacceptable(INVALID_REQUEST, told, message.key)


def _members(raw: _Item) -> dict[str, msgspec.Raw]:
    if isinstance(raw, msgspec.UnsetType):
        return {}
    try:
        return messages.members_fast(raw)
    except NotJson as error:
        if isinstance(error.__cause__, msgspec.ValidationError):  # no object
            return {}
        raise _not_json(error.__cause__ or error) from error
