"""An MCP server on a stage (`staging.py`), without an SDK: both eras, on stdio or over HTTP.

`python staged_server.py FOLDER [--http]`. Each request has its own thread, so a request that is
held back delays no other. The server does not answer a request that is cancelled.
"""

import json
import os
import select
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from staging import FUNCTIONS, LOOK_SECONDS, TOOLS, Stage, cue_of

MODERN = "2026-07-28"
VERSION_META = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = {"tools": {"listChanged": True}, "logging": {}}
ABOUT = {"name": "staged", "version": "1"}
Send = Callable[[str], None]


class Left(Exception):
    """The client no longer wants this answer."""


class Server:
    """The server of one client, on any transport."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._cancelled: set[Any] = set()

    def hear(self, line: str) -> dict[str, Any]:
        self._stage.hear(line)
        message: dict[str, Any] = json.loads(line)
        if message.get("method") == "notifications/cancelled":
            self._cancelled.add(message["params"]["requestId"])
        return message

    def answer(self, message: dict[str, Any], send: Send, is_gone: Callable[[], bool]) -> None:
        """Answer a request once it is not held back. Raise `Left` if it is cancelled before."""
        while self._stage.is_held(cue_of(message)):
            if self._is_cancelled(message) or is_gone():
                raise Left
            time.sleep(LOOK_SECONDS)
        if self._is_cancelled(message):  # between the last check and the release
            raise Left
        body = self._body(message, send)
        send(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}))

    def _is_cancelled(self, message: dict[str, Any]) -> bool:
        return message["id"] in self._cancelled

    def _body(self, message: dict[str, Any], send: Send) -> dict[str, Any]:
        methods = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "tools/list": self._list,
            "ping": lambda _params: {},
        }
        method, params = message["method"], message.get("params") or {}
        if method == "tools/call":
            result = self._call(params, send)
        elif method in methods:
            result = methods[method](params)
        else:
            return {"error": {"code": -32601, "message": f"Method not found: {method}"}}
        is_modern = params.get("_meta", {}).get(VERSION_META) == MODERN
        return {"result": {**result, **({"resultType": "complete"} if is_modern else {})}}

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        version = params["protocolVersion"]
        return {"protocolVersion": version, "capabilities": CAPABILITIES, "serverInfo": ABOUT}

    def _discover(self, _params: dict[str, Any]) -> dict[str, Any]:
        told = {"supportedVersions": [MODERN], "capabilities": CAPABILITIES}
        return {**told, "ttlMs": 0, "cacheScope": "public"}

    def _list(self, params: dict[str, Any]) -> dict[str, Any]:
        tools = [
            {"name": name, "inputSchema": {"type": "object", "properties": properties}}
            for name, properties in TOOLS.items()
        ]
        return {"tools": tools, "ttlMs": 0, "cacheScope": "public"}

    def _call(self, params: dict[str, Any], send: Send) -> dict[str, Any]:
        name, arguments = params["name"], params.get("arguments", {})
        if name == "talk":
            self._talk(arguments["count"], params.get("_meta", {}).get("progressToken"), send)
        return {"content": [{"type": "text", "text": FUNCTIONS[name](**arguments)}]}

    def _talk(self, count: int, token: Any, send: Send) -> None:
        """Send log messages and progress in turn, as JSON that no encoder would write."""
        for number in range(count):
            log = f'{{"level" :"info","data":"word\\u0020{number} é"}}'
            progress = f'{{"progress":{number}.0,  "progressToken":{json.dumps(token)}}}'
            method, params = ("progress", progress) if number % 2 else ("message", log)
            line = f'{{ "method":"notifications/{method}",  "jsonrpc":"2.0","params":{params}}}'
            self._stage.say(line)
            send(line)


def serve_stdio(stage: Stage) -> None:
    server, writing = Server(stage), threading.Lock()

    def send(line: str) -> None:
        with writing:
            sys.stdout.buffer.write(line.encode() + b"\n")
            sys.stdout.buffer.flush()

    def answer(message: dict[str, Any]) -> None:
        with suppress(Left):
            server.answer(message, send, is_gone=lambda: False)

    for line in sys.stdin.buffer:
        message = server.hear(line.decode().rstrip("\n"))
        if "id" in message:
            threading.Thread(target=answer, args=(message,), daemon=True).start()


class Endpoint(BaseHTTPRequestHandler):
    """The server over HTTP. A reply is a stream of events; closing it is a modern cancellation."""

    protocol_version = "HTTP/1.1"
    stage: Stage
    servers: dict[str, Server] = {}  # noqa: RUF012 (shared by the threads: one for each session)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        session = self.headers.get("mcp-session-id", "")
        server = self.servers.setdefault(session, Server(self.stage))
        message = server.hear(body.decode())
        if "id" not in message:
            self._head(202, {"content-length": "0"})
            return
        opening = {"mcp-session-id": os.urandom(8).hex()} if cue_of(message) == "initialize" else {}
        try:
            self._stream(server, message, opening)
        except (Left, OSError):
            self.close_connection = True

    def do_GET(self) -> None:
        self._head(405, {"content-length": "0"})

    def do_DELETE(self) -> None:
        self._head(405, {"content-length": "0"})

    def _stream(self, server: Server, message: dict[str, Any], opening: dict[str, str]) -> None:
        self._head(200, {"content-type": "text/event-stream", "connection": "close", **opening})
        self.wfile.flush()
        server.answer(message, self._send, self._is_gone(message))
        self.close_connection = True

    def _send(self, line: str) -> None:
        self.wfile.write(f"data: {line}\n\n".encode())
        self.wfile.flush()

    def _is_gone(self, message: dict[str, Any]) -> Callable[[], bool]:
        def is_gone() -> bool:
            readable = select.select([self.connection], [], [], 0)[0]
            if not readable or self.connection.recv(1, socket.MSG_PEEK):
                return False
            told = {"method": "hung up", "params": {"requestId": message["id"]}}
            self.stage.hear(json.dumps(told))
            return True

        return is_gone

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing: the stage already has the message."""


class Listening(ThreadingHTTPServer):
    request_queue_size = 128  # many connect at once


def serve_http(stage: Stage) -> None:
    Endpoint.stage = stage
    server = Listening(("127.0.0.1", 0), Endpoint)
    print(f"http://127.0.0.1:{server.server_port}/mcp", flush=True)  # noqa: T201 (where it is)
    server.serve_forever()


if __name__ == "__main__":
    serve = serve_http if "--http" in sys.argv else serve_stdio
    serve(Stage(sys.argv[1]))
