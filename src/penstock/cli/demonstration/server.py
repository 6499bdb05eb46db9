"""An MCP server over stdio, made of plain functions. It speaks both eras and needs no SDK."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from penstock._version import __version__
from penstock.core.json.encoding import encode
from penstock.wire import eras
from penstock.wire.messages import INVALID_PARAMS, METHOD_NOT_FOUND

_CAPABILITIES: Final[Mapping[str, Any]] = {"tools": {}}
_CACHEABLE: Final[Mapping[str, Any]] = {"ttlMs": 60_000, "cacheScope": "public"}


@dataclass(frozen=True)
class DemoTool:
    """A function, and what the list of tools says about it."""

    name: str
    description: str
    run: Callable[..., Any]
    # The JSON Schema of each parameter. A parameter with a default is optional.
    parameters: Mapping[str, Any] = field(default_factory=dict)
    is_read_only: bool = True

    @property
    def listed(self) -> dict[str, Any]:
        required = [name for name, schema in self.parameters.items() if "default" not in schema]
        return {
            "name": self.name,
            "description": self.description,
            "inputSchema": {"type": "object", "properties": self.parameters, "required": required},
            "annotations": {"readOnlyHint": self.is_read_only},
        }

    def call(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Run the function. Return its value as text, or its failure as an error of the tool."""
        try:
            value = self.run(**arguments)
        except Exception as error:  # noqa: BLE001 (a server outlives the failure of a tool)
            return {**_text(f"{type(error).__name__}: {error}"), "isError": True}
        return _text(value if isinstance(value, str) else encode(value).decode())


class DemoServer:
    """The tools under one name, and the answers to a client that asks for them."""

    def __init__(self, name: str, tools: Iterable[DemoTool]) -> None:
        self._info = {"name": name, "version": __version__}
        self._tools = {tool.name: tool for tool in tools}

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        head = {"jsonrpc": "2.0", "id": request["id"]}
        params = request.get("params", {})
        is_modern = eras.VERSION_META in params.get("_meta", {})
        body = self._result(request["method"], params, _CACHEABLE if is_modern else {})
        if "code" in body:
            return {**head, "error": body}
        return {**head, "result": {**body, **(eras.COMPLETE if is_modern else {})}}

    def _result(
        self, method: str, params: Mapping[str, Any], cacheable: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the result of a request, or an error with its code."""
        match method:
            case "initialize":
                return self._greeting(params["protocolVersion"])
            case "server/discover":
                versions = list(eras.MODERN_VERSIONS)
                return {"supportedVersions": versions, "capabilities": _CAPABILITIES, **cacheable}
            case "ping":
                return {}
            case "tools/list":
                return {"tools": [tool.listed for tool in self._tools.values()], **cacheable}
            case "tools/call" if params["name"] in self._tools:
                return self._tools[params["name"]].call(params.get("arguments", {}))
            case "tools/call":
                return {"code": INVALID_PARAMS, "message": f"Unknown tool: {params['name']}"}
        return {"code": METHOD_NOT_FOUND, "message": f"Method not found: {method}"}

    def _greeting(self, version: str) -> dict[str, Any]:
        known = version if version in eras.LEGACY_VERSIONS else eras.LEGACY_VERSIONS[0]
        return {"protocolVersion": known, "capabilities": _CAPABILITIES, "serverInfo": self._info}


def serve(name: str, tools: Iterable[DemoTool]) -> None:
    """Answer the requests on stdin until it ends. Notifications need no answer."""
    server = DemoServer(name, tools)
    for line in sys.stdin.buffer:
        message = msgspec.json.decode(line)
        if "method" in message and "id" in message:
            sys.stdout.buffer.write(encode(server.answer(message)) + b"\n")
            sys.stdout.buffer.flush()


def _text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}
