"""Groups of servers for `--servers`: light ones, light ones that start late, and real ones."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks import peers
from benchmarks.peers import Contender
from benchmarks.programs.servers import Server, server

MANY: Final = 10
_SLOW: Final = (sys.executable, "-m", "benchmarks.servers.slow_light")
_ROOT: Final = {"PYTHONPATH": str(Path(__file__).parents[2])}
# Ten servers of seven packages, in both languages. Three of them run twice, so that names collide.
_REAL: Final = (
    "excel", "excel", "filesystem", "filesystem", "git", "gitlab", "memory", "memory", "sqlite", "time",
)  # fmt: skip

Servers = Mapping[str, Server]


def light(count: int = MANY) -> dict[str, Server]:
    return {f"light{number}": Server(peers.direct().command, {}) for number in range(count)}


def slow(slowest: float, count: int = MANY) -> dict[str, Server]:
    """Return servers that wait before they start, the last of them for `slowest` seconds."""
    waits = (slowest * number / count for number in range(1, count + 1))
    return {
        f"slow{number}": Server((*_SLOW, str(seconds)), _ROOT)
        for number, seconds in enumerate(waits)
    }


def real(folder: Path) -> dict[str, Server]:
    """Return ten servers that others wrote. Their data are in the folder."""
    return {
        f"{name}{number}": server(name, folder=str(folder), url="http://127.0.0.1:9")
        for number, name in enumerate(_REAL)
    }


def together(servers: Servers, file: Path, *options: str) -> Contender:
    """Return one Penstock in front of all servers, which it reads from a file."""
    entries = {
        name: {"command": one.command[0], "args": one.command[1:], "env": one.environment}
        for name, one in servers.items()
    }
    file.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    return peers.penstock_servers(file, *options)
