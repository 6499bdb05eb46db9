"""The tools of the listing form `index`: four, with which an agent finds and calls all others.

Calls that read and calls that write have separate tools, so that a host can allow the first and ask
the user about the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from penstock.core.json.encoding import encode
from penstock.disclosure.directory import directory
from penstock.disclosure.names import CALL, CALL_READ_ONLY, FIND

_READS: Final = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
_WRITES: Final = {"readOnlyHint": False, "destructiveHint": True}
_CALL_SCHEMA: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["name"],
}


# Part of the description of `describe_tools` in the form `brief`. A host may show the model nothing
# else of the workflow.
IN_BRIEF: Final = " Tools listed without parameters may have some: learn them here before a call."


def find_tool(names: Mapping[str, str]) -> bytes:
    return _tool(
        names[FIND],
        "Find tools",
        "Search this server's tools by what you want to do. Gives the best few: what each "
        f"does and what it takes (* = required). Call them through {names[CALL]}.",
        _schema({"query": {"type": "string"}}),
        _READS,
    )


def describe_tool(name: str, known: str = "") -> bytes:
    """Return `describe_tools`. `known` says which tools it describes."""
    return _tool(
        name,
        "Describe tools",
        f"How tools of this server are used: parameters, examples.{known}",
        _schema({"tools": {"type": "array", "items": {"type": "string"}}}),
        _READS,
    )


def describe_tool_with(name: str, names: Sequence[str], fits: Callable[[bytes], bool]) -> bytes:
    """Return `describe_tools` with a directory of all names, as detailed as fits."""

    def listed(text: str) -> bytes:
        known = f" All {len(names)}: {text}." if text else f" {len(names)} tools."
        return describe_tool(name, known)

    return listed(directory(names, lambda text: fits(listed(text))))


def call_tools(names: Mapping[str, str]) -> list[bytes]:
    return [
        _tool(
            names[CALL_READ_ONLY],
            "Call a tool that only reads",
            f"Call a tool that is declared read-only. Any other needs {names[CALL]}.",
            _CALL_SCHEMA,
            _READS,
        ),
        _tool(
            names[CALL],
            "Call a tool",
            "Call any tool of this server, also one that changes something.",
            _CALL_SCHEMA,
            _WRITES,
        ),
    ]


def _schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _tool(
    name: str,
    title: str,
    description: str,
    schema: Mapping[str, Any],
    hints: Mapping[str, bool],
) -> bytes:
    """Return a tool. Its title is in `annotations`, where clients of every revision find it."""
    return encode(
        {
            "name": name,
            "description": description,
            "inputSchema": schema,
            "annotations": {"title": title, **hints},
        }
    )
