"""Servers for a page: `penstock serve` in front of the plant, and servers with Penstock in them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from http_rig import Raw, value_of
from relay_processes import is_guardian

PLANT = [sys.executable, str(Path(__file__).with_name("plant_server.py"))]


@dataclass
class Served:
    """A server that listens, and its process."""

    url: str
    process: subprocess.Popen[str]
    tokens: dict[str, str] = field(default_factory=dict)

    def token(self, tool: str, **arguments: Any) -> str:
        """Return the token of a stored result, which is made when a test first asks for it.

        Every bearer of the token may read the result: MCP 2026-07-28 has no sessions, and there is
        no login. So tests share results that take long to make.
        """
        key = f"{tool} {arguments}"
        if key not in self.tokens:
            with Raw(self.url) as client:
                probe = value_of(client.modern_call(tool, arguments))
            self.tokens[key] = probe["continuation_token"]
        return self.tokens[key]

    def kill_upstream(self) -> None:
        children = psutil.Process(self.process.pid).children()
        for child in (child for child in children if not is_guardian(child)):
            child.kill()
            child.wait()

    def kill(self) -> None:
        self.kill_upstream()
        self.process.kill()
        self.process.wait()


@contextmanager
def started(command: list[str], stream: str, **environment: str) -> Iterator[Served]:
    process = subprocess.Popen(
        command, text=True, env={**os.environ, **environment}, **{stream: subprocess.PIPE}
    )
    said = getattr(process, stream)
    try:
        url = next((found[0] for line in said if (found := re.search(r"http://\S+", line))), None)
        assert url, f"{command} said no address"
        yield Served(url, process)
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        said.close()


@contextmanager
def relay(origin: str, port: int = 0, **settings: str) -> Iterator[Served]:
    """Run the relay over HTTP in front of the plant over stdio; settings as in the environment."""
    command = [sys.executable, "-m", "penstock", "serve", "--port", str(port)]
    allowed = ["--allow-origin", origin]
    with started([*command, *allowed, "--", *PLANT], "stderr", **settings) as served:
        yield served


@contextmanager
def server_with_penstock(door: str, origin: str) -> Iterator[Served]:
    with started([*PLANT, door, origin], "stdout") as served:
        yield served
