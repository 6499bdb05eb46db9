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


class LogLines(logging.Formatter):
    """A formatter that escapes messages. The lines of a traceback are indented."""

    def format(self, record: logging.LogRecord) -> str:
        # Imported late, because most processes log nothing.
        from penstock.cli.terminal import printable

        left_out = getattr(record, "left_out", 0)
        more = f" (and {left_out:,} more like this, which are left out)" if left_out else ""
        first = printable(f"penstock: {record.levelname}: {record.getMessage()}{more}")
        after = self.formatException(record.exc_info) if record.exc_info else ""
        return "\n".join([first, *(f"  {printable(line)}" for line in after.split("\n") if line)])


class FewAlike(logging.Filter):
    """A filter that lets five warnings of one kind pass in a minute. The next one says how many were
    left out."""

    def __init__(self) -> None:
        super().__init__()
        self._passed: Counter[tuple[str, str]] = Counter()
        self._left_out: Counter[tuple[str, str]] = Counter()
        self._until = 0.0
        self._lock = threading.Lock()  # A handler is not locked while it filters.

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return True
        with self._lock:
            if record.created > self._until:
                self._passed.clear()
                self._until = record.created + _SECONDS
            kind = self._kind(record)
            self._passed[kind] += 1
            if self._passed[kind] > _MOST_ALIKE:
                self._left_out[kind] += 1
                return False
            record.left_out = self._left_out.pop(kind, 0)
        return True

    def _kind(self, record: logging.LogRecord) -> tuple[str, str]:
        """Return the kind of a record: what it tells, and about which server. A stranger may have chosen
        the second, so there are not many kinds."""
        about = record.args[0] if isinstance(record.args, tuple) and record.args else ""
        is_name = isinstance(about, str) and len(self._passed) + len(self._left_out) < _MOST_KINDS
        return str(record.msg), str(about) if is_name else ""
