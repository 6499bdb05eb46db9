"""python replay.py FILE: an MCP server on stdin and stdout that lists the tools of a JSON file.

A relay in front of it gets the same list at once, without the original server.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

METHOD_NOT_FOUND = {"error": {"code": -32601, "message": "Method not found"}}


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
        case _:
            return METHOD_NOT_FOUND


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
