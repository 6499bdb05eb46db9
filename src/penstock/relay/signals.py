"""The signals that end Penstock, so that it ends its servers first."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any, Final

_NAMES: Final = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGBREAK")


def ending_signals() -> list[int]:
    """Return the numbers of these signals. One that this process was told to ignore, as by `nohup`,
    stays ignored."""
    known = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    return [number for number in known if signal.getsignal(number) is not signal.SIG_IGN]


def on_signals(leave: Callable[[int], Any]) -> None:
    """Call `leave` with the number of each such signal, in the main thread."""
    for number in ending_signals():
        signal.signal(number, lambda number, _frame: leave(number))


class EarlySignals:
    """The handler of signals from before a server starts, until the relay has its own handler.

    It raises no exception. Between the start of a process and the line that remembers the process,
    an exception would leave it behind.
    """

    def __init__(self) -> None:
        self._number = 0
        self._end: Callable[[], Any] | None = None
        on_signals(self._leave)

    def ends(self, end: Callable[[], Any]) -> None:
        """From now on, call `end` at a signal, and exit. A signal may have come before."""
        self._end = end
        if self._number:
            self._leave(self._number)

    def _leave(self, number: int) -> None:
        self._number = number
        if self._end is not None:
            self._end()
            os._exit(128 + number)
