"""Answers of upstream's that no request waits for: too late, twice, or under an id that nobody gave.

A client may still take such an answer for the one that it waits for: some read the id 8.0 or "8" as 8.
So a large one is held to the budget or dropped.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from penstock.core.model.recent import Recent
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.messages import UPSTREAM_GONE, Message
from penstock.wire.outputs import Outputs, ToClient
from penstock.wire.request import Connection

_MOST_CANCELLED: Final = 10_000
_MOST_ANSWERED: Final = 100


class LateAnswers:
    """The requests that lately ended, by id, and what their answers mean if they come still."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._cancelled: Recent[bytes, bool] = Recent(_MOST_CANCELLED)
        self._given_up: Recent[bytes, bool] = Recent(_MOST_CANCELLED)
        # A deque, because every request comes here, and two threads may append to one.
        self._answered: deque[bytes] = deque(maxlen=_MOST_ANSWERED)

    def note_cancelled(self, key: bytes) -> None:
        """Note that the client has cancelled a request that upstream has."""
        self._cancelled.put(key, True)

    def note_given_up(self, key: bytes) -> None:
        """Note that the client gets an error in the place of upstream's answer."""
        self._given_up.put(key, True)

    def note_answered(self, key: bytes) -> None:
        """Note that the client has the answer to a request."""
        self._answered.append(key)

    def taken(self, message: Message, line: bytes) -> Outputs | None:
        """Take an answer that no request waits for: drop it, or send it to the client. Return None if
        it has to be held to the budget first."""
        key = message.key
        if self._given_up.pop(key):
            return []
        was_cancelled = self._cancelled.pop(key)
        replaced = self._connection.replaced.get(key)
        if replaced is not None:  # upstream repeats it after a broken stream: send the same token
            return [ToClient(replaced, key)]
        is_small = self._connection.rules.policy.inline_budget.surely_admits(len(line))
        if was_cancelled and (not is_small or messages.code_of(message) == UPSTREAM_GONE):
            return []  # UPSTREAM_GONE is our own error: upstream had the cancelled request
        if is_small:
            return [ToClient(line)]
        if key in self._answered:
            logger().warning("upstream answered a request twice")
            return []
        return None
