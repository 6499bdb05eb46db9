"""The carriers under test, and how to start each."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psutil
from carrier_clients import Client, HttpClient, StdioClient
from environments import clean_environment
from relay_processes import PATIENCE, RUN, end, is_guardian, wait_until
from sluice import Sluice
from staging import Stage

SERVERS = Path(__file__).parents[1] / "servers"
UPSTREAM = str(SERVERS / "staged_server.py")
BESIDE = str(SERVERS / "stray_server.py")
SERVE = [sys.executable, "-m", "penstock", "serve", "--port", "0"]
CONFIG = '[tools.late]\ncall_timeout = "1s"\n'
URL = re.compile(r"http://\S+(?=\n)")


@dataclass(frozen=True)
class Carrier:
    """A carrier, the era of its client, and the ways in and out."""

    program: str  # see `command`
    era: str
    door: str  # how clients reach the program: "stdio" or "http"
    upstream: str  # how the program reaches the server: "pipe", "http" or "inside" its process

    def __str__(self) -> str:
        return f"{self.program}-{self.era}"

    def command(self, folder: Path, url: str) -> list[str]:
        """Return the command that starts the carrier. `url` is the address of an upstream over
        HTTP."""
        server, inside = staged_server(folder), str(SERVERS / "staged_inside.py")
        return {
            "run": [*RUN, "--", *server],
            "run-url": [*RUN, "--url", url],
            "run-servers": [*RUN, "--servers", str(servers_file(folder))],
            "serve": [*SERVE, "--", *server],
            "serve-url": [*SERVE, "--url", url],
            "serve-servers": [*SERVE, "--servers", str(servers_file(folder))],
            "mcp": [sys.executable, inside, str(folder), "mcp"],
            "fastmcp": [sys.executable, inside, str(folder), "fastmcp"],
            "django": [sys.executable, str(SERVERS / "staged_site.py"), str(folder)],
        }[self.program]


def staged_server(folder: Path) -> list[str]:
    return [sys.executable, UPSTREAM, str(folder)]


def servers_file(folder: Path) -> Path:
    """Return a file with the server of the tests, and another one beside it."""
    commands = {"staged": staged_server(folder), "beside": [sys.executable, BESIDE]}
    entries = {
        name: {"command": program, "args": arguments}
        for name, (program, *arguments) in commands.items()
    }
    file = folder / "mcp.json"
    file.write_text(json.dumps({"mcpServers": entries}))
    return file


BOTH = ("legacy", "modern")
CARRIERS = [
    Carrier(program, era, door, upstream)
    for program, door, upstream, eras in (
        ("run", "stdio", "pipe", BOTH),
        ("run-url", "stdio", "http", BOTH),
        ("serve", "http", "pipe", BOTH),
        ("serve-url", "http", "http", BOTH),
        # To both of these carriers a hub is one more upstream, so each gets one era.
        ("run-servers", "stdio", "pipe", ["legacy"]),
        ("serve-servers", "http", "pipe", ["modern"]),
        # The two frameworks share one carrier and are slow to start, so each gets one era.
        ("mcp", "stdio", "inside", ["legacy"]),
        ("fastmcp", "stdio", "inside", ["modern"]),
        ("django", "http", "inside", BOTH),
    )
    for era in eras
]


class Rig:
    """A running carrier, with its server on a stage and its store behind a sluice."""

    def __init__(self, carrier: Carrier, folder: Path, store: Sluice, **settings: str) -> None:
        self.carrier = carrier
        self.store = store
        self.stage = Stage(folder)
        self._settings = settings
        self._folder = folder
        self._config = folder / "penstock.toml"
        self._open = ExitStack()
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        self._config.write_text(CONFIG)
        url = ""
        if self.carrier.upstream == "http":
            self._start("upstream", [*staged_server(self._folder), "--http"])
            url = self._address("upstream")
        self._start("carrier", self.carrier.command(self._folder, url))
        self._url = self._address("carrier") if self.carrier.door == "http" else ""

    def client(self) -> Client:
        """Return a client that has greeted. A carrier on pipes has room for only one."""
        if self.carrier.door == "http":
            client: Client = HttpClient(self.carrier.era, self._url)
        else:
            client = StdioClient(self.carrier.era, self._started["carrier"])
        self._open.callback(client.close)
        client.greet()
        return client

    def workers(self) -> list[psutil.Process]:
        """Return the processes that answer SQL and jq: all children of the carrier but the
        server."""
        below = psutil.Process(self._started["carrier"].pid).children()
        return [one for one in below if is_worker(one)]

    def kill_workers(self) -> None:
        for worker in self.workers():
            worker.kill()

    def kill_upstream(self) -> None:
        """Kill the server process that heard the last message, and wait until its parent, which is
        the carrier or this test, has noticed."""
        pid = self.stage.heard()[-1].pid
        os.kill(pid, signal.SIGKILL)
        if "upstream" in self._started:
            self._started["upstream"].wait(PATIENCE)
        wait_until(lambda: not psutil.pid_exists(pid), "the end of the server")

    def close(self) -> str:
        """End everything, and return the logs of the processes."""
        for process in self._started.values():
            end(process.pid)
        self._open.close()
        return "".join(path.read_text("utf-8") for path in self._folder.glob("*.log"))

    def _start(self, name: str, command: list[str]) -> None:
        settings = {
            "PENSTOCK_STORE": self.store.url,
            "PENSTOCK_QUERY_SECONDS": f"{10 * PATIENCE}",
            "PENSTOCK_PROGRAMS": "write",
            "PENSTOCK_PROGRAM_SECONDS": f"{10 * PATIENCE}",
            "PENSTOCK_MAX_UPSTREAM": "3MB",
            "PENSTOCK_CONFIG": str(self._config),
            **self._settings,
        }
        log = self._open.enter_context((self._folder / f"{name}.log").open("wb"))
        has_pipes = name == "carrier" and self.carrier.door == "stdio"
        started = subprocess.Popen(
            command,
            stdin=subprocess.PIPE if has_pipes else subprocess.DEVNULL,
            stdout=subprocess.PIPE if has_pipes else log,
            stderr=log,
            env=clean_environment(**settings),
        )
        self._started[name] = self._open.enter_context(started)

    def _address(self, name: str) -> str:
        """Wait until a process logs the address on which it listens."""
        log, found = self._folder / f"{name}.log", []
        wait_until(lambda: found.extend(URL.findall(log.read_text("utf-8"))) or found, "an address")
        return found[0]


def is_worker(process: psutil.Process) -> bool:
    try:
        command = process.cmdline()
    except psutil.Error:  # it has ended meanwhile
        return False
    is_server = UPSTREAM in command or BESIDE in command
    return bool(command) and not is_server and not is_guardian(process)
