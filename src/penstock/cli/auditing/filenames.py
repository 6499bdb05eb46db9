"""File names for tools. A tool's name comes from a server, so it is never used as a path.

A name that is safe on every file system stays as it is. Any other name becomes its safe characters
and a digest of the whole name. So two tools never share a file, and a tool always gets the same
file. Readers go by the name inside the file.
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
# Windows treats these names as devices, with any suffix after a dot.
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)


def file_names(tools: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """Return a file name for each tool. None equals a taken name, even in another case."""
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
    # Lengthen the digest until the name is free; nearly always the first one is.
    yield from (f"{stem}-{digest[:length]}{SUFFIX}" for length in range(8, len(digest) + 1, 8))


def is_safe(tool: str) -> bool:
    is_device = tool.partition(".")[0].casefold() in _DEVICES
    return len(tool) <= _LONGEST and not is_device and _SAFE.fullmatch(tool) is not None
