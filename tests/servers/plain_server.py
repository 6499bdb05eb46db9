"""An MCP server without an SDK, for behaviour that no SDK allows.

    python plain_server.py                      on stdio
    python plain_server.py --http               on a free port, printed on stdout
    python plain_server.py --legacy             knows nothing of 2026-07-28
    python plain_server.py --http --unasked     tells each new stream that the list has changed
    python plain_server.py --wide               has 50 more tools, with long descriptions
    python plain_server.py --asks               has a tool that asks the user for a name, since 2026-07-28

`answer` answers each request. The tool `seen` returns the messages that reached the server.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

LEGACY = "--legacy" in sys.argv
EVENTS = "--events" in sys.argv
STATELESS = "--stateless" in sys.argv
UNASKED = "--unasked" in sys.argv
VERSION = "io.modelcontextprotocol/protocolVersion"
SEEN: deque[dict[str, Any]] = deque(maxlen=8)  # only the latest: `seen` must fit into a reply
CANCELLED: list[Any] = []
SESSIONS: set[str] = set()
REFUSED = threading.Event()  # a stream for a session that was forgotten
ROWS = [{"id": n, "text": "x" * 40} for n in range(2_000)]
TOOLS = [
    {"name": "rows", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "echo", "inputSchema": {"type": "object", "properties": {"text": {}}}},
    {"name": "seen", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "wait", "inputSchema": {"type": "object", "properties": {}}},
    {"name": "die", "inputSchema": {"type": "object", "properties": {}}},
    {
        "name": "regional",
        "inputSchema": {
            "type": "object",
            "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        },
    },
]

if "--wide" in sys.argv:
    TOOLS += [
        {
            "name": f"wide_{number}",
            "description": f"Does {number}. " + "A long description of what the tool does. " * 20,
            "inputSchema": {
                "type": "object",
                "properties": {
                    f"field_{n}": {"type": "string", "description": "What the field is for. " * 4}
                    for n in range(8)
                },
            },
        }
        for number in range(50)
    ]

if "--asks" in sys.argv:
    TOOLS.append(
        {
            "name": "greet",
            "inputSchema": {"type": "object", "properties": {}},
            "annotations": {"readOnlyHint": True},
        }
    )


def is_modern(message: dict[str, Any]) -> bool:
    return VERSION in message.get("params", {}).get("_meta", {})


def answer(message: dict[str, Any], send: Any) -> dict[str, Any] | None:
    """Return the response to a message, or None if it needs none."""
    method, key = message.get("method"), message.get("id")
    if method == "notifications/cancelled":
        CANCELLED.append(message["params"]["requestId"])
    if method is None or key is None:
        return None
    if LEGACY and is_modern(message):
        return failure(key, -32601, "Method not found")
    body = result(method, message, send)
    if body is None:
        return None
    if "code" in body:
        return failure(key, body["code"], body["message"])
    stamp = {"resultType": "complete"} if is_modern(message) else {}
    return {"jsonrpc": "2.0", "id": key, "result": {**stamp, **body}}


def failure(key: Any, code: int, told: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": key, "error": {"code": code, "message": told}}


def result(method: str, message: dict[str, Any], send: Any) -> dict[str, Any] | None:
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        info = {"name": "plain", "version": "1"}
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "server/discover":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, **CACHE}
    if method == "tools/list":
        return {"tools": TOOLS, **(CACHE if is_modern(message) else {})}
    if method == "tools/call":
        return called(message, send)
    if method == "subscriptions/listen":
        notice = {"subscriptions": {}, "_meta": {SUBSCRIPTION: message["id"]}}
        send(
            {
                "jsonrpc": "2.0",
                "method": "notifications/subscriptions/acknowledged",
                "params": notice,
            }
        )
        return {"_meta": {SUBSCRIPTION: message["id"]}}
    return {"code": -32601, "message": "Method not found"}


CACHE = {"ttlMs": 60_000, "cacheScope": "public"}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"


def called(message: dict[str, Any], send: Any) -> dict[str, Any] | None:
    name = message["params"]["name"]
    arguments = message["params"].get("arguments", {})
    meta = message["params"].get("_meta", {})
    if name == "greet":
        return greeting(message["params"])
    if name == "die":
        os._exit(7)
    if name == "wait":
        if "progressToken" in meta:
            about = {"progressToken": meta["progressToken"], "progress": 1}
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params": about})
        while message["id"] not in CANCELLED:
            time.sleep(0.01)
        return None
    if name == "echo" and "progressToken" in meta:
        about = {"progressToken": meta["progressToken"], "progress": 1}
        send({"jsonrpc": "2.0", "method": "notifications/progress", "params": about})
    text = {"rows": ROWS, "seen": {"requests": list(SEEN), "cancelled": CANCELLED}}.get(
        name, arguments
    )
    return {"content": [{"type": "text", "text": json.dumps(text)}]}


def greeting(params: dict[str, Any]) -> dict[str, Any]:
    if "inputResponses" in params:
        text = f"Hello, {params['inputResponses']['who']['content']['name']}!"
        return {"content": [{"type": "text", "text": text}]}
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    asked = {"mode": "form", "message": "Who are you?", "requestedSchema": schema}
    who = {"method": "elicitation/create", "params": asked}
    return {"resultType": "input_required", "inputRequests": {"who": who}}


# -- stdio -------------------------------------------------------------------------------------


def serve_stdio() -> None:
    lock = threading.Lock()

    def send(message: dict[str, Any]) -> None:
        with lock:
            sys.stdout.write(json.dumps(message) + "\n")
            sys.stdout.flush()

    def handle(message: dict[str, Any]) -> None:
        response = answer(message, send)
        if response is not None:
            send(response)

    for line in sys.stdin:
        given = json.loads(line)
        for message in given if isinstance(given, list) else [given]:
            SEEN.append({"body": message})
            threading.Thread(target=handle, args=(message,), daemon=True).start()


# -- HTTP --------------------------------------------------------------------------------------


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    events: ClassVar[list[tuple[str, dict[str, Any]]]] = []

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def do_POST(self) -> None:
        length = int(self.headers["content-length"])
        message = json.loads(self.rfile.read(length))
        if isinstance(message, list):
            answers = [answer(item, self.send_event) for item in message]
            self.reply(200, json.dumps([item for item in answers if item]).encode())
            return
        SEEN.append({"body": message, "headers": {k.lower(): v for k, v in self.headers.items()}})
        self.is_open = False
        if message.get("method") == "test/forget-sessions":
            SESSIONS.clear()
            if UNASKED:
                REFUSED.wait()  # The other client has noticed that its stream has ended.
        session = self.headers.get("mcp-session-id")
        if session is not None and session not in SESSIONS and not EVENTS:
            self.reply(404, b"")
            return
        response = answer(message, self.send_event)
        if response is None:
            self.reply(202, b"")
        elif EVENTS or self.is_open:
            self.send_event(response)
            self.close_connection = True
        else:
            self.reply(200, json.dumps(response).encode(), message.get("method") == "initialize")

    def do_GET(self) -> None:
        """Replay the events after a given one, and end."""
        if UNASKED and self.headers.get("mcp-session-id") in SESSIONS:
            self.tell_unasked()
            return
        last = self.headers.get("last-event-id")
        if last is None or not EVENTS:
            self.reply(405, b"")
            REFUSED.set()
            return
        self.start_events()
        known = [number for number, _ in self.events]
        for number, message in self.events[known.index(last) + 1 :]:
            self.wfile.write(f"id: {number}\ndata: {json.dumps(message)}\n\n".encode())
        self.close_connection = True

    def tell_unasked(self) -> None:
        """Send one message, and keep the stream open as long as the session."""
        self.start_events()
        told = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
        self.wfile.write(f"data: {json.dumps(told)}\n\n".encode())
        self.wfile.flush()
        while self.headers.get("mcp-session-id") in SESSIONS:
            time.sleep(0.05)
        self.close_connection = True

    def do_DELETE(self) -> None:
        if "--hangs-at-delete" in sys.argv:
            threading.Event().wait()
        self.reply(200, b"")

    def send_event(self, message: dict[str, Any]) -> None:
        if not self.is_open:
            self.is_open = True
            self.start_events()
            self.number("prime", {})
        number = self.number("", message)
        self.wfile.write(f"id: {number}\ndata: {json.dumps(message)}\n\n".encode())
        self.wfile.flush()

    def number(self, kind: str, message: dict[str, Any]) -> str:
        number = f"e{len(self.events)}"
        self.events.append((number, message))
        if kind:
            self.wfile.write(f"id: {number}\ndata: \n\n".encode())
        return number

    def start_events(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()

    def reply(self, status: int, body: bytes, begins: bool = False) -> None:
        self.send_response(status)
        if begins and not STATELESS:
            SESSIONS.add(f"session-{time.monotonic_ns()}")
            self.send_header("mcp-session-id", max(SESSIONS))
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve_http() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_address[1]}/mcp", flush=True)  # noqa: T201 (the test reads it)
    server.serve_forever()


if __name__ == "__main__":
    serve_http() if "--http" in sys.argv else serve_stdio()
