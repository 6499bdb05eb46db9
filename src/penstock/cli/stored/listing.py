"""The list of stored results, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from penstock.cli.amounts import duration, plural, size
from penstock.cli.stored.found import StoredResult, id_length
from penstock.cli.terminal import table
from penstock.core.model.stored import Head, Live

_HEADS: Final = ("ID", "SERVER", "TOOL", "STORED", "EXPIRES", "SIZE", "CONTENT")
_TO_RIGHT: Final = (False, False, False, False, False, True, False)
_WIDEST: Final = (64, 24, 40, 16, 16, 10, 40)
_NOUNS: Final = {"rows": "row", "members": "key", "lines": "line"}


def listing(results: Sequence[StoredResult], now: float) -> str:
    length = id_length(results)
    rows = [_HEADS, *(_row(result, length, now) for result in results)]
    return "\n".join(table(rows, _WIDEST, _TO_RIGHT))


def _row(result: StoredResult, length: int, now: float) -> tuple[str, ...]:
    head = result.head
    origin = f", from {head.parents[-1][:length]}" if head.parents else ""
    return (
        result.key[:length],
        result.server,
        head.tool,
        stored(result, now),
        expires(result, now),
        size(head.size),
        content(head) + origin,
    )


def stored(result: StoredResult, now: float) -> str:
    age = now - result.head.created
    return f"{duration(age)} ago" if age >= 1 else "now"


def expires(result: StoredResult, now: float) -> str:
    return f"in {duration(result.entry.expires - now)}"


def content(head: Head) -> str:
    """Return the format and the count of the rows, such as `csv, 1,200 rows`."""
    noun = _NOUNS.get(head.shape)
    kind = head.media_type or head.format or ("text" if head.shape == "lines" else "json")
    parts = [
        *(["error"] if head.is_error else []),
        kind,
        *([plural(head.count, noun)] if noun and not head.media_type else []),
        *(["live"] if isinstance(head.source, Live) else []),
    ]
    return ", ".join(parts)


def as_json(results: Sequence[StoredResult]) -> list[dict[str, Any]]:
    length = id_length(results)
    return [_members(result, length) for result in results]


def _members(result: StoredResult, length: int) -> dict[str, Any]:
    head = result.head
    return {
        "id": result.key[:length],
        "key": result.key,
        "server": result.server,
        "tool": head.tool,
        "stored_at": _moment(head.created),
        "expires_at": _moment(result.entry.expires),
        "size": head.size,
        "stored_bytes": result.entry.size,
        "shape": head.shape,
        "format": head.format,
        "count": head.count,
        "columns": head.columns,
        "is_error": head.is_error,
        "made_from": list(head.parents),
    }


def _moment(seconds: float) -> str | None:
    """Return a time as ISO 8601 in UTC, or None for a time that no calendar has."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, ValueError):
        return None
