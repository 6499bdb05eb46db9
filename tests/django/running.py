"""The example site with real databases, under real servers that a test starts and ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from environments import clean_environment
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult
from relay_weights import counted_forms

PROJECT = Path(__file__).parents[2] / "examples" / "fleet"
DEVICES = 2_000
PASSWORD = "known to the tests"  # noqa: S105 (a site that lives for a minute)
PATIENCE = 180  # seconds, for a busy machine
BUDGET = 25_000

# Each server logs its port. There are two processes, so that each must find what the other has
# stored; the log tells which one answered.
SERVERS = {
    "gunicorn": [
        "-m", "gunicorn", "--workers", "2", "--bind", "127.0.0.1:0", "--no-control-socket",
        "--access-logfile", "-", "--access-logformat", "worker %(p)s: %(r)s %(s)s", "fleet.wsgi",
    ],
    "uvicorn": ["-m", "uvicorn", "--port", "0", "fleet.asgi:application"],
}  # fmt: skip
# A server, its database and where it keeps results: fixtures, by their names.
COMBINATIONS = [
    ("gunicorn", "sqlite_fleet", "sqlite_store"),
    ("gunicorn", "postgresql_fleet", "redis_store"),
    ("uvicorn", "sqlite_fleet", "memory_store"),
    ("uvicorn", "postgresql_fleet", "cache_store"),
]
# A socket that is open when the process ends does not concern these tests.
STRICT = [sys.executable, "-u", "-W", "error", "-W", "ignore::ResourceWarning"]
_ADDRESS = re.compile(r"http://127\.0\.0\.1:[1-9]\d*")


@dataclass(frozen=True)
class Database:
    """A database with a fleet. `environment` leads the site to it; `tokens` are by user."""

    environment: Mapping[str, str]
    tokens: Mapping[str, str]


@dataclass(frozen=True)
class Site:
    """A site that is being served."""

    url: str
    tokens: Mapping[str, str]
    log: Path
    process: subprocess.Popen[bytes]

    def api(self, path: str, **query: Any) -> Any:
        """Return the answer of the site's own API, to which a tool's answer is compared."""
        response = httpx2.get(
            f"{self.url}/api/{path}", params=query, headers=self.headers("viewer"), timeout=PATIENCE
        )
        assert response.status_code == 200, response.text
        return response.json()

    def headers(self, user: str) -> dict[str, str]:
        return {"Authorization": f"Token {self.tokens[user]}"}

    @contextmanager
    def agent(self, user: str = "technician", mode: str = "auto") -> Iterator[Agent]:
        """Connect the official client, with the token of a user."""
        with start_blocking_portal() as portal:
            sizes: list[int] = []
            client = _client(f"{self.url}/mcp/", self.headers(user), mode, sizes)
            with portal.wrap_async_context_manager(client) as connected:
                yield Agent(portal, connected, sizes)


@dataclass(frozen=True)
class Agent:
    """The official client for synchronous tests. `sizes` holds the sizes of the results as a
    model reads them."""

    portal: BlockingPortal
    client: Client
    sizes: list[int]

    def tools(self) -> dict[str, Any]:
        return {tool.name: tool for tool in self.portal.call(self.client.list_tools).tools}

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        result = self.portal.call(self.client.call_tool, tool, arguments)
        assert self.sizes[-1] <= BUDGET or arguments.get("mode") == "full"
        return result

    def told(self, tool: str, **arguments: Any) -> Any:
        result = self.call(tool, **arguments)
        assert not result.is_error, result.content
        return json.loads(result.content[0].text)

    def refused(self, tool: str, **arguments: Any) -> str:
        """Return the error of a call that must be refused."""
        result = self.call(tool, **arguments)
        assert result.is_error, result.content
        return json.loads(result.content[0].text)["error"]

    def walk(self, tool: str, following: str | None) -> list[Any]:
        """Return every row from there on."""
        rows = []
        while following:
            page = self.told(tool, continuation_token=following)
            rows += page["items"]
            following = page["next"]
        return rows


@asynccontextmanager
async def _client(
    url: str, headers: dict[str, str], mode: str, sizes: list[int]
) -> AsyncIterator[Client]:
    async def weigh(response: httpx2.Response) -> None:
        answer = msgspec.json.decode(await response.aread() or b"{}", type=dict[str, msgspec.Raw])
        forms = counted_forms(bytes(answer.get("result", b"{}")))[1:]
        sizes.append(max(len(form.encode()) for form in forms))

    hooks = {"response": [weigh]}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE, event_hooks=hooks) as http,
        Client(
            streamable_http_client(url, http_client=http), mode=mode, read_timeout_seconds=PATIENCE
        ) as client,
    ):
        yield client


def environment(**given: str) -> dict[str, str]:
    """Return the environment without variables that would change the site."""
    return clean_environment("FLEET_", "DJANGO_", "PG", **given)


def manage(*arguments: str, **given: str) -> str:
    """Return what a command of the site prints."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", "manage.py", *arguments],
        cwd=PROJECT, env=environment(**given), capture_output=True, text=True, check=False,
        timeout=PATIENCE, encoding="utf-8",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def filled(**given: str) -> Database:
    """Make a database with a small fleet."""
    manage("migrate", "--verbosity", "0", **given)
    printed = manage("seed_fleet", "--devices", str(DEVICES), "--password", PASSWORD, **given)
    return Database(given, dict(line.split() for line in printed.splitlines()))


@contextmanager
def postgres() -> Iterator[dict[str, str]]:
    """Start a PostgreSQL server on a Unix socket, and yield the variables that describe it."""
    pytest.importorskip("psycopg", reason="no PostgreSQL: psycopg is missing")
    with tempfile.TemporaryDirectory(prefix="pg-") as runtime:
        server = _postgres_server(runtime)
        try:
            yield {"PGHOST": str(server.pgdata), "PGUSER": "postgres", "PGDATABASE": "postgres"}
        finally:
            server.cleanup()


def _postgres_server(runtime: str) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        # The folder of its lock: the package reads the variable at import, and warns if it is
        # missing.
        patch.setenv("XDG_RUNTIME_DIR", runtime)
        pgserver = pytest.importorskip("pgserver", reason="no PostgreSQL: pgserver is missing")
    # Not tmp_path, because the path of a socket may have at most 107 characters.
    folder = tempfile.mkdtemp(prefix="pg-")
    try:
        return pgserver.get_server(folder, cleanup_mode="delete")
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"no PostgreSQL server: {error}")


@contextmanager
def serving(server: str, database: Database, log: Path, **given: str) -> Iterator[Site]:
    """Serve the example with this database, under one of `SERVERS` or Django's `runserver`."""
    # `runserver` logs the port that it was given, not the one that it got.
    arguments = SERVERS.get(server) or ["manage.py", "runserver", "--noreload", _free_port()]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*STRICT, *arguments], cwd=PROJECT, env=environment(**database.environment, **given),
            stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    try:
        yield Site(_address(process, log), database.tokens, log, process)
    finally:
        _end(process)


def _free_port() -> str:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return str(trial.getsockname()[1])


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + PATIENCE
    while not (found := _ADDRESS.search(log.read_text("utf-8"))):
        if process.poll() is not None or time.monotonic() > deadline:
            raise AssertionError(f"The server did not start:\n{log.read_text('utf-8')}")
        time.sleep(0.05)
    return found[0]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a server and its workers, which are in one process group."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
