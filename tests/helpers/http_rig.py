"""Servers and relays over HTTP that a test starts and ends."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
import pytest

SERVERS = Path(__file__).parents[1] / "servers"
PLAIN = [sys.executable, str(SERVERS / "plain_server.py")]
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
ACCEPT = {"accept": "application/json, text/event-stream"}


@contextmanager
def started(command: list[str], where: str = "stdout", **options) -> Iterator[str]:
    """Start a process, and yield the URL that it prints."""
    pipe = {where: subprocess.PIPE}
    process = subprocess.Popen(command, text=True, **pipe, **options)
    try:
        stream = getattr(process, where)
        for line in stream:
            if found := re.search(r"http://\S+", line):
                yield found[0]
                break
        else:
            raise AssertionError(f"{command} said no address")
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        stream.close()


# Set by `make test-workers`: the same tests, with several processes on each port.
WORKERS = os.environ.get("PENSTOCK_TEST_WORKERS", "")
one_worker = pytest.mark.skipif(
    bool(WORKERS), reason="counts what each worker has for itself, or looks into its process"
)


@contextmanager
def serve_command(
    *arguments: str, has_store: bool = False, program: Sequence[str] = ("-m", "penstock")
) -> Iterator[list[str]]:
    """Yield the command for `penstock serve` on a free port."""
    command = [sys.executable, *program, "serve", "--port", "0"]
    with TemporaryDirectory(prefix="penstock-test-") as folder:
        if WORKERS:
            command += ["--workers", WORKERS]
            stored = has_store or "--store" in arguments
            command += [] if stored else ["--store", f"sqlite:///{folder}/results"]
        yield [*command, *arguments]


@contextmanager
def serving(
    *arguments: str, program: Sequence[str] = ("-m", "penstock"), **options
) -> Iterator[str]:
    """Run `penstock serve` on a free port, and yield its URL."""
    has_store = "PENSTOCK_STORE" in options.get("env", {})
    with (
        serve_command(*arguments, has_store=has_store, program=program) as command,
        started(command, "stderr", **options) as url,
    ):
        yield url


class Raw:
    """A client that sends exactly what a test gives it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.session = ""
        self.http = httpx2.Client(timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def post(self, message, **headers):
        given = {**ACCEPT, **({"mcp-session-id": self.session} if self.session else {}), **headers}
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        given.setdefault("content-type", "application/json")
        return self.http.post(self.url, content=body, headers=given)

    def initialize(self, version="2025-11-25"):
        about = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        }
        response = self.post(request("initialize", about, 0))
        self.session = response.headers.get("mcp-session-id", "")
        self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return messages_of(response)[-1]["result"]

    def ask(self, method, params=None, key=1):
        """Send a legacy request. Return the whole response."""
        return messages_of(self.post(request(method, params or {}, key)))[-1]

    def call(self, tool, arguments=None, key=1):
        params = {"name": tool, "arguments": arguments or {}}
        return self.ask("tools/call", params, key)["result"]

    def modern(self, method, params=None, key=1, **headers):
        """Send a request of the modern era, with the headers that it needs."""
        params = {**(params or {}), "_meta": {**MODERN, **(params or {}).get("_meta", {})}}
        given = {"mcp-protocol-version": "2026-07-28", "mcp-method": method}
        name = params.get("uri") if method == "resources/read" else params.get("name")
        if name is not None:
            given["mcp-name"] = name
        given = {name: value for name, value in {**given, **headers}.items() if value is not None}
        return self.post(request(method, params, key), **given)

    def modern_call(self, tool, arguments=None, key=1, **headers):
        params = {"name": tool, "arguments": arguments or {}}
        return messages_of(self.modern("tools/call", params, key, **headers))[-1]["result"]


def request(method, params, key):
    return {"jsonrpc": "2.0", "id": key, "method": method, "params": params}


def messages_of(response):
    """Return the messages of a response, which is JSON or a stream."""
    if response.headers["content-type"].startswith("text/event-stream"):
        return [
            json.loads(line.removeprefix("data: "))
            for line in response.text.splitlines()
            if line.startswith("data: ") and line != "data: "
        ]
    return [response.json()]


def value_of(result):
    return json.loads(result["content"][0]["text"])


def eventually(holds, seconds=30.0):
    """Wait until this holds: another process makes it so."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.05)
    return False
