"""Servers on real sockets, in a thread of this process, and clients that see the bytes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import msgspec
import uvicorn
from adapter_server import app_of
from http_rig import Raw


class Response(msgspec.Struct):
    """A response, its body as it was sent."""

    id: Any = None
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


@contextmanager
def listening(door: str, server: Any, *, stateless: bool = False) -> Iterator[str]:
    """Yield the address of a server."""
    app = app_of(door, server, stateless=stateless)
    config = uvicorn.Config(app, port=0, log_level="error", ws="none", timeout_graceful_shutdown=1)
    serving = uvicorn.Server(config)
    thread = threading.Thread(target=serving.run, daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + 30
        while not serving.started:
            assert thread.is_alive(), "the server did not start"
            assert time.monotonic() < deadline, "the server takes too long"
            time.sleep(0.005)
        port = serving.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        serving.should_exit = True
        thread.join(30)


class Wire(Raw):
    """A raw client that returns the bytes of each result."""

    def __init__(self, url: str, era: str, *, bearer: str = "") -> None:
        super().__init__(url)
        self.era = era
        if bearer:
            self.http.headers["authorization"] = f"Bearer {bearer}"
        if era == "legacy":
            self.initialize()

    def sent(self, method: str, params: dict[str, Any] | None = None) -> Response:
        if self.era == "modern":
            return response_in(self.modern(method, params))
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return response_in(self.post(message))

    def result(self, method: str, params: dict[str, Any] | None = None) -> bytes:
        """Return the bytes of a `result`."""
        response = self.sent(method, params)
        assert bytes(response.result), bytes(response.error)
        return bytes(response.result)

    def called(self, tool: str, **arguments: Any) -> bytes:
        return self.result("tools/call", {"name": tool, "arguments": arguments})

    def told(self, tool: str, **arguments: Any) -> Any:
        """Return a tool's reply or error as JSON values."""
        result = msgspec.json.decode(self.called(tool, **arguments))
        return msgspec.json.decode(result["content"][0]["text"])


def response_in(response: httpx2.Response) -> Response:
    lines = [response.content]
    if response.headers["content-type"].startswith("text/event-stream"):
        lines = [
            line.removeprefix(b"data: ")
            for line in response.content.splitlines()
            if line.startswith(b"data: {")
        ]
    return msgspec.json.decode(lines[-1], type=Response)
