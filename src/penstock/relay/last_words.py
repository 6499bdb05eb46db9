"""The end of the log of a process whose log nobody sees: it often says why the process failed."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Final

from penstock.relay.secret_words import shown_text, without_secrets

_MOST: Final = 4_000  # bytes that are kept
_READ: Final = 1 << 16
_LAST_SECONDS: Final = 0.5
_COLOURS: Final = re.compile(r"\x1b\[[\d;]*[A-Za-z]")
# A line that names an error, as Python, Node.js and Java write it. `AuthError:` names no secret.
_ERROR: Final = re.compile(r"(?:[\w.]*(?:Error|Exception)\b(?: \[\w+\])?: )")


class LastWords:
    """A thread that reads a pipe to its end, so that the process never waits, and keeps the last lines.

    A process that the server left behind may hold the pipe. Then the thread is left behind too.
    """

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._kept = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with self._pipe, suppress(OSError):
            while more := os.read(self._pipe.fileno(), _READ):
                self._kept = (self._kept + more)[-_MOST:]

    def line(self, secrets: Sequence[str], most: int) -> str:
        """Return the line that says most about a failure, without secrets and cut to `most`
        characters, or "" if there is none."""
        self._thread.join(_LAST_SECONDS)  # The last bytes may still be in the pipe.
        kept = self._kept
        if len(kept) == _MOST:  # The first line may have lost its start, and half a secret.
            kept = kept.partition(b"\n")[2]
        text = _COLOURS.sub("", kept.decode("utf-8", "replace"))
        # First hide and then cut: half a secret would not be recognised.
        each_line = [line for secret in secrets for line in secret.splitlines()]
        hidden = without_secrets(text, (*secrets, *each_line))
        line = _shown(_telling([line.strip() for line in hidden.splitlines() if line.strip()]))
        return line if len(line) <= most else f"{line[:most]}…"


def _telling(lines: Sequence[str]) -> str:
    """Return the last line that names an error, or else the last one: Node.js ends with its version."""
    named = (line for line in reversed(lines) if _ERROR.match(line))
    return next(named, lines[-1] if lines else "")


def _shown(line: str) -> str:
    error = _ERROR.match(line)
    start = error.end() if error else 0
    return line[:start] + shown_text(line[start:])
