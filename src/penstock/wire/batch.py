"""Batches of requests, a feature of revision 2025-03-26."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from penstock.wire import messages
from penstock.wire.messages import INVALID_REQUEST, Message


class Batch:
    """The requests of one batch. Their answers go back as one array."""

    def __init__(self, keys: set[bytes], answers: list[bytes]) -> None:
        self._unanswered = keys
        self._answers = answers  # at first, the errors for members that are not messages
        self._lock = threading.Lock()
        self.has_only_errors = (
            bool(answers) and not keys
        )  # `whole` is complete: no request will follow

    @classmethod
    def of(cls, read: Sequence[Message | None]) -> Batch:
        """Return the batch of these messages. None stands for a member that is no message."""
        wrong = messages.failure(b"", INVALID_REQUEST, "Not a message.")
        return cls(
            {message.key for message in read if message is not None and message.is_request},
            [wrong for message in read if message is None],
        )

    def add(self, key: bytes, message: bytes | None) -> bytes | None:
        """Add an answer, or None if none will come. Return the array after the last answer."""
        with self._lock:
            self._unanswered.discard(key)
            if message is not None:
                self._answers.append(message)
            if self._unanswered or not self._answers:
                return None
            whole, self._answers = self.whole, []  # an id that stands twice is answered again later
            return whole

    @property
    def whole(self) -> bytes:
        return b"[" + b",".join(self._answers) + b"]"
