"""The team as one of its members knows it, and the marks that name a member.

A session lives in one process, and so does a program that waits for the user. Both have ids that go to
the client and come back with its next request. Each id begins with the mark of its member.
"""

from __future__ import annotations

import re
from typing import Final
from zlib import crc32

import msgspec

_MARKED: Final = re.compile(r"w(\d{1,4})-(.+)", re.DOTALL)


class Team(msgspec.Struct, frozen=True):
    """The members, by the Unix sockets on which they hear each other. `index`: which of them we are."""

    index: int
    paths: tuple[str, ...]

    @property
    def mark(self) -> str:
        return f"w{self.index}-"

    def owner_of(self, marked: str) -> tuple[int, str] | None:
        """Return the member that an id names, and the id without the mark. A team may have been
        larger before: another member takes what comes for one that is gone."""
        match = _MARKED.fullmatch(marked)
        return None if match is None else (int(match[1]) % len(self.paths), match[2])

    def place_of(self, name: str) -> int:
        """Return the member that has the one process of a principal."""
        return crc32(name.encode("utf-8", "surrogatepass")) % len(self.paths)
