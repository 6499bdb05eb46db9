"""The pauses before something that fails is tried again."""

from __future__ import annotations

from typing import Final

_FIRST: Final = 0.5  # seconds
_LONGEST: Final = 300.0
_MOST_DOUBLINGS: Final = 20
_LASTING: Final = 60.0  # seconds after which what ends had not failed to begin


class Backoff:
    """Pauses that grow with each failure, and begin anew after what lasted."""

    def __init__(self) -> None:
        self._failures = 0
        self._began: float | None = None

    def begin(self, now: float) -> None:
        self._began = now

    def end(self, now: float) -> float:
        """Return for how many seconds to wait."""
        if self._began is not None and now - self._began >= _LASTING:
            self._failures = 0
        self._began = None
        pause: float = min(_FIRST * 2 ** min(self._failures, _MOST_DOUBLINGS), _LONGEST)
        self._failures += 1
        return pause
