"""The tools of the index form: with four of them an agent finds, learns and calls all others.

Reading and writing are two tools, so that a host can let the one through and ask about the other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from penstock.disclosure.directory import Fits, directory
from penstock.encoding import encode

FIND: Final = "find_tools"
DESCRIBE: Final = "describe_tools"
CALL_READ_ONLY: Final = "call_read_only_tool"
CALL: Final = "call_tool"
OWN_NAMES: Final = (FIND, DESCRIBE, CALL_READ_ONLY, CALL)
_PREFIX: Final = "penstock_"

_READS: Final = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}
_WRITES: Final = {"readOnlyHint": False, "destructiveHint": True}
_CALL_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "The tool's name."},
        "arguments": {"type": "object", "description": "Its arguments, by its own schema."},
    },
    "required": ["name"],
}


def own_names(taken: Collection[str]) -> dict[str, str]:
    """What each of our tools is called, where the server may have one of that name."""
    return {name: name if name not in taken else _PREFIX + name for name in OWN_NAMES}


def find_tool(name: str) -> bytes:
    return _tool(
        name,
        "Find tools",
        "Search this server's tools by what you want to do. Replies with the best few: what each "
        "does and what it takes.",
        {"query": {"type": "string", "description": "What you want to do, in a few words."}},
        ["query"],
        _READS,
    )


def describe_tool(name: str, names: Sequence[str], fits: Fits) -> bytes:
    """With a directory of all names, as far as they fit."""

    def with_directory(text: str) -> bytes:
        known = f" All {len(names)}: {text}." if text else f" There are {len(names)}."
        return _tool(
            name,
            "Describe tools",
            f"The full description of tools of this server: parameters, examples.{known}",
            {
                "tools": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Names, exactly as in the directory.",
                }
            },
            ["tools"],
            _READS,
        )

    return with_directory(directory(names, lambda text: fits(with_directory(text).decode())))


def call_tools(names: Mapping[str, str]) -> list[bytes]:
    reads = "Call a tool of this server that only reads. One that may write needs {other}."
    writes = "Call any tool of this server, also one that changes something."
    return [
        encode(
            {
                "name": names[CALL_READ_ONLY],
                "title": "Call a tool that only reads",
                "description": reads.format(other=names[CALL]),
                "inputSchema": _CALL_SCHEMA,
                "annotations": {"title": "Call a tool that only reads", **_READS},
            }
        ),
        encode(
            {
                "name": names[CALL],
                "title": "Call a tool",
                "description": writes,
                "inputSchema": _CALL_SCHEMA,
                "annotations": {"title": "Call a tool", **_WRITES},
            }
        ),
    ]


def _tool(
    name: str,
    title: str,
    description: str,
    properties: Mapping[str, Any],
    required: list[str],
    hints: Mapping[str, bool],
) -> bytes:
    schema = {"type": "object", "properties": properties, "required": required}
    return encode(
        {
            "name": name,
            "title": title,
            "description": description,
            "inputSchema": schema,
            "annotations": {"title": title, **hints},
        }
    )
