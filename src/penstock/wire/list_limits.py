"""The limits of a list that comes in pages: a server may send pages without end.

A list over a limit is refused as a whole, because half a list would look like a whole one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

MOST_PAGES: Final = 1_000
MOST_TOOLS: Final = 50_000
MOST_BYTES: Final = 50_000_000
_LIMITS: Final = (
    f"At most {MOST_PAGES:,} pages, {MOST_TOOLS:,} tools and {MOST_BYTES // 1_000_000} MB are read."
)
_SHOWN: Final = 100


class PageCount:
    """The pages of one list that were read so far."""

    def __init__(self) -> None:
        self.pages = 0
        self._tools = 0
        self._bytes = 0
        self._cursors: set[str] = set()

    def add(self, tools: Iterable[bytes | msgspec.Raw], cursor: str | None) -> str:
        """Count a page, and the cursor of the next one. Return why the list cannot be read, as the
        end of a sentence about the list, or ""."""
        sizes = [len(memoryview(tool)) for tool in tools]
        self.pages += 1
        self._tools += len(sizes)
        self._bytes += sum(sizes)
        if self._tools > MOST_TOOLS or self._bytes > MOST_BYTES:
            return (
                f"is too large: it has {self._tools:,} tools and {self._bytes:,} bytes after "
                f"page {self.pages:,}. {_LIMITS}"
            )
        if cursor is None:
            return ""
        if cursor in self._cursors:
            return f"repeats the cursor {cursor[:_SHOWN]!r} after page {self.pages:,}."
        self._cursors.add(cursor)
        if self.pages >= MOST_PAGES:
            return (
                f"does not end: after {self.pages:,} pages and {self._tools:,} tools there is "
                f"still a next page. {_LIMITS}"
            )
        return ""
