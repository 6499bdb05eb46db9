"""stdio to stdio: two threads, one a direction, and a few for what takes long.

Each reading thread also writes what it read, and waits while the other side does not read: that is
the back-pressure. A small call therefore costs two switches of thread and nothing else.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import IO, Final

from penstock.gate import log
from penstock.relay import messages
from penstock.relay.jobs import Jobs
from penstock.relay.process import LINE_BUFFER, Process
from penstock.relay.session import Session
from penstock.relay.state import Later, Outputs, ToClient, ToUpstream

UPSTREAM_ENDED: Final = 1
_SIGNALS: Final = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")


class Client:
    """The host, on our stdin and stdout."""

    def __init__(self) -> None:
        # Descriptors of our own, so that a stray print cannot get between two messages.
        self.input: IO[bytes] = os.fdopen(os.dup(0), "rb", LINE_BUFFER)
        self._output: IO[bytes] = os.fdopen(os.dup(1), "wb", LINE_BUFFER)
        sys.stdout = sys.stderr
        self._writing = threading.Lock()

    def send(self, message: bytes) -> None:
        with self._writing:
            self._output.write(message if message.endswith(b"\n") else message + b"\n")
            self._output.flush()


class StdioRelay:
    """Runs until one side goes."""

    def __init__(self, client: Client, upstream: Process, session: Session) -> None:
        self._client = client
        self._upstream = upstream
        self._session = session
        self._jobs = Jobs()
        self._client_left = threading.Event()
        self._signal = 0

    def run(self) -> int:
        """The exit code."""
        self._watch_signals()
        threading.Thread(target=self._read_client, daemon=True).start()
        self._read_upstream()
        return self._finish()

    def _read_client(self) -> None:
        try:
            for line in self._client.input:
                if not line.isspace():
                    self._carry_out(self._session.from_client(line))
        except OSError as error:
            log().info("reading from the client: %s", error)
        self._leave()

    def _leave(self) -> None:
        """The client is gone. Upstream may still finish what it was asked, but not for long."""
        self._client_left.set()
        threading.Thread(target=self._upstream.end, daemon=True).start()

    def _read_upstream(self) -> None:
        try:
            for line in self._upstream.output:
                if not line.isspace():
                    self._carry_out(self._session.from_upstream(line))
                del line  # perhaps megabytes, and the next may be long in coming
        except (OSError, ValueError) as error:
            log().info("reading from upstream: %s", error)

    def _finish(self) -> int:
        expected = self._client_left.is_set()
        how = self._upstream.how_it_ended
        self._upstream.end(grace=0)
        if not expected:
            told = f"The MCP server behind Penstock {how} before it answered."
            self._carry_out(self._session.upstream_ended(told))
            log().error("the MCP server %s", how)
        self._jobs.finish()
        if self._signal:
            return 128 + self._signal
        return 0 if expected else UPSTREAM_ENDED

    def _carry_out(self, outputs: Outputs) -> None:
        for output in outputs:
            match output:
                case ToClient():
                    self._to_client(output.message)
                case ToUpstream():
                    self._to_upstream(output.message)
                case Later():
                    self._jobs.submit(partial(self._do, output))

    def _do(self, later: Later) -> None:
        self._carry_out(self._session.do(later))

    def _to_client(self, message: bytes) -> None:
        try:
            self._client.send(messages.framed(message))
        except OSError:
            if not self._client_left.is_set():
                self._leave()

    def _to_upstream(self, message: bytes) -> None:
        with suppress(OSError):  # its output ends too, and then every request that waits is told
            self._upstream.send(messages.framed(message))

    def _watch_signals(self) -> None:
        def leave(number: int, _frame: FrameType | None) -> None:
            self._signal = number
            self._leave()

        for name in _SIGNALS:
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), leave)
