"""Messages of upstream that were not read, and the requests that they may have answered.

A message may be too long, or too large for the memory that is left. Its two ends are known: servers
write the id of an answer before the result or after it. If no end tells the id, the message may have
answered any request that waits. These get an error then, because their answer may never come.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

from penstock.log import logger
from penstock.wire import messages
from penstock.wire.messages import UPSTREAM_GONE

MOST_UPSTREAM: Final = 256_000_000  # bytes of one message, unless the settings say otherwise
ENDS_KEPT: Final = 4_096  # bytes of the start and of the end
_MEGABYTE: Final = 1_000_000
_SCALAR: Final = rb'("(?:[^"\\]++|\\.)*+"|-?[0-9][0-9.eE+-]*+|true|false|null)'
_OPENING: Final = re.compile(rb"[ \t\r]*\{[ \t\r]*")
_MEMBER: Final = re.compile(rb'"(\w+)"[ \t\r]*:[ \t\r]*' + _SCALAR + rb"[ \t\r]*(?:,[ \t\r]*|\})")
_NAME: Final = re.compile(rb'"(\w+)"[ \t\r]*:')
_CLOSING: Final = re.compile(rb"[ \t\r]*\}[ \t\r\n]*\Z")
_LAST_MEMBER: Final = re.compile(rb',[ \t\r]*"(\w+)"[ \t\r]*:[ \t\r]*' + _SCALAR + rb"[ \t\r]*\Z")
_STEP: Final = (
    "The tool may have run, so do not simply repeat a call that writes. Ask for less of the data"
)


class Unread(msgspec.Struct):
    """One such message. Its end changes while it is skipped."""

    why: str  # after "The MCP server sent a message that"
    step: str
    start: bytes = b""
    end: bytes = b""
    is_final: bool = False  # no more will be known
    is_settled: bool = False  # the requests concerned have their errors

    @property
    def members(self) -> dict[bytes, bytes]:
        """The members at the top level that are texts or numbers, as far as the two ends show them."""
        found = _members_at_end(self.end) if self.is_final else {}
        return {**found, **_members_at_start(self.start)[0]}

    @property
    def is_no_answer(self) -> bool:
        """Return whether this is a notification, or a request of upstream's, beyond doubt."""
        return b"method" in self.members or _members_at_start(self.start)[1] == b"params"

    def answers(self, waiting: Iterable[bytes]) -> list[bytes]:
        """Return an error for each request that the message may have answered, of those that wait
        for upstream. Return none as long as more may become known."""
        keys = list(waiting)
        if self.is_no_answer:
            self.is_settled = True
            logger().warning("dropped a message of the MCP server that %s", self.why)
            return []
        named = self.members.get(b"id")
        if named is not None:
            key = messages.id_key(named)
            return self._settled([key] if key in keys else [], self.told)
        if len(keys) == 1:
            return self._settled(keys, self.told)
        return self._settled(keys, self._told_all) if self.is_final else []

    def _settled(self, keys: list[bytes], told: str) -> list[bytes]:
        self.is_settled = True
        logger().warning("the MCP server sent a message that %s; it is lost", self.why)
        return [messages.failure(key, UPSTREAM_GONE, told) for key in keys]

    @property
    def told(self) -> str:
        """The error for the request that the message answered."""
        return f"The MCP server's answer {self.why}. {_STEP}{self.step}"

    @property
    def _told_all(self) -> str:
        return (
            f"The MCP server sent a message that {self.why}. It does not show which request it "
            f"answers, so it may have been the answer to this one. {_STEP}{self.step}"
        )


def too_long(most: int) -> Unread:
    step = ", or let the user raise --max-upstream."
    return Unread(f"is over {_size(most)}, the most that Penstock reads", step)


def no_memory() -> Unread:
    return Unread("is too large for the memory that is left", ".")


def unhandled(line: bytes, error: Exception) -> Unread:
    """Return the message for a line that could not be handled."""
    if isinstance(error, MemoryError):
        unread = no_memory()
    else:
        unread = Unread("Penstock could not handle; its log says why", ".")
    unread.start, unread.end, unread.is_final = line[:ENDS_KEPT], line[-ENDS_KEPT:], True
    return unread


def _size(number: int) -> str:
    return f"{number / _MEGABYTE:,.6g} MB"


def _members_at_start(text: bytes) -> tuple[dict[bytes, bytes], bytes]:
    """Return the members before the first object or list, and the name of the latter."""
    opening = _OPENING.match(text)
    found: dict[bytes, bytes] = {}
    if opening is None:
        return found, b""
    at = opening.end()
    while member := _MEMBER.match(text, at):
        found[member[1]] = member[2]
        at = member.end()
    name = _NAME.match(text, at)
    return found, b"" if name is None else name[1]


def _members_at_end(text: bytes) -> dict[bytes, bytes]:
    """Return the members after the last object or list.

    The last brace ends the message, and between it and such a member is neither a brace nor a
    bracket outside of texts. So the member belongs to the message itself.
    """
    closing = _CLOSING.search(text)
    found: dict[bytes, bytes] = {}
    end = -1 if closing is None else closing.start()
    while end > 0 and (member := _LAST_MEMBER.search(text, 0, end)):
        found.setdefault(member[1], member[2])
        end = member.start()
    return found
