"""File names for tools. A tool's name comes from a server, and is never a path.

A name that any file system takes as it is stays as it is. Any other is spelled with what is safe of
it and a digest of the whole, so that two tools never share a file and the same tool always gets the
same one. The name inside the file is what counts.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable
from typing import Final

SUFFIX: Final = ".json"
_LONGEST: Final = 100
_SAFE: Final = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?", re.ASCII)
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]+", re.ASCII)
# Windows takes these for devices, whatever comes after a dot.
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)


def file_names(tools: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """A file name for each tool; none of those that are taken, whatever the case of letters."""
    used = {name.casefold() for name in taken}
    chosen: dict[str, str] = {}
    for tool in tools:
        found = next(name for name in _candidates(tool) if name.casefold() not in used)
        used.add(found.casefold())
        chosen[tool] = found
    return chosen


def _candidates(tool: str) -> Iterable[str]:
    if is_safe(tool):
        yield tool + SUFFIX
    stem = _UNSAFE.sub("_", tool).strip("_-")[: _LONGEST // 2] or "tool"
    digest = hashlib.sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()
    # The digest grows until there is no other file of that name, which is at once.
    yield from (f"{stem}-{digest[:length]}{SUFFIX}" for length in range(8, len(digest) + 1, 8))


def is_safe(tool: str) -> bool:
    is_device = tool.partition(".")[0].casefold() in _DEVICES
    return len(tool) <= _LONGEST and not is_device and _SAFE.fullmatch(tool) is not None
