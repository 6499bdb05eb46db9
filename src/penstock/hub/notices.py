"""Notices about servers that agents have not been told yet."""

from __future__ import annotations

import threading
from typing import Final

from penstock.disclosure.texts.shortening import clipped

# The notices of one reply take so many characters: the smallest budget must have room for a result.
_MOST_CHARS: Final = 400


class Notices:
    def __init__(self) -> None:
        self._told: dict[str, str] = {}
        self._lock = threading.Lock()

    def put(self, about: str, told: str) -> None:
        """Add a notice. It replaces an earlier one about the same, so there are never many."""
        with self._lock:
            self._told.pop(about, None)
            self._told[about] = clipped(told, _MOST_CHARS)

    def has(self, about: str) -> bool:
        return about in self._told

    def withdraw(self, about: str) -> None:
        with self._lock:
            self._told.pop(about, None)

    def take(self) -> str:
        """Return the oldest notices, as many as one reply has room for, and forget them."""
        if not self._told:
            return ""
        with self._lock:
            taken: list[str] = []
            for about, told in list(self._told.items()):
                if taken and len(" ".join((*taken, told))) > _MOST_CHARS:
                    break
                taken.append(self._told.pop(about))
        return " ".join(taken)
