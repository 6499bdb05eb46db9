"""Penstock's tools that find, describe and call the tools that a list does not show in full."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from penstock.core.json.encoding import encode
from penstock.disclosure.names import CALL

_READS: Final = {"readOnlyHint": True}
_QUERY: Final[Mapping[str, Any]] = {"query": {"type": "string"}}
_NAMES: Final[Mapping[str, Any]] = {"tools": {"type": "array", "items": {"type": "string"}}}
_WHOLE: Final[Mapping[str, Any]] = {"whole": {"type": "boolean"}}
_AS: Final[Mapping[str, Any]] = {"as": {"enum": ["json", "python"]}}
_CALL_SCHEMA: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["name"],
}


def find_tool(name: str, *, has_limit: bool = False) -> bytes:
    """Return `find_tools`. It always takes a `limit`, and says so with `has_limit`."""
    about = "Finds tools by what they do, and tells what they take (* required)."
    limit = {"limit": {"type": "integer"}} if has_limit else {}
    schema = {"type": "object", "properties": {**_QUERY, **limit}, "required": ["query"]}
    return _tool(name, about, schema, _READS)


def describe_tool(name: str, known: str = "", *, has_programs: bool = False) -> bytes:
    """Return `describe_tools`. `known` says which tools it describes. A client that may run programs
    can ask for signatures of Python."""
    return _describe_tool(name, known, {**_NAMES, **_WHOLE, **(_AS if has_programs else {})})


def describe_in_python_tool(name: str, known: str) -> bytes:
    """Return `describe_tools` for a list in which it answers with signatures of Python unasked. It
    takes all arguments, and says how to see the whole of what it shortens."""
    return _describe_tool(name, known, _NAMES)


def _describe_tool(name: str, known: str, properties: Mapping[str, Any]) -> bytes:
    about = f"Looks up what tools take, if you do not know it.{known}"
    schema = {"type": "object", "properties": properties, "required": ["tools"]}
    return _tool(name, about, schema, _READS)


def call_tool(role: str, own: Mapping[str, str]) -> bytes:
    if role == CALL:
        return _tool(own[role], "Calls any tool.", _CALL_SCHEMA, {})
    return _tool(own[role], "Calls a read-only tool.", _CALL_SCHEMA, _READS)


def _tool(
    name: str, description: str, schema: Mapping[str, Any], hints: Mapping[str, bool]
) -> bytes:
    shown = {"name": name, "description": description, "inputSchema": schema}
    return encode({**shown, "annotations": hints} if hints else shown)
