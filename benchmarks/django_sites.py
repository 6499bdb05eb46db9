"""The site of `django_site` as a process, and a client over HTTP."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from benchmarks.django_site.options import Options
from benchmarks.wire import HELLO

_SECONDS_TO_LEAVE: Final = 20
_SECONDS_TO_ANSWER: Final = 120


@dataclass(frozen=True)
class Answer:
    """The answer to a POST."""

    status: int
    body: bytes

    @cached_property
    def message(self) -> dict[str, Any]:
        """The JSON-RPC message, or an empty one if the body has none."""
        try:
            found = json.loads(self.body)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def content(self) -> list[dict[str, Any]]:
        """The content of a tool's result."""
        found: list[dict[str, Any]] = self.message.get("result", {}).get("content", [])
        return found

    @cached_property
    def value(self) -> Any:
        """The value of a tool's result: the JSON of its first text, or the text."""
        texts = [block["text"] for block in self.content if block["type"] == "text"]
        if not texts:
            return None
        try:
            return json.loads(texts[0])
        except ValueError:
            return texts[0]

    @property
    def refusal(self) -> str:
        """The reason of a refusal, or an empty text."""
        if self.status != 200:
            return f"HTTP {self.status}"
        if error := self.message.get("error"):
            return str(error["message"])
        if not self.message["result"].get("isError"):
            return ""
        said = self.value
        return str(said.get("error", said) if isinstance(said, dict) else said)

    @property
    def token(self) -> str:
        """The token of a stored result, or an empty text."""
        said = self.value
        return str(said.get("continuation_token", "")) if isinstance(said, dict) else ""


class Site:
    """A running site, with its URL and its database."""

    def __init__(self, url: str, database: Path) -> None:
        self._url = urlsplit(url)
        self._database = database
        self._last_id = 0
        self.ask("initialize", HELLO)

    def call(self, tool: str, arguments: Mapping[str, Any], user: str = "ada") -> Answer:
        return self.ask("tools/call", {"name": tool, "arguments": arguments}, user)

    def ask(self, method: str, params: Mapping[str, Any], user: str = "ada") -> Answer:
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "authorization": f"Token {user}",
            "mcp-protocol-version": str(HELLO["protocolVersion"]),
        }
        # A new connection for each request: a server may close one that is idle.
        with closing(HTTPConnection(self._url.netloc, timeout=_SECONDS_TO_ANSWER)) as connection:
            connection.request("POST", self._url.path, json.dumps(message).encode(), headers)
            response = connection.getresponse()
            return Answer(response.status, response.read())

    @contextmanager
    def without_permissions(self, user: str) -> Iterator[None]:
        """Remove a user's permissions in the database, as an operator would, inside the block."""
        with closing(sqlite3.connect(self._database)) as database:
            table = "auth_user_user_permissions"
            whose = "user_id = (SELECT id FROM auth_user WHERE username = ?)"
            rows = database.execute(f"SELECT * FROM {table} WHERE {whose}", [user]).fetchall()  # noqa: S608 (ours)
            database.execute(f"DELETE FROM {table} WHERE {whose}", [user])  # noqa: S608 (ours)
            database.commit()
            try:
                yield
            finally:
                database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)  # noqa: S608 (ours)
                database.commit()


class DoesNotStart(Exception):
    """The site did not start. The message is what it printed in place of its URL."""


@contextmanager
def running(options: Options, python: str, module: str) -> Iterator[Site]:
    """Run a site with a copy of the database that the options name."""
    copy = Path(options.database).with_name(f"{options.gateway}-{id(options)}.sqlite3")
    shutil.copyfile(options.database, copy)
    process = subprocess.Popen(  # noqa: S603 (our own site)
        [python, "-m", module],
        env=replace(options, database=str(copy)).environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield Site(_place_of(process), copy)
        finally:
            process.terminate()
            process.wait(_SECONDS_TO_LEAVE)


def _place_of(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    said = process.stderr.readline().strip()
    threading.Thread(target=process.stderr.read, daemon=True).start()
    if not said.startswith("http://"):
        raise DoesNotStart(said)
    return said


def seeded(folder: Path) -> Path:
    """Make a database with all rows, here: the other environment has the same Django."""
    database = folder / "site.sqlite3"
    command = [sys.executable, "-m", "benchmarks.django_site.seed"]
    subprocess.run(command, env=Options(str(database)).environment(), check=True)  # noqa: S603 (ours)
    return database
