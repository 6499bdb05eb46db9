"""A scripted upstream: a function from each message to its answers."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Fault(Exception):
    """A JSON-RPC error that a tool answers with."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


def tool(name: str, properties: dict[str, Any] | None = None, **members: Any) -> dict[str, Any]:
    """Return a tool as a list has it. Without properties, its schema allows everything."""
    schema: dict[str, Any] = {"type": "object"}
    if properties is not None:
        schema["properties"] = properties
    return {"name": name, "description": f"The tool {name}.", "inputSchema": schema, **members}


def text(value: Any, **members: Any) -> dict[str, Any]:
    """Return a result with one text block: the text itself, or the JSON of another value."""
    told = value if isinstance(value, str) else json.dumps(value)
    return {"content": [{"type": "text", "text": told}], **members}


@dataclass
class Upstream:
    """A server with tools, and a record of the messages it got."""

    era: str = "legacy"
    tools: list[dict[str, Any]] = field(default_factory=lambda: [tool("rows"), tool("take")])
    results: dict[str, Any] = field(default_factory=dict)  # by tool: a result, or a function
    capabilities: dict[str, Any] = field(default_factory=lambda: {"tools": {"listChanged": True}})
    page_size: int = 1_000
    members: dict[str, Any] = field(default_factory=dict)  # added to every greeting
    listed: dict[str, Any] = field(default_factory=dict)  # added to every list
    seen: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, line: bytes) -> list[bytes]:
        message = json.loads(line)
        if isinstance(message, list):
            answers = [answer for item in message for answer in self._one(item)]
            return [b"[" + b",".join(answers) + b"]"] if answers else []
        return self._one(message)

    def _one(self, message: dict[str, Any]) -> list[bytes]:
        self.seen.append(message)
        if "id" not in message or "method" not in message:
            return []
        try:
            body = {"result": self._result(message["method"], message.get("params") or {})}
        except Fault as fault:
            body = {"error": fault.error}
        return [json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}).encode()]

    def _result(self, method: str, params: dict[str, Any]) -> Any:
        answers: dict[str, Callable[[dict[str, Any]], Any]] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "tools/list": self._list,
            "tools/call": self._call,
        }
        if method not in answers:
            raise Fault(-32601, f"Method not found: {method}")
        return answers[method](params)

    def _initialize(self, params: dict[str, Any]) -> Any:
        if self.era == "modern":
            raise Fault(-32022, "Unsupported", {"supported": ["2026-07-28"], "requested": "?"})
        told = {"protocolVersion": params["protocolVersion"], "capabilities": self.capabilities}
        return {**told, "serverInfo": {"name": "scripted", "version": "1"}, **self.members}

    def _discover(self, _params: dict[str, Any]) -> Any:
        if self.era == "legacy":
            raise Fault(-32601, "Method not found: server/discover")
        told = {"supportedVersions": ["2026-07-28"], "capabilities": self.capabilities}
        return {**told, **self.stamped, "ttlMs": 0, "cacheScope": "public", **self.members}

    @property
    def stamped(self) -> dict[str, Any]:
        return {"resultType": "complete"} if self.era == "modern" else {}

    def _list(self, params: dict[str, Any]) -> Any:
        start = int(params.get("cursor") or 0)
        stop = start + self.page_size
        following = {"nextCursor": str(stop)} if stop < len(self.tools) else {}
        return {"tools": self.tools[start:stop], **following, **self.stamped, **self.listed}

    def _call(self, params: dict[str, Any]) -> Any:
        result = self.results[params["name"]]
        made = result(params.get("arguments", {})) if callable(result) else result
        return {**made, **({} if "resultType" in made else self.stamped)}

    def got(self, method: str) -> list[dict[str, Any]]:
        """Return the parameters of every message with this method."""
        return [
            message.get("params", {}) for message in self.seen if message.get("method") == method
        ]
