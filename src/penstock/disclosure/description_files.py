"""Descriptions in a folder of JSON files, one a tool.

No name is ever made into a path: files are found by looking, and a tool by the name inside its file.
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
# What a list may say of a tool; in a file anything else belongs to its full description alone.
LISTED: Final = frozenset(
    {"name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta", "icons",
     "execution"}
)  # fmt: skip


_KINDS: Final = {"title": str, "description": str, "inputSchema": dict}


def tools_in(folder: str | Path) -> Iterator[DescribedTool]:
    """In the order of the files' names. One that cannot be used is skipped, and logged."""
    path = Path(folder)
    if not path.is_dir():
        raise InvalidSetting("descriptions", path.name, "there is no such folder.")
    found = (_tool_in(file) for file in sorted(path.glob("*.json")))
    return (tool for tool in found if tool is not None)


def _tool_in(file: Path) -> DescribedTool | None:
    """The tool that a file describes. Its name is the one inside, or else the file's."""
    try:
        value = _read(file)
    except (OSError, ValueError, RecursionError) as error:
        logger().warning("the description %s is skipped: %s", file.name, error)
        return None
    name = value.setdefault("name", file.stem)
    if not isinstance(name, str) or not name:
        logger().warning("the description %s is skipped: its name is not text", file.name)
        return None
    if name != file.stem:
        logger().warning("the description %s is of the tool %s", file.name, name)
    for key, kind in _KINDS.items():
        if key in value and not isinstance(value[key], kind):
            logger().warning(
                "%s in the description %s is not used: it is of another type", key, file.name
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
