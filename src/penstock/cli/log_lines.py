"""The form of the log on stderr: one line for each record, which no server can forge or colour."""

from __future__ import annotations

import logging


class LogLines(logging.Formatter):
    """A formatter that escapes messages. The lines of a traceback are indented."""

    def format(self, record: logging.LogRecord) -> str:
        # Imported late, because most processes log nothing.
        from penstock.cli.terminal import printable

        first = printable(f"penstock: {record.levelname}: {record.getMessage()}")
        after = self.formatException(record.exc_info) if record.exc_info else ""
        return "\n".join([first, *(f"  {printable(line)}" for line in after.split("\n") if line)])
