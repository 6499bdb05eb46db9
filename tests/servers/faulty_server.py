"""An MCP server whose tools break in the way that their names say. A file counts the calls.

    python faulty_server.py CALLS              on stdio
    python faulty_server.py CALLS --stubborn   stays after the end of its input, and after SIGTERM

`faulty_http_server.py` is the same server over HTTP.

Each call that runs adds the tool's name to the file CALLS, so a test sees whether a tool ran twice.
`up` is the first line: the server is ready.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import time
from typing import Any

NUMBER = {"type": "integer"}
TOOLS = {
    "rows": {"count": NUMBER},
    "hang": {},
    "half": {},
    "twice": {},
    "endless": {},
}
BLOCK = b"x" * 65_536
BLOCKS = 100  # 6.5 MB: over the limit of a test, and no danger to the machine


def note(event: str) -> None:
    """Add a line to the file in one write, so that lines of several processes do not mix."""
    with open(sys.argv[1], "a", encoding="utf-8", buffering=1) as file:  # noqa: PTH123 (pathlib is slow to import)
        file.write(event + "\n")


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """Return the response to a request, for all tools that answer as they should."""
    key, method = message["id"], message["method"]
    is_modern = "_meta" in message.get("params", {})
    stamp = {"resultType": "complete"} if is_modern else {}
    cached = {"ttlMs": 60_000, "cacheScope": "public"} if is_modern else {}
    if method == "initialize":
        told: dict[str, Any] = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "faulty", "version": "1"},
        }
    elif method == "server/discover":
        told = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, **cached}
    elif method == "tools/list":
        told = {"tools": [listed(*tool) for tool in TOOLS.items()], **cached}
    elif method == "tools/call":
        told = text(rows(**message["params"].get("arguments", {})))
    else:
        error = {"code": -32601, "message": "Method not found"}
        return {"jsonrpc": "2.0", "id": key, "error": error}
    return {"jsonrpc": "2.0", "id": key, "result": {**told, **stamp}}


def listed(name: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


def rows(count: int = 3) -> str:
    """Return rows that hardly compress: they must take room on a disk."""
    digests = (hashlib.sha256(b"%d" % number).hexdigest() for number in range(count))
    return json.dumps([{"id": number, "text": digest} for number, digest in enumerate(digests)])


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def tool_of(message: dict[str, Any]) -> str:
    return message["params"]["name"] if message.get("method") == "tools/call" else ""


def twice(message: dict[str, Any]) -> list[bytes]:
    made = answer(message)
    stamp = {name: value for name, value in made["result"].items() if name != "content"}
    return [
        json.dumps({**made, "result": {**text(words), **stamp}}).encode()
        for words in ("the first answer", "the second answer" * 20_000)
    ]


def unfinished(message: dict[str, Any]) -> bytes:
    start = {"jsonrpc": "2.0", "id": message["id"], "result": text("x" * 200)}
    return json.dumps(start).encode()[:-100]


def serve_stdio() -> None:
    note("up")
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if message.get("method") == "notifications/cancelled":
            note("cancelled")
        if "id" not in message or "method" not in message:
            continue
        if tool := tool_of(message):
            note(tool)
        write_reply(message, tool)


def write_reply(message: dict[str, Any], tool: str) -> None:
    out = sys.stdout.buffer
    if tool == "hang":
        return
    if tool == "half":
        out.write(unfinished(message))
        out.flush()
        os._exit(3)
    if tool == "endless":
        write_endless(out, message)
        return
    lines = twice(message) if tool == "twice" else [json.dumps(answer(message)).encode()]
    for line in lines:
        out.write(line + b"\n")
    out.flush()
    if tool:
        note(f"answered {tool}")


def write_endless(out: Any, message: dict[str, Any]) -> None:
    """Write a line that does not end before the file CALLS.end is there, and nothing else meanwhile."""
    try:
        for block in (unfinished(message), *[BLOCK] * BLOCKS):
            out.write(block)
            out.flush()
        while not os.path.exists(sys.argv[1] + ".end"):  # noqa: PTH110 (pathlib is slow to import)
            time.sleep(0.02)
        out.write(b"\n")
        out.flush()
        note("the line ended")
    except OSError:
        os._exit(0)


if __name__ == "__main__":
    if "--stubborn" in sys.argv:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    serve_stdio()
    while "--stubborn" in sys.argv:
        signal.pause()
