"""An MCP server over HTTP that refuses what a test tells it to refuse. It has no SDK.

Its address is printed on stdout. A test posts `{"when": METHOD, "status": …, "kind": …, "body": …,
"headers": [[NAME, VALUE], …]}` to `/refuse`. From then on, the server answers messages of that method
so (or `GET`, or `DELETE`). `{}` ends all refusals. `/refused` counts them.
"""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

REFUSALS: dict[str, dict[str, Any]] = {}
TOOLS = [{"name": "echo", "inputSchema": {"type": "object"}}]
CACHE = {"ttlMs": 0, "cacheScope": "private"}
TEXT = {"content": [{"type": "text", "text": "done"}]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def do_GET(self) -> None:
        self.refuse("GET") or self.reply(405, "text/plain", b"")

    def do_DELETE(self) -> None:
        self.refuse("DELETE") or self.reply(200, "text/plain", b"")

    def do_POST(self) -> None:
        given = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/refuse":
            REFUSALS.update({given["when"]: given}) if given else REFUSALS.clear()
            self.reply(200, "text/plain", b"")
            return
        method = given.get("method", "") if isinstance(given, dict) else "batch"
        if self.refuse(method):
            return
        if isinstance(given, list) or "id" not in given:
            self.reply(202, "text/plain", b"")
            return
        body = {"jsonrpc": "2.0", "id": given["id"], "result": result(method, given)}
        opens = [("mcp-session-id", "one")] if method == "initialize" else []
        self.reply(200, "application/json", json.dumps(body).encode(), opens)

    def refuse(self, method: str) -> bool:
        how = REFUSALS.get(method)
        if how is not None:
            self.reply(how["status"], how["kind"], how["body"].encode(), how["headers"])
        return how is not None

    def reply(self, status: int, kind: str, body: bytes, headers: Any = ()) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


def result(method: str, message: dict[str, Any]) -> dict[str, Any]:
    version = {"protocolVersion": message["params"].get("protocolVersion", "")}
    return {
        "initialize": {**version, "capabilities": {"tools": {}}, "serverInfo": {}},
        "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}},
        "tools/list": {"tools": TOOLS},
    }.get(method, TEXT) | {"resultType": "complete", **CACHE}


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_address[1]}/mcp", flush=True)  # noqa: T201 (the test reads it)
    server.serve_forever()
