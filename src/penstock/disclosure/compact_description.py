"""The description of a tool with what a call needs, for a reply to an agent."""

from __future__ import annotations

from typing import Any, NamedTuple

from penstock.core.json.encoding import encode
from penstock.disclosure.described_tool import DescribedTool, as_table
from penstock.disclosure.schemas.compact import CompactSchema
from penstock.disclosure.texts.shortening import sentences


class CompactDescription(NamedTuple):
    """A description, and whether the whole one says more that a call may need."""

    shown: bytes
    is_cut: bool = False


def compact_description(tool: DescribedTool, said: set[str]) -> CompactDescription:
    """Return a compact description. `said` holds sentences that the reply has already, and grows."""
    if not tool.listed:
        return CompactDescription(tool.full)
    schema = CompactSchema(as_table(tool.more.get("inputSchema")) or tool.schema, tool.name, said)
    made = schema.made(sentences(tool.description))
    shown: dict[str, Any] = {"description": tool.description, "inputSchema": made}
    read_only = {"read_only": True} if tool.is_read_only else {}
    more = {name: value for name, value in tool.more.items() if name != "inputSchema"}
    return CompactDescription(
        encode({**{k: v for k, v in shown.items() if v}, **read_only, **more}), schema.is_cut
    )
