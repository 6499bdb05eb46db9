"""Third-party servers: started, asked for their tools or to run one, and ended with all their processes.

They are not trusted. Each has a time limit, its own home folder, and only the search path of this
environment. Requests of the servers are refused.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from benchmarks.wire import HELLO

_SECONDS = 90
_MOST_PAGES = 100
_MOST_SAID = 300
_METHOD_NOT_FOUND = {"code": -32601, "message": "Method not found"}

Tool = dict[str, Any]


class Answering(Protocol):
    """A party that answers like a server."""

    instructions: str

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]: ...


class NoList(Exception):
    """The server gave no list of tools."""


def tools_of(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, seconds: float = _SECONDS
) -> list[Tool]:
    """Return the tools on all pages of a server's list."""
    with greeted(command, environment, folder, seconds) as conversation:
        return list(listed(conversation))


@contextmanager
def greeted(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, seconds: float = _SECONDS
) -> Iterator[Conversation]:
    """Start a server and do the handshake. Raise `NoList` if it ends inside the block."""
    with _running(command, environment, folder, seconds) as process:
        conversation = Conversation(process)
        try:
            conversation.greet()
            yield conversation
        except (EOFError, OSError) as error:
            raise NoList(
                _last_words(folder) or f"it ended, or took over {seconds:.0f} s"
            ) from error


def listed(conversation: Answering) -> Iterator[Tool]:
    """Yield the tools on all pages of the list."""
    cursor: dict[str, Any] = {}
    for _ in range(_MOST_PAGES):
        page = conversation.ask("tools/list", cursor)
        yield from page.get("tools", [])
        if not page.get("nextCursor"):
            return
        cursor = {"cursor": page["nextCursor"]}
    raise NoList(f"its list has over {_MOST_PAGES} pages")


class Conversation:
    """The pipes to a running server.

    `protocol_version` and `instructions` are those of the server's greeting.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input: IO[bytes] = process.stdin
        self._output: IO[bytes] = process.stdout
        self._last_id = 0
        self.protocol_version = ""
        self.instructions = ""

    def greet(self) -> None:
        greeting = self.ask("initialize", HELLO)
        self.protocol_version = greeting["protocolVersion"]
        self.instructions = greeting.get("instructions") or ""
        self.say({"method": "notifications/initialized"})

    def say(self, message: Mapping[str, Any]) -> None:
        self._input.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._input.flush()

    def ask(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._last_id += 1
        self.say({"id": self._last_id, "method": method, "params": params})
        for message in self._messages():
            if "method" in message:
                self._refuse(message)
            elif message.get("id") == self._last_id:
                return _result(method, message)
        raise EOFError

    def _refuse(self, message: Mapping[str, Any]) -> None:
        """Refuse a request of the server, which would wait for an answer for ever."""
        if "id" in message:
            self.say({"id": message["id"], "error": _METHOD_NOT_FOUND})

    def _messages(self) -> Iterator[dict[str, Any]]:
        """Yield the messages. Skip other lines: some servers print a greeting on stdout first."""
        for line in self._output:
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if isinstance(message, dict):
                yield message


def _result(method: str, message: Mapping[str, Any]) -> dict[str, Any]:
    result = message.get("result")
    if not isinstance(result, dict):
        raise NoList(f"{method}: {message.get('error')}"[:_MOST_SAID])
    return result


@contextmanager
def _running(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, seconds: float
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server in a new session, so that the processes it starts can be ended with it."""
    home = folder / "home"
    home.mkdir(parents=True, exist_ok=True)
    variables = {"PATH": os.environ["PATH"], "HOME": str(home), **environment}
    with (folder / "stderr.txt").open("wb") as said:
        process = subprocess.Popen(  # noqa: S603 (a pinned server, without a shell)
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=said,
            env=variables,
            cwd=home,
            start_new_session=True,
        )
    deadline = threading.Timer(seconds, _end, [process])
    deadline.start()
    try:
        yield process
    finally:
        deadline.cancel()
        _end(process)
        process.communicate()


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.poll()


def _last_words(folder: Path) -> str:
    said = (folder / "stderr.txt").read_text(encoding="utf-8", errors="replace")
    return " ".join(said.split())[-_MOST_SAID:]
