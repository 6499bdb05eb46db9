"""The annotations of a tool without the values that say nothing.

Hosts read a hint that is missing as its default. So a hint with its default value can be left out,
and so can hints about writing for a tool that only reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.schemas.slimming import repeats

_DEFAULTS: Final[Mapping[str, bool]] = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": True,
}
_ABOUT_WRITING: Final = ("destructiveHint", "idempotentHint")


def labels(tool: DescribedTool) -> dict[str, Any]:
    """Return the title and the annotations of a tool, as a shorter list shows them. A title that
    repeats the tool's name is left out, because hosts show the name instead."""
    hints = {
        name: value
        for name, value in tool.annotations.items()
        if name != "title"
        and not (name in _DEFAULTS and value is _DEFAULTS[name])
        and not (tool.is_read_only and name in _ABOUT_WRITING)
    }
    title = {} if repeats(tool.title, tool.name) else {"title": tool.title}
    # Clients of every revision find a title in the annotations.
    shown = {**(title if tool.title else {}), **hints}
    return {"annotations": shown} if shown else {}
