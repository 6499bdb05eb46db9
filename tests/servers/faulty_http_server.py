"""The server of `faulty_server.py` over HTTP.

python faulty_http_server.py CALLS         on a free port that it prints
"""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from faulty_server import BLOCK, answer, note, tool_of, twice, unfinished

MOST_BLOCKS = 2_000  # 131 MB: an event that is long enough, and no danger to the machine


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if message.get("method") == "notifications/cancelled":
            note("cancelled")
        if "id" not in message:
            self.head(202, 0)
            return
        if tool := tool_of(message):
            note(tool)
        self.reply(message, tool)

    def reply(self, message: dict[str, Any], tool: str) -> None:
        if tool == "hang":
            self.rfile.read(1)  # until the client leaves
            note("hung up on")
        elif tool == "half":
            self.head(200, 1_000)
            self.wfile.write(unfinished(message))
        elif tool == "endless":
            self.head(200, None, "text/event-stream")
            self.wfile.write(b"data: " + unfinished(message))
            self.write_blocks()
        elif tool == "twice":
            self.head(200, None, "text/event-stream")
            for line in twice(message):
                self.wfile.write(b"data: " + line + b"\n\n")
        else:
            body = json.dumps(answer(message)).encode()
            self.head(200, len(body))
            self.wfile.write(body)
            note(f"answered {tool}")
            return
        self.close_connection = True

    def write_blocks(self) -> None:
        try:
            for _ in range(MOST_BLOCKS):
                self.wfile.write(BLOCK)
        except OSError:
            note("hung up on")

    def do_GET(self) -> None:
        self.head(405, 0)

    def do_DELETE(self) -> None:
        self.head(405, 0)

    def head(self, status: int, length: int | None, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        if length is None:
            self.send_header("connection", "close")
        else:
            self.send_header("content-length", str(length))
        self.end_headers()


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_address[1]}/mcp", flush=True)  # noqa: T201 (the test reads it)
    server.serve_forever()
