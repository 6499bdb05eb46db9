"""Batches of requests, which revision 2025-03-26 had."""

from __future__ import annotations

import threading


class Batch:
    """The requests of one batch. Their answers go back as one array."""

    def __init__(self, keys: set[bytes], answers: list[bytes]) -> None:
        """`answers`: what is known already of members that are no messages."""
        self._open = keys
        self._answers = answers
        self._lock = threading.Lock()
        self.is_wrong = bool(answers) and not keys

    def add(self, key: bytes, message: bytes | None) -> bytes | None:
        """The array, once the last answer is there. None for an answer that will never come."""
        with self._lock:
            self._open.discard(key)
            if message is not None:
                self._answers.append(message)
            return None if self._open or not self._answers else self.whole

    @property
    def whole(self) -> bytes:
        return b"[" + b",".join(self._answers) + b"]"
