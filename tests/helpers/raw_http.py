"""A client of raw bytes, and servers with limits that a test can reach."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import urlsplit

from http_rig import PLAIN, serve_command, started

WAIT = 60
MODERN_HEAD = {"mcp-protocol-version": "2026-07-28"}
_SERVE = """
import sys
from penstock.relay.http.limits import ServeLimits
from penstock.relay.http.server import Listening, serve_http
from penstock.relay.target import Target
from penstock.settings.policy import Policy

listening = Listening("127.0.0.1", 0, limits=ServeLimits({limits}))
serve_http(Target(tuple(sys.argv[1:])), Policy(), listening)
"""


@contextmanager
def serving_with(**limits):
    """Serve with limits that have no option."""
    given = ", ".join(f"{name}={value!r}" for name, value in limits.items())
    command = [sys.executable, "-c", _SERVE.format(limits=given), *PLAIN]
    with started(command, "stderr") as url:
        yield url


@contextmanager
def serving_logged(log, *arguments, before=""):
    """Serve with the log in a file. Yield the URL and the process. `before`: a line of shell."""
    with serve_command(*arguments, "--", *PLAIN) as command, log.open("wb") as stream:
        start = ["sh", "-c", f'{before}exec "$@"', "sh", *command]
        process = subprocess.Popen(start, stderr=stream)
        try:
            address = r"http://\S+"
            wait_until(lambda: re.search(address, log.read_text()) or process.poll() is not None)
            yield re.search(address, log.read_text())[0], process
        finally:
            process.terminate()
            process.wait(WAIT)


def wait_until(happens):
    """Wait for a condition to be true."""
    deadline = time.monotonic() + WAIT
    while not happens():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def error(self):
        return json.loads(self.body)["error"]


def head(url, length=None, method="POST", path="/mcp", **more):
    """Return the head of a request, as bytes."""
    given = {
        "host": urlsplit(url).netloc,
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "content-length": length,
        **more,
    }
    lines = [f"{name}: {value}" for name, value in given.items() if value is not None]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode("latin-1")


class Wire:
    """A connection that sends exactly the bytes that a test gives it."""

    def __init__(self, url, door=""):
        """`door`: the Unix socket of one worker, in place of the address in the URL."""
        where = urlsplit(url)
        if door:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(WAIT)
            self.socket.connect(door)
        else:
            self.socket = socket.create_connection((where.hostname, where.port), timeout=WAIT)
        self._unread = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def _more(self):
        try:
            return self.socket.recv(65_536)
        except ConnectionResetError:
            return b""

    def answer(self):
        """Return the next answer, which has a declared length."""
        while b"\r\n\r\n" not in self._unread:
            more = self._more()
            assert more, f"closed after {self._unread!r}"
            self._unread += more
        top, _, rest = self._unread.partition(b"\r\n\r\n")
        first, *lines = top.decode().split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)
        }
        length = int(headers["content-length"])
        while len(rest) < length:
            rest += self._more()
        self._unread = rest[length:]
        return Answer(int(first.split()[1]), headers, rest[:length])

    def is_closed(self):
        """Wait for the other end to close the connection."""
        while self._more():
            pass
        return True


def asking_health(url):
    """Return a connection that has asked whether the server is up."""
    wire = Wire(url)
    wire.send(head(url, method="GET", path="/healthz"))
    return wire


def answers_health(url):
    with asking_health(url) as wire:
        return wire.answer().status == 200
