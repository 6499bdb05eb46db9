"""Descriptions from a folder with one JSON file for each tool.

A tool's name is never made into a path: the folder is listed, and each file names its tool.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.disclosure.described_tool import DescribedTool
from penstock.errors import InvalidSetting
from penstock.log import logger

LARGEST_FILE: Final = 5_000_000
# Members that a list may hold. Any other member of a file appears only in the full description.
LISTED: Final = frozenset(
    {"name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta", "icons",
     "execution"}
)  # fmt: skip


_KINDS: Final = {"title": str, "description": str, "inputSchema": dict}


def tools_in(folder: str | Path) -> Iterator[DescribedTool]:
    """Yield the tools in the order of the files' names. Skip and log a file that cannot be used."""
    path = Path(folder)
    if not path.is_dir():
        raise InvalidSetting("descriptions", path.name, "there is no such folder.")
    found = (_tool_in(file) for file in sorted(path.glob("*.json")))
    return (tool for tool in found if tool is not None)


def _tool_in(file: Path) -> DescribedTool | None:
    """Return the tool that a file describes. Its name is in the file, or else the file's name."""
    try:
        value = _read(file)
    except (OSError, ValueError, RecursionError) as error:
        logger().warning("skipping the description %s: %s", file.name, error)
        return None
    name = value.setdefault("name", file.stem)
    if not isinstance(name, str) or not name:
        logger().warning("skipping the description %s: its name is not text", file.name)
        return None
    if name != file.stem:
        logger().warning("the file %s describes the tool %s", file.name, name)
    for key, kind in _KINDS.items():
        if key in value and not isinstance(value[key], kind):
            logger().warning(
                "ignoring %s in the description %s: it has the wrong type", key, file.name
            )
            del value[key]
    listed = {key: item for key, item in value.items() if key in LISTED}
    more = {key: item for key, item in value.items() if key not in LISTED}
    return DescribedTool(name, encode(listed), more)


def _read(file: Path) -> dict[str, Any]:
    if file.stat().st_size > LARGEST_FILE:
        raise ValueError(f"larger than {LARGEST_FILE} bytes")
    value = rawjson.decode(rawjson.compact(file.read_bytes()))
    if isinstance(value, dict):
        return value
    raise ValueError("not a JSON object")
