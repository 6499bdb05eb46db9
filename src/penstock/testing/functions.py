"""A server's tools as the functions of a chat-completions request."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from penstock.testing.traces import READ_RESOURCE, RESOURCE_URI

# The characters that endpoints do not allow in the name of a function. MCP allows more.
_NOT_ALLOWED: Final = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST: Final = 64


@dataclass(frozen=True)
class OfferedFunctions:
    """The functions that a request offers, and the tools that they stand for."""

    functions: tuple[dict[str, Any], ...]
    tools: Mapping[str, str]  # tools by the names of their functions
    reads: bool  # `read_resource` is the agent's own function, not a tool of the server.

    @classmethod
    def of(cls, tools: Iterable[Mapping[str, Any]]) -> Self:
        functions: list[dict[str, Any]] = []
        names: dict[str, str] = {}
        for tool in tools:
            name = _function_name(str(tool["name"]), names)
            names[name] = str(tool["name"])
            functions.append(
                _function(name, tool.get("description") or "", tool.get("inputSchema"))
            )
        reads = READ_RESOURCE not in names
        if reads:
            functions.append(_reader())
            names[READ_RESOURCE] = READ_RESOURCE
        return cls(tuple(functions), names, reads)

    def tool_for(self, name: str) -> str | None:
        """Return the tool that a model means. The model may have read its real name elsewhere."""
        return self.tools.get(name, name if name in self.tools.values() else None)


def _function_name(name: str, taken: Collection[str]) -> str:
    plain = _NOT_ALLOWED.sub("_", name)[:_LONGEST]
    number = 2
    while plain in taken:
        ending = f"_{number}"
        plain = _NOT_ALLOWED.sub("_", name)[: _LONGEST - len(ending)] + ending
        number += 1
    return plain


def _function(name: str, description: str, schema: Any) -> dict[str, Any]:
    """Return a function with `properties`: MCP may omit them, but some endpoints need them."""
    parameters = {"type": "object", "properties": {}, **(schema or {})}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function}


def _reader() -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {RESOURCE_URI: {"type": "string"}},
        "required": [RESOURCE_URI],
    }
    return _function(READ_RESOURCE, "Read a resource of this server by its URI.", schema)
