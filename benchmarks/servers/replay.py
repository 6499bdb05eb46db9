"""python replay.py FILE: an MCP server on stdin and stdout that lists the tools of a JSON file.

A relay in front of it gets the same list at once, without the original server. A call succeeds if
its arguments match the tool's input schema. Otherwise it fails as in the MCP SDK for Python.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs

METHOD_NOT_FOUND = {"error": {"code": -32601, "message": "Method not found"}}
DONE = "Done."


def answer(message: dict[str, Any], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the member that answers a request."""
    match message["method"]:
        case "initialize":
            greeting = {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "replay", "version": "1"},
            }
            return {"result": greeting}
        case "tools/list":
            return {"result": {"tools": tools}}
        case "tools/call":
            wrong = _wrong(message["params"], tools)
            text = {"type": "text", "text": wrong or DONE}
            return {"result": {"content": [text], "isError": bool(wrong)}}
        case _:
            return METHOD_NOT_FOUND


def _wrong(params: dict[str, Any], tools: list[dict[str, Any]]) -> str:
    """Return what is wrong with a call. A schema that cannot be checked admits everything."""
    tool = next((tool for tool in tools if tool["name"] == params["name"]), None)
    if tool is None:
        return f"Unknown tool: {params['name']}"
    try:
        jsonschema_rs.validate(tool["inputSchema"], params.get("arguments", {}))
    except jsonschema_rs.ValidationError as error:
        return f"Input validation error: {error.message}"
    except ValueError:
        return ""
    return ""


def main() -> None:
    tools = json.loads(Path(sys.argv[1]).read_bytes())
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" in message:
            reply = {"jsonrpc": "2.0", "id": message["id"], **answer(message, tools)}
            sys.stdout.buffer.write(json.dumps(reply, separators=(",", ":")).encode() + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
