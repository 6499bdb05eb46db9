"""A gateway's reply in a few words: its size, its rows, and the fields that help an agent go on."""

from __future__ import annotations

from typing import Any, Final

from benchmarks.django_sites import Answer

_SHORT: Final = 70
_FIELDS: Final = (
    "count", "total", "data_size", "total_size", "next", "has_more", "truncated",
    "continuation_token",
)  # fmt: skip
# The names that these packages use for the rows of a page.
_ROWS: Final = ("items", "results")


def told(answer: Answer) -> str:
    if answer.refusal:
        return refused(answer)
    rows, parts = rows_of(answer.value), [_size(len(answer.body))]
    if rows is not None:
        parts.append("1 row" if len(rows) == 1 else f"{len(rows):,} rows")
    if isinstance(answer.value, dict):
        parts += [_field(name, answer.value[name]) for name in _FIELDS if name in answer.value]
    if any(block["type"] == "resource_link" for block in answer.content):
        parts.append("a `resource_link`")
    return ", ".join(parts)


def refused(answer: Answer) -> str:
    if answer.status != 200:
        return f"**{answer.refusal}**"
    if "unknown tool" in answer.refusal.lower():
        return "no such tool"
    return f"refused: “{shortened(answer.refusal)}”"


def rows_of(value: Any) -> list[Any] | None:
    """Return the rows of a list or of a page."""
    if isinstance(value, dict):
        value = next((value[name] for name in _ROWS if name in value), None)
    return value if isinstance(value, list) else None


def shortened(text: str) -> str:
    return text if len(text) <= _SHORT else text[:_SHORT].rsplit(" ", 1)[0] + " …"


def _field(name: str, value: Any) -> str:
    match value:
        case None:
            return f"`{name}` null"
        case bool():
            return f"`{name}` {str(value).lower()}"
        case int():
            return f"`{name}` {value:,}"
        case str() if "://" in value:
            return f"`{name}` (a URL)"
        case _:
            return f"`{name}`"


def _size(count: int) -> str:
    if count < 1_000:
        return f"{count} B"
    if count < 1_000_000:
        return f"{count / 1_000:.1f} kB"
    return f"{count / 1_000_000:.1f} MB"
