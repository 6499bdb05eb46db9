"""Batches of requests, a feature of revision 2025-03-26."""

from __future__ import annotations

import threading


class Batch:
    """The requests of one batch. Their answers go back as one array."""

    def __init__(self, keys: set[bytes], answers: list[bytes]) -> None:
        self._unanswered = keys
        self._answers = answers  # at first, the errors for members that are not messages
        self._lock = threading.Lock()
        self.has_only_errors = (
            bool(answers) and not keys
        )  # `whole` is complete: no request will follow

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
