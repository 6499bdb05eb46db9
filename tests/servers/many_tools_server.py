"""An MCP server with forty tools, in both eras, over stdio: too many for a list of 2,000 tokens.

It has no SDK, so it starts at once. It refuses arguments that a tool does not have, as a server
should.
"""

from __future__ import annotations

import json
import sys
from typing import Any

VERSION = "io.modelcontextprotocol/protocolVersion"
TEXT = {"type": "string"}
HOURS = {"type": "integer", "minimum": 1, "description": "How many hours back from now."}
THINGS = {
    "stations": "places where water is measured",
    "readings": "levels and temperatures measured at a station",
    "alarms": "limits that were crossed, and who was told",
    "pumps": "pumps with their running hours",
    "valves": "valves and how far each is open",
    "crews": "people on duty and how they are reached",
    "visits": "visits to stations that are planned or done",
    "reports": "reports that were written about a week",
}
VERBS = {
    "list": ("Lists", {"station": TEXT, "hours": HOURS}),
    "show": ("Shows one of the", {"id": TEXT}),
    "add": ("Adds to the", {"station": TEXT, "values": {"type": "object"}}),
    "change": ("Changes one of the", {"id": TEXT, "values": {"type": "object"}}),
    "remove": ("Removes one of the", {"id": TEXT, "reason": TEXT}),
}
DETAIL = (
    " Times are in UTC and levels in metres above the sea. Ids are those that the lists show; "
    "stations are named by their city. What is removed can be restored for thirty days by whoever "
    "runs the network, and every change is written down with the name of the one who made it."
)


def tool(verb: str, thing: str) -> dict[str, Any]:
    does, properties = VERBS[verb]
    return {
        "name": f"{verb}_{thing}",
        "description": f"{does} {THINGS[thing]}.{DETAIL}",
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": verb in ("list", "show")},
    }


TOOLS = [tool(verb, thing) for thing in THINGS for verb in VERBS]


def called(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    found = next((tool for tool in TOOLS if tool["name"] == name), None)
    if found is None:
        return {"code": -32602, "message": f"Unknown tool: {name}"}
    takes = found["inputSchema"]["required"]
    if sorted(arguments) != sorted(takes):
        return {**text(f"{name} takes {', '.join(takes)}."), "isError": True}
    if name == "list_readings":
        return text(json.dumps({"station": arguments["station"], "celsius": [11.5, 12.0, 12.5]}))
    return text(f"{name} is done.")


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def result(method: str, params: dict[str, Any]) -> dict[str, Any]:
    cacheable = {"ttlMs": 60_000, "cacheScope": "public"} if is_modern(params) else {}
    if method == "initialize":
        version, info = params["protocolVersion"], {"name": "water", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, **cacheable}
    if method == "tools/list":
        return {"tools": TOOLS, **cacheable}
    if method == "tools/call":
        return called(params["name"], params.get("arguments", {}))
    return {"code": -32601, "message": f"Method not found: {method}"}


def is_modern(params: dict[str, Any]) -> bool:
    return VERSION in params.get("_meta", {})


def answer(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params", {})
    body = result(message["method"], params)
    head = {"jsonrpc": "2.0", "id": message["id"]}
    if "code" in body:
        return {**head, "error": body}
    stamp = {"resultType": "complete"} if is_modern(params) else {}
    return {**head, "result": {**body, **stamp}}


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "method" in message and "id" in message:
            sys.stdout.write(json.dumps(answer(message)) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
