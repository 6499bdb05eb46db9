"""An MCP server of the legacy era over HTTP whose answers are too large. It prints its URL.

Its tool `flood` takes the form of the answer: JSON, compressed JSON (a bomb), or an event.
"""

import gzip
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PART = 1_000_000


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "id" not in message:
            self.head(202, {"content-length": "0"})
        elif message["method"] == "tools/call":
            self.flood(message["id"], **message["params"]["arguments"])
        else:
            self.reply(message["id"], result(message["method"]))

    def do_GET(self):
        self.head(405, {"content-length": "0"})

    def reply(self, key, made):
        body = json.dumps({"jsonrpc": "2.0", "id": key, "result": made}).encode()
        self.head(200, {"content-type": "application/json", "content-length": str(len(body))})
        self.wfile.write(body)

    def flood(self, key, form, size):
        text = "x" * PART * size
        answer = {
            "jsonrpc": "2.0",
            "id": key,
            "result": {"content": [{"type": "text", "text": text}]},
        }
        body = json.dumps(answer).encode()
        if form == "event":
            body = b"data: " + body + b"\n\n"
        elif form == "bomb":
            body = gzip.compress(body, 1)
        elif form == "endless":
            body = body[:-4]
        kind = "text/event-stream" if form == "event" else "application/json"
        encoding = {"content-encoding": "gzip"} if form == "bomb" else {}
        self.head(200, {"content-type": kind, "connection": "close", **encoding})
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True  # the client has had enough

    def head(self, status, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = headers.get("connection") == "close"

    def log_message(self, *_):
        """Log nothing."""


def result(method):
    if method == "initialize":
        about = {"name": "flooding", "version": "1"}
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": about}
    return {"tools": [{"name": "flood", "inputSchema": {"type": "object"}}]}


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}/mcp", flush=True)  # noqa: T201 (where it is)
    server.serve_forever()
