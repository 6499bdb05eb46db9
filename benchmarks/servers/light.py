"""python light.py [FOLDER]: an MCP server on stdin and stdout, without an SDK.

Its tools are `echo`, and one for each FILE.json of the folder, which returns that file.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

METHOD_NOT_FOUND = b'"error":{"code":-32601,"message":"Method not found"}'
ECHO_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
ROWS_SCHEMA = {
    "type": "object",
    "properties": {"result": {"type": "array", "items": {"type": "object"}}},
    "required": ["result"],
}


class LightServer:
    def __init__(self, results: dict[str, bytes]) -> None:
        self._results = results

    def answer(self, message: dict[str, Any]) -> tuple[bytes, ...]:
        """Return the parts of the member that answers a request, without copying a large one."""
        match message["method"]:
            case "initialize":
                return _result(_greeting(message["params"]["protocolVersion"]))
            case "tools/list":
                return _result({"tools": self._tools()})
            case "tools/call":
                return self._call(message["params"])
            case _:
                return (METHOD_NOT_FOUND,)

    def _call(self, params: dict[str, Any]) -> tuple[bytes, ...]:
        name = params["name"]
        if name in self._results:
            return b'"result":', self._results[name]
        return _result({"content": [{"type": "text", "text": params["arguments"]["text"]}]})

    def _tools(self) -> list[dict[str, Any]]:
        echo = {
            "name": "echo",
            "description": "Gives back what it is given.",
            "inputSchema": ECHO_SCHEMA,
            "annotations": {"readOnlyHint": True},
        }
        return [echo, *map(_listed, self._results.items())]


def _listed(named: tuple[str, bytes]) -> dict[str, Any]:
    """Return a tool for the list, with an output schema if it has structured content."""
    name, result = named
    tool = {"name": name, "description": "Gives many rows.", "inputSchema": {"type": "object"}}
    return tool if b'"structuredContent":' not in result else {**tool, "outputSchema": ROWS_SCHEMA}


def _greeting(version: str) -> dict[str, Any]:
    return {
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "light", "version": "1"},
    }


def _result(value: dict[str, Any]) -> tuple[bytes, ...]:
    return b'"result":', json.dumps(value, separators=(",", ":")).encode()


def results_in(folder: str) -> dict[str, bytes]:
    found = {}
    for entry in os.scandir(folder):
        with open(entry.path, "rb") as file:  # noqa: PTH123 (pathlib would slow down its start)
            found[entry.name.removesuffix(".json")] = file.read()
    return found


def main() -> None:
    server = LightServer(results_in(sys.argv[1]) if sys.argv[1:] else {})
    output = sys.stdout.buffer
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" in message:
            start = b'{"jsonrpc":"2.0","id":%b,' % json.dumps(message["id"]).encode()
            output.writelines((start, *server.answer(message), b"}\n"))
            output.flush()


if __name__ == "__main__":
    main()
