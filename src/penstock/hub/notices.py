"""Notices about servers that agents have not been told yet."""

from __future__ import annotations

import threading
from typing import Final

_MOST: Final = 20


class Notices:
    def __init__(self) -> None:
        self._told: dict[str, str] = {}
        self._lock = threading.Lock()

    def put(self, about: str, told: str) -> None:
        """Add a notice. It replaces an earlier one about the same."""
        with self._lock:
            self._told.pop(about, None)
            if len(self._told) < _MOST:
                self._told[about] = told

    def withdraw(self, about: str) -> None:
        with self._lock:
            self._told.pop(about, None)

    def take(self) -> str:
        """Return all notices, and forget them."""
        if not self._told:
            return ""
        with self._lock:
            told, self._told = list(self._told.values()), {}
        return " ".join(told)
