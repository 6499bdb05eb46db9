"""An MCP server that only lists tools, in either era. Options make it behave oddly.

python lister_server.py list.json                on stdio
python lister_server.py list.json --http         on a free port, printed on stdout
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

VERSION = "io.modelcontextprotocol/protocolVersion"
SERVER = "io.modelcontextprotocol/serverInfo"
ABOUT = {"name": "lister", "version": "2.0"}


class Lister:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.tools = json.loads(Path(options.file).read_text("utf-8"))
        self.greeted = False

    def answer(self, message: dict[str, Any]) -> dict[str, Any] | None:
        method, key = message.get("method"), message.get("id")
        if method == "notifications/initialized":
            self.greeted = True
        if method is None or key is None:
            return None
        if method == self.options.hang_at:
            return None
        body = self.result(method, message.get("params", {}))
        kind = "error" if "code" in body else "result"
        return {"jsonrpc": "2.0", "id": key, kind: body}

    def result(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        is_modern = VERSION in params.get("_meta", {})
        if self.options.modern and not is_modern:
            supported = {"supported": ["2026-07-28"], "requested": "2025-11-25"}
            return {"code": -32022, "message": "Unsupported protocol version", "data": supported}
        if self.options.refuses:
            return {"code": -32000, "message": f"no API key for {method}"}
        if method == "initialize":
            capabilities = {} if self.options.no_tools else {"tools": {}}
            version = {"protocolVersion": "2025-06-18", "serverInfo": ABOUT}
            return {**version, "capabilities": capabilities}
        if method != "tools/list" or self.options.no_tools:
            return {"code": -32601, "message": "Method not found"}
        if not is_modern and not self.greeted:
            return {"code": -32600, "message": "not greeted"}
        return {
            **self.page(params.get("cursor")),
            **({"_meta": {SERVER: ABOUT}} if is_modern else {}),
        }

    def page(self, cursor: str | None) -> dict[str, Any]:
        if self.options.no_list:
            return {"tools": "none"}
        if cursor is not None and cursor == self.options.fails_at:
            return {"code": -32000, "message": "database gone"}
        if self.options.endless:
            return {"tools": self.tools, "nextCursor": "again"}
        if self.options.boundless:
            return {"tools": self.tools, "nextCursor": str(int(cursor or 0) + 1)}
        size = self.options.page or max(1, len(self.tools))
        start = int(cursor or 0)
        end = start + size
        more = {"nextCursor": str(end)} if end < len(self.tools) else {}
        return {"tools": self.tools[start:end], **more}


# What a server may ask before it answers.
QUESTIONS = [
    {"jsonrpc": "2.0", "id": "p", "method": "ping"},
    {"jsonrpc": "2.0", "id": 7, "method": "roots/list"},
]


def serve_stdio(lister: Lister) -> None:
    def send(message: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    for line in sys.stdin:
        message = json.loads(line)
        if lister.options.asks and message.get("method") == "tools/list":
            for question in QUESTIONS:
                send(question)
                said = json.loads(sys.stdin.readline())
                if said["id"] != question["id"] or ("error" in said) != (said["id"] == 7):
                    sys.exit(f"not an answer: {said}")
        response = lister.answer(message)
        if response is not None:
            send(response)
    if lister.options.hang_at:
        signal.pause()


class Handler(BaseHTTPRequestHandler):
    lister: ClassVar[Lister]

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def do_DELETE(self) -> None:
        self.reply(200, b"")

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        method = message.get("method")
        wrong = method != "initialize" and self.headers.get("mcp-session-id") != "s1"
        if self.lister.options.secret and "authorization" not in self.headers:
            self.reply(401, b'{"error":"invalid_token"}')
        elif wrong and not self.lister.options.modern:
            self.reply(400, b"no session")
        elif method and method == self.lister.options.hang_at:
            signal.sigwait([])
        else:
            self.respond(self.lister.answer(message), is_list=method == "tools/list")

    def respond(self, response: dict[str, Any] | None, *, is_list: bool) -> None:
        if response is None:
            self.reply(202, b"")
        elif is_list and self.lister.options.asks:
            self.stream([*QUESTIONS, response])
        else:
            self.reply(400 if "error" in response else 200, json.dumps(response).encode())

    def stream(self, messages: list[dict[str, Any]]) -> None:
        """Send messages, and leave the stream open."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for message in messages:
            self.wfile.write(f"data: {json.dumps(message)}\n\n".encode())
        self.wfile.flush()
        signal.sigwait([])

    def reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if not self.lister.options.modern:
            self.send_header("mcp-session-id", "s1")
        self.end_headers()
        self.wfile.write(body)


def serve_http(lister: Lister) -> None:
    Handler.lister = lister
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_address[1]}/mcp", flush=True)  # noqa: T201 (the test reads it)
    server.serve_forever()


def main() -> None:
    parser = argparse.ArgumentParser()
    add = parser.add_argument
    add("file", help="the tools, a JSON list")
    add("--http", action="store_true")
    add("--modern", action="store_true", help="refuse the handshake")
    add("--page", type=int, help="so many tools a page")
    add("--fails-at", metavar="CURSOR", help="answer with an error instead of this page")
    add("--endless", action="store_true", help="always name a next page, and the same")
    add("--boundless", action="store_true", help="always name another next page")
    add("--refuses", action="store_true", help="refuse everything")
    add("--no-tools", action="store_true", help="have no tools")
    add("--no-list", action="store_true", help="list what is no list")
    add("--asks", action="store_true", help="ask the client before answering tools/list")
    add("--hang-at", metavar="METHOD", help="never answer this")
    add("--secret", action="store_true", help="want credentials, over HTTP")
    lister = Lister(parser.parse_args())
    serve_http(lister) if lister.options.http else serve_stdio(lister)


if __name__ == "__main__":
    main()
