"""Clients that speak JSON-RPC on pipes or over HTTP, in either era.

A client sends without waiting, and keeps all messages in the order in which they came. So a test
can send many requests at once, and see which were answered twice or not at all.
"""

import http.client
import json
import socket
import subprocess
import threading
from contextlib import suppress
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from relay_processes import PATIENCE

LEGACY_VERSION, MODERN_VERSION = "2025-11-25", "2026-07-28"
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "contract", "version": "1"},
}
GREETING = {
    "protocolVersion": LEGACY_VERSION,
    "capabilities": {},
    "clientInfo": {"name": "contract", "version": "1"},
}


class Client:
    """The base of both kinds of client. `patience` is the time limit for an answer, in seconds."""

    patience: float = PATIENCE

    def __init__(self, era: str) -> None:
        self._is_modern = era == "modern"
        self._ids = count(1)
        self._received: list[bytes] = []
        self._news = threading.Condition()

    # -- sending -------------------------------------------------------------------------------

    def greet(self) -> None:
        """Begin a session, if the era has sessions."""
        if not self._is_modern:
            self.result(self.ask("initialize", GREETING))
            self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def ask(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request, and return its id."""
        key, params = next(self._ids), dict(params or {})
        if self._is_modern:
            params["_meta"] = {**MODERN_META, **params.get("_meta", {})}
        self._begin({"jsonrpc": "2.0", "id": key, "method": method, "params": params})
        return key

    def call(self, tool: str, **arguments: Any) -> int:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def ping(self) -> int:
        """Send a request that costs a server nothing. The modern era has no `ping`."""
        return self.ask("server/discover" if self._is_modern else "ping")

    def send(self, line: bytes) -> None:
        """Send a message byte for byte, so that the next one comes after it."""
        raise NotImplementedError

    def cancel(self, key: int) -> None:
        """Cancel a request in the way of the era."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop sending, and wait until nothing more can come."""
        raise NotImplementedError

    def _begin(self, request: dict[str, Any]) -> None:
        """Send a request without waiting for anything."""
        raise NotImplementedError

    # -- receiving -----------------------------------------------------------------------------

    def received(self) -> list[bytes]:
        """Return every message so far, byte for byte."""
        with self._news:
            return list(self._received)

    def notifications(self) -> list[bytes]:
        return [line for line in self.received() if "id" not in json.loads(line)]

    def answers(self, key: int) -> list[dict[str, Any]]:
        """Return the answers to a request so far: there should be one at most."""
        found = map(json.loads, self.received())
        return [one for one in found if one.get("id") == key and "method" not in one]

    def answer(self, key: int) -> dict[str, Any]:
        """Wait for the answer to a request."""
        with self._news:
            is_there = self._news.wait_for(lambda: self.answers(key), self.patience)
        assert is_there, f"no answer to {key}"
        return self.answers(key)[0]

    def result(self, key: int) -> dict[str, Any]:
        answer = self.answer(key)
        assert "result" in answer, answer
        return answer["result"]

    def text(self, key: int) -> str:
        """Wait for the text of a tool's result."""
        return self.result(key)["content"][0]["text"]

    def error_code(self, key: int) -> int:
        answer = self.answer(key)
        assert "error" in answer, answer
        return answer["error"]["code"]

    def _receive(self, line: bytes) -> None:
        with self._news:
            self._received.append(line)
            self._news.notify_all()


class StdioClient(Client):
    """The client of a process, on its pipes."""

    def __init__(self, era: str, process: subprocess.Popen[bytes]) -> None:
        super().__init__(era)
        self._process = process
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def send(self, line: bytes) -> None:
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def cancel(self, key: int) -> None:
        self.send(cancellation(key))

    def close(self) -> None:
        with suppress(OSError):
            self._process.stdin.close()
        self._reader.join(PATIENCE)
        assert not self._reader.is_alive(), "the output never ended"

    def _begin(self, request: dict[str, Any]) -> None:
        self.send(json.dumps(request).encode())

    def _read(self) -> None:
        for line in self._process.stdout:
            self._receive(line.rstrip(b"\n"))


class HttpClient(Client):
    """One client of an endpoint. Each request has a connection of its own, and a thread."""

    def __init__(self, era: str, url: str) -> None:
        super().__init__(era)
        self._place = urlsplit(url)
        self.session = ""
        self._posts: dict[Any, Post] = {}  # by the id of the request
        self._readers: list[threading.Thread] = []

    def send(self, line: bytes) -> None:
        """Post a message, and wait for the end of the reply."""
        self._post(line, json.loads(line)).join(PATIENCE)

    def cancel(self, key: int) -> None:
        """Hang up in the modern era, which has no other way; in the legacy era post a notification."""
        if self._is_modern:
            self._posts[key].hang_up()
        else:
            self.send(cancellation(key))

    def close(self) -> None:
        for reader in self._readers:
            reader.join(PATIENCE)
            assert not reader.is_alive(), "a reply never ended"

    def _begin(self, request: dict[str, Any]) -> None:
        self._post(json.dumps(request).encode(), request)

    def _post(self, line: bytes, message: dict[str, Any]) -> threading.Thread:
        post = self._posts[message.get("id")] = Post(self._place, line, self._headers(message))
        reader = threading.Thread(target=self._read, args=(post,), daemon=True)
        self._readers.append(reader)
        reader.start()
        return reader

    def _read(self, post: "Post") -> None:
        with suppress(OSError, http.client.HTTPException), post as response:  # unless hung up
            self.session = response.headers.get("mcp-session-id", self.session)
            for line in lines_of(response):
                self._receive(line)

    def _headers(self, message: dict[str, Any]) -> dict[str, str]:
        made = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        }
        if not self._is_modern:
            return {**made, **({"mcp-session-id": self.session} if self.session else {})}
        name = message["params"].get("name")
        made |= {"mcp-protocol-version": MODERN_VERSION, "mcp-method": message["method"]}
        return {**made, **({"mcp-name": name} if name else {})}


class Post:
    """One POST on a connection of its own, which another thread may break."""

    def __init__(self, place: Any, line: bytes, headers: dict[str, str]) -> None:
        self._connection = http.client.HTTPConnection(place.hostname, place.port)
        self._connection.connect()
        self._socket = self._connection.sock
        self._connection.request("POST", place.path, line, headers)

    def __enter__(self) -> http.client.HTTPResponse:
        try:
            self._response = self._connection.getresponse()
        except BaseException:
            self._connection.close()
            raise
        return self._response

    def __exit__(self, *_: object) -> None:
        self._response.close()
        self._connection.close()

    def hang_up(self) -> None:
        with suppress(OSError):  # the other side hung up first
            self._socket.shutdown(socket.SHUT_RDWR)


def lines_of(response: http.client.HTTPResponse) -> Any:
    """Yield the messages of a response, JSON or a stream of events."""
    if response.headers.get_content_type() == "text/event-stream":
        for line in response:
            if line.startswith(b"data: "):
                yield line.removeprefix(b"data: ").rstrip(b"\r\n")
    elif body := response.read():
        yield body


def cancellation(key: int) -> bytes:
    params = {"requestId": key}
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
    return json.dumps(message).encode()
