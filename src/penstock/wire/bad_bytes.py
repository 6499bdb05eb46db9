"""Messages with bytes that are not UTF-8, which no JSON may hold.

A message of a client is refused: nobody can tell what it means. A message of upstream's is repaired,
because its tool has run already: U+FFFD replaces each of the bytes, and the reply says how many. If
it is the result of a tool, the store keeps the message as it came.
"""

from __future__ import annotations

from typing import Final

import msgspec

from penstock.core.json.utf8 import repaired
from penstock.core.protocol.first_reply import KeptBytes
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.call_facts import call_of
from penstock.wire.effects import KeepBytes, Steps
from penstock.wire.messages import PARSE_ERROR, Message
from penstock.wire.outputs import Outputs, ToClient, ToUpstream
from penstock.wire.request import Request

_REFUSED: Final = "Not JSON: the message has bytes that are not UTF-8. Encode it as UTF-8."
_REPLACEMENT: Final = "\ufffd".encode()

# -- of the client -----------------------------------------------------------------------------


def refuse_bytes(line: bytes) -> Outputs:
    """Answer each request in a line of the client's that is not UTF-8, as far as its id can be read.
    Answer upstream in the place of a response, so that upstream does not wait for it."""
    logger().warning("the client sent bytes that are not UTF-8")
    text = repaired(line).text
    try:
        batch = messages.batch_of(text)
    except ValueError:
        batch = None
    read = [messages.message_or_none(item) for item in ([text] if batch is None else batch)]
    responses = [message for message in read if message is not None and _is_response(message)]
    to_upstream: Outputs = [ToUpstream(_refusal(message)) for message in responses]
    answers = [_refusal(message) for message in read if message not in responses]
    if not answers:
        return to_upstream
    told = answers[0] if batch is None else b"[" + b",".join(answers) + b"]"
    return [*to_upstream, ToClient(told)]


def _is_response(message: Message) -> bool:
    return message.method is msgspec.UNSET and message.id is not msgspec.UNSET


def _refusal(message: Message | None) -> bytes:
    key = b"" if message is None else message.key
    return messages.failure(b"" if _REPLACEMENT in key else key, PARSE_ERROR, _REFUSED)


# -- of upstream -------------------------------------------------------------------------------


def note_original(request: Request, original: bytes) -> Steps[None]:
    """Store the message that a result came in, if it was not UTF-8, and tell the agent of it."""
    if not original:
        return
    request.pin_reader()
    kept: KeptBytes | None = yield KeepBytes(call_of(request, {}), original)
    count = repaired(original).replaced
    told = (
        f"{count:,} bytes of the server's message are not UTF-8, and U+FFFD replaces each. "
        f"{_where(request, kept)}"
    )
    request.notice = " ".join(filter(None, (request.notice, told)))


def _where(request: Request, kept: KeptBytes | None) -> str:
    if kept is None:
        return "The original bytes could not be stored."
    reading = f"{request.reader} with {kept.token}, path /data (base64)"
    return f"The original bytes: resource {kept.uri}, or {reading}."
