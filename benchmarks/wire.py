"""A client that speaks MCP as plain bytes, so that only the server is timed, not a library."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter_ns
from types import TracebackType
from typing import Any, Self

_BUFFER = 1 << 20
_SECONDS_TO_LEAVE = 20
_NS_PER_MS = 1_000_000
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class WireClient:
    """A server process and the pipes to it."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> None:
        self._process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=_BUFFER,
            env=None if environment is None else dict(environment),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input = self._process.stdin
        self._output = self._process.stdout
        self._last_id = 0

    def greet(self) -> bytes:
        """Do the handshake, and return the answer to `tools/list`."""
        self.initialize()
        return self.ask("tools/list", {})

    def initialize(self) -> bytes:
        """Do the handshake, and return the server's greeting."""
        greeting = self.ask("initialize", HELLO)
        self._input.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return greeting

    def ask(self, method: str, params: Mapping[str, Any]) -> bytes:
        return self.timed(method, params)[1]

    def timed(self, method: str, params: Mapping[str, Any]) -> tuple[float, bytes]:
        """Return the milliseconds until the whole answer is here, and the answer."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        start = perf_counter_ns()
        self._input.write(line)
        self._input.flush()
        answer = self._answer(b'"id":%d' % self._last_id)
        return (perf_counter_ns() - start) / _NS_PER_MS, answer

    def ask_at_once(self, method: str, many: Sequence[Mapping[str, Any]]) -> list[bytes]:
        """Send many requests before the first answer is read. Return the answers in their order."""
        ids = [str(self._last_id + number) for number, _ in enumerate(many, 1)]
        self._last_id += len(many)
        for key, params in zip(ids, many, strict=True):
            message = {"jsonrpc": "2.0", "id": int(key), "method": method, "params": params}
            self._input.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self._input.flush()
        waiting, answers = set(ids), {}
        while waiting:
            line = self._line()
            answers[str(json.loads(line).get("id"))] = line
            waiting -= answers.keys()
        return [answers[key] for key in ids]

    def _answer(self, mark: bytes) -> bytes:
        """Return the first line that is an answer: notifications may come before it. Its id is the
        first or the last of its members."""
        while True:
            line = self._line()
            if mark + b"," in line[:64] or line.endswith(mark + b"}\n"):
                return line

    def _line(self) -> bytes:
        line = self._output.readline()
        if not line:
            raise EOFError(f"{self._process.args!r} closed its output")
        return line

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def peak_megabytes(self) -> float:
        """Return the peak memory of the process, as Linux counts it."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
        return 1_024 * int(line.split()[1]) / 1_000_000

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._input.close()
        try:
            self._process.wait(_SECONDS_TO_LEAVE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._output.close()
