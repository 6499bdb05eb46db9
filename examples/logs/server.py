"""An MCP server that reads log files below one folder, on FastMCP.

    python examples/logs/server.py FOLDER              over stdio
    python examples/logs/server.py FOLDER --http 8000  at http://127.0.0.1:8000/mcp

A log is large by nature, so `read_log` is `@heavy`: an agent gets a probe, and asks for what it
needs by SQL, by pages or by search. The results of the other tools are small.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from entries import BadInput, Entry, Wanted, entries_of
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from folder import Folder
from pydantic import Field

from penstock import heavy
from penstock.adapters.fastmcp import Penstock

MOST_ENTRIES: Final = 500_000
MOST_VALUES: Final = 50

By = Literal["level", "logger", "day", "hour"]
Name = Annotated[str, Field(description="From list_logs.")]
Since = Annotated[
    str | None, Field(description="ISO 8601: 2026-01-31 or 2026-01-31T18:00. Without a zone, UTC.")
]
Until = Annotated[str | None, Field(description="As since; the day or minute named is included.")]
Level = Annotated[str | None, Field(description="This level and above: WARNING, ERROR, …")]


def build(path: Path, middleware: Penstock | None = None) -> FastMCP:
    folder = Folder(path)
    server: FastMCP = FastMCP("logs", middleware=[middleware or Penstock(name="logs")])
    reads = {"readOnlyHint": True}

    @server.tool(annotations=reads)
    def list_logs() -> list[dict[str, Any]]:
        """List the log files, with their sizes and the times of their last change."""
        return list(folder.logs())

    @server.tool(annotations=reads)
    @heavy(ttl="15m", page_size=50)
    def read_log(
        name: Name, since: Since = None, until: Until = None, level: Level = None
    ) -> Iterator[dict[str, Any]]:
        """The entries of a log, as rows: line, time, level, logger, message. A traceback is part
        of its entry's message. Times with a zone are in UTC."""
        with _entries(folder, name) as entries:
            wanted = Wanted.asked(since, until, level)
            for count, entry in enumerate(wanted.of(entries)):
                if count == MOST_ENTRIES:
                    raise BadInput(
                        f"More than {MOST_ENTRIES:,} entries. Ask for fewer by since, until or level."
                    )
                yield entry.row()

    @server.tool(annotations=reads)
    def count_by(name: Name, field: By) -> dict[str, Any]:
        """Count the entries of a log by level, logger, day or hour."""
        with _entries(folder, name) as entries:
            return _counted(entries, field)

    return server


@contextmanager
def _entries(folder: Folder, name: str) -> Iterator[Iterator[Entry]]:
    """Yield the entries of a log, and turn a bad request into an error that the agent reads."""
    try:
        with folder.opened(name) as (lines, changed):
            yield entries_of(lines, changed)
    except BadInput as error:
        raise ToolError(str(error)) from error


def _counted(entries: Iterator[Entry], field: By) -> dict[str, Any]:
    """Count entries by a field: the most frequent value first, days and hours in their order."""
    counts = Counter(_value(entry.row(), field) for entry in entries)
    is_time = field in ("day", "hour")
    ranked = sorted(counts.items(), key=lambda item: str(item[0]) if is_time else -item[1])
    shown = [{field: value, "entries": count} for value, count in ranked[:MOST_VALUES]]
    return {
        "total": counts.total(),
        "counts": shown,
        "omitted": len(counts) - len(shown),
    }


def _value(row: dict[str, Any], field: By) -> str | None:
    if field in ("level", "logger"):
        return row[field] and str(row[field])
    length = len("2026-01-31") if field == "day" else len("2026-01-31T18")
    return row["time"] and str(row["time"])[:length]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description="An MCP server that reads the log files below a folder.",
        epilog="python examples/logs/sample.py FOLDER writes a log to try the server on.",
    )
    parser.add_argument("folder", type=Path, help="the only folder that is read")
    parser.add_argument("--http", type=int, metavar="PORT", help="serve HTTP, on this machine only")
    given = parser.parse_args(arguments)
    try:
        server = build(given.folder)
    except OSError as error:
        parser.error(f"{given.folder}: {error.strerror or 'is not a folder'}")
    if given.http is None:
        server.run(show_banner=False)
    else:
        server.run("http", host="127.0.0.1", port=given.http, show_banner=False)


if __name__ == "__main__":
    main()
