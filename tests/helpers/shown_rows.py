"""The rows of a reply, in whichever of the two forms the reply has them."""

from __future__ import annotations

from typing import Any


def shown_rows(page: dict[str, Any]) -> list[Any]:
    """Return the rows of a page as objects. A row that was too large stays a stub."""
    if "items" in page:
        return list(page["items"])
    return [
        row if isinstance(row, dict) else dict(zip(page["columns"], row, strict=True))
        for row in page["rows"]
    ]
