"""Messages of upstream's as they were received, and as valid JSON in UTF-8.

What upstream sends is repaired where that can be done, because its tool has run already: U+FFFD replaces
each byte that is not UTF-8, and the message says how many.
"""

from __future__ import annotations

import json
from typing import Final

import msgspec

from penstock.core.json.encoding import encode
from penstock.core.json.utf8 import is_utf8, repaired
from penstock.core.protocol.entries import REPLACED_META
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.messages import Message

UPSTREAM: Final = "upstream"
_SHOWN: Final = 200


class UpstreamMessage(msgspec.Struct, frozen=True):
    """A message as it was read, and the bytes that it can be sent on as."""

    message: Message
    line: bytes
    original: bytes = b""  # the bytes as they came, if they were not UTF-8


def received_in(line: bytes, sender: str = UPSTREAM) -> list[UpstreamMessage]:
    """Return the messages in a line: those of a batch, or one. Leave out what no client could use. The
    log names the `sender`."""
    try:
        batch = messages.batch_of(line)
    except ValueError:
        batch = None  # `_single` logs the line
    if batch is None:
        return _single(line, sender)
    return [found for item in batch for found in _single(item, sender)]


def _single(line: bytes, sender: str) -> list[UpstreamMessage]:
    try:
        return [received(line, sender)]
    except ValueError as error:
        told = "%s sent invalid JSON (%s): %r. A server must print nothing else to stdout"
        logger().warning(told, sender, error, start_of(line))
        return []


def received(line: bytes, sender: str = UPSTREAM) -> UpstreamMessage:
    """Read a message of upstream's. Repair one that holds bytes which are not UTF-8, or that is JSON
    only to Python's `json` module. Raise `NotJson` for anything else."""
    if is_utf8(line):
        return _read(line, sender)
    text, replaced = repaired(line)
    told = "%s sent %d bytes that are not UTF-8; U+FFFD replaces each"
    logger().warning(told, sender, replaced)
    counted = _with_count(_read(text, sender).line, replaced)
    return UpstreamMessage(messages.read_message(counted), counted, line)


def _read(text: bytes, sender: str) -> UpstreamMessage:
    try:
        return UpstreamMessage(messages.read_message(text), text)
    except ValueError:
        again = mended(text)
        if again is None:
            raise
        logger().warning("%s sent invalid JSON, which was repaired", sender)
        return UpstreamMessage(messages.read_message(again), again)


def mended(line: bytes) -> bytes | None:
    """Return valid JSON for a message that only Python's `json` module reads, or None.

    Such a message holds NaN or infinities (null here), raw control characters or a byte order mark.
    """
    try:
        value = json.loads(line.decode("utf-8-sig"), strict=False)
    except (ValueError, RecursionError):
        return None
    return encode(value) if isinstance(value, dict) else None


def _with_count(line: bytes, replaced: int) -> bytes:
    """Return a message with the count of replaced bytes in its `_meta`, if it can have one: an error
    cannot."""
    members: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(line))
    name = next((name for name in ("result", "params") if name in members), "")
    inside = messages.members_of(members.get(name, msgspec.UNSET))
    if not inside:
        return line
    meta = messages.members_of(inside.get("_meta", msgspec.UNSET))
    counted = messages.object_from({**meta, REPLACED_META: b"%d" % replaced})
    members[name] = messages.object_from({**inside, "_meta": counted})
    return messages.object_from(members)


def start_of(line: bytes) -> str:
    """Return the start of a line, for the log."""
    return line[:_SHOWN].decode("utf-8", "replace").rstrip()
