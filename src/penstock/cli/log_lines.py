"""The form of the log on stderr: one line for each record, which no server can forge or colour, and few
lines of one kind, because a server may cause them without end."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from typing import Final

_MOST_ALIKE: Final = 5
_SECONDS: Final = 60.0
_MOST_KINDS: Final = 1_000
_LONGEST: Final = 200
_LAST: Final = " (more warnings like this are left out for a minute)"


class LogLines(logging.Formatter):
    """A formatter that escapes messages. The lines of a traceback are indented."""

    def format(self, record: logging.LogRecord) -> str:
        # Imported late, because most processes log nothing.
        from penstock.cli.terminal import printable

        first = printable(f"penstock: {record.levelname}: {record.getMessage()}")
        after = self.formatException(record.exc_info) if record.exc_info else ""
        return "\n".join([first, *(f"  {printable(line)}" for line in after.split("\n") if line)])


class FewAlike(logging.Filter):
    """A filter that lets five warnings of one kind pass in a minute. The last of these says so. Errors
    always pass."""

    def __init__(self) -> None:
        super().__init__()
        self._passed: Counter[tuple[str, str]] = Counter()
        self._until = 0.0
        self._lock = threading.Lock()  # A handler is not locked while it filters.

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno != logging.WARNING or record.exc_info:
            return True
        with self._lock:
            if record.created > self._until:
                self._passed.clear()
                self._until = record.created + _SECONDS
            kind = self._kind(record)
            self._passed[kind] += 1
            passed = self._passed[kind]
        if passed == _MOST_ALIKE:
            record.msg = f"{record.msg}{_LAST}"
        return passed <= _MOST_ALIKE

    def _kind(self, record: logging.LogRecord) -> tuple[str, str]:
        """Return the kind of a warning: its text, and the first value in it, mostly a server's name. A
        stranger may have chosen the value, so there are not many kinds."""
        about = record.args[0] if isinstance(record.args, tuple) and record.args else ""
        is_short = isinstance(about, str) and len(about) <= _LONGEST
        return str(record.msg), str(about) if is_short and len(self._passed) < _MOST_KINDS else ""
