"""stdio to stdio: two threads, one a direction, and a few for what takes long.

Each reading thread also writes what it read, and waits while the other side does not read: that is
the back-pressure. A small call therefore costs two switches of thread and nothing else.

What reads from upstream never waits for upstream to read: a server that does not read while it
writes would wait for us, and we for it. So each side has threads of its own for what takes long,
and what upstream's messages lead to sending upstream (a call that waited for the list of tools) is
left to one more.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import IO, Final, assert_never

from penstock.engine.engine import Engine
from penstock.log import logger
from penstock.relay.jobs import Jobs
from penstock.relay.process import GRACE_SECONDS, LAST_SECONDS, LINE_BUFFER, Process
from penstock.wire import messages
from penstock.wire.outputs import Outputs, Perform, ToClient, ToUpstream
from penstock.wire.session import Session

UPSTREAM_ENDED: Final = 1
LATE_SECONDS: Final = 3.0
_LOOK_SECONDS: Final = 0.01
_LOOKS: Final = 10  # so often in a row there was nothing: then nothing is on its way
_SIGNALS: Final = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")


class Client:
    """The host, on our stdin and stdout."""

    def __init__(self) -> None:
        # Descriptors of our own, so that a stray print cannot get between two messages.
        self.input: IO[bytes] = os.fdopen(os.dup(0), "rb", LINE_BUFFER)
        self._output: IO[bytes] = os.fdopen(os.dup(1), "wb", LINE_BUFFER)
        sys.stdout = sys.stderr
        self._writing = threading.Lock()

    def has_written(self) -> bool:
        """Whether something lies in its pipe that nobody has read yet."""
        if os.name != "posix":
            return False  # pipes cannot be looked into there
        return bool(select.select([self.input], [], [], 0)[0])

    def send(self, message: bytes) -> None:
        with self._writing:
            self._output.write(message if message.endswith(b"\n") else message + b"\n")
            self._output.flush()


class StdioRelay:
    """Runs until one side goes."""

    def __init__(self, client: Client, upstream: Process, session: Session, engine: Engine) -> None:
        self._client = client
        self._upstream = upstream
        self._session = session
        self._engine = engine
        # Requests are small, and more of them may be cancellations: the host is always read.
        self._asked, self._answered = Jobs(most_waiting=None), Jobs()
        self._sending = Jobs(threads=1, most_waiting=None)
        self._client_left = threading.Event()
        self._has_spoken = threading.Event()
        self._is_reading = threading.Lock()  # held while a line of the client's is worked on
        self._signal = 0
        self._finished = threading.Event()

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
                    with self._is_reading:
                        self._carry_out(self._session.from_client(line), self._asked)
        except OSError as error:
            logger().info("reading from the client: %s", error)
        finally:
            self._leave()

    def _leave(self) -> None:
        """The client is gone. What it asked may still be finished, but not for long."""
        self._client_left.set()
        threading.Thread(target=self._wind_up, daemon=True).start()

    def _wind_up(self) -> None:
        """Upstream is told that nothing more will come once nothing more can: what the client has
        asked may still be on its way through the relay."""
        deadline = time.monotonic() + GRACE_SECONDS
        while self._session.is_at_work() and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)
        self._upstream.end()

    def _read_upstream(self) -> None:
        try:
            for line in self._upstream.output:
                if not line.isspace():
                    self._carry_out(self._session.from_upstream(line), self._answered)
                del line  # perhaps megabytes, and the next may be long in coming
        except (OSError, ValueError) as error:
            logger().info("reading from upstream: %s", error)

    def _finish(self) -> int:
        expected = self._client_left.is_set()
        how = self._upstream.how_it_ended()
        self._upstream.end(grace=0)
        if not expected:
            logger().error("the MCP server %s", how)
            told = f"The MCP server behind Penstock {how} before it answered."
            self._tell(self._session.upstream_ended(told))
        self._answered.finish()  # what it answered before it ended is an answer
        if not expected:
            self._tell_late_comers()
        self._asked.finish()
        self._sending.finish()
        self._finished.set()
        if self._signal:
            return 128 + self._signal
        return 0 if expected else UPSTREAM_ENDED

    def _tell(self, outputs: Outputs) -> None:
        for output in outputs:
            if isinstance(output, ToClient):
                self._to_client(output.message)

    def _tell_late_comers(self) -> None:
        """A server that ends at once may do so before the host has asked anything, and a host that
        is told nothing shows nothing. So its first request is waited for, for a while."""
        if not self._has_spoken.is_set():
            self._has_spoken.wait(LATE_SECONDS)
        self._hear_out()

    def _hear_out(self) -> None:
        """What the host had asked when the server ended may not have been read by then."""
        quiet, deadline = 0, time.monotonic() + LATE_SECONDS
        while quiet < _LOOKS and not self._client_left.is_set() and time.monotonic() < deadline:
            is_busy = self._is_reading.locked() or self._client.has_written()
            quiet = 0 if is_busy else quiet + 1
            time.sleep(_LOOK_SECONDS)

    def _carry_out(self, outputs: Outputs, jobs: Jobs) -> None:
        for output in outputs:
            match output:
                case ToClient():
                    self._to_client(output.message)
                case ToUpstream() if jobs is self._answered:
                    self._sending.submit(partial(self._to_upstream, output.message))
                case ToUpstream():
                    self._to_upstream(output.message)
                case Perform():
                    jobs.submit(partial(self._perform, output, jobs))
                case _:
                    assert_never(output)

    def _perform(self, output: Perform, jobs: Jobs) -> None:
        self._carry_out(self._engine.carry_out(self._session, output), jobs)

    def _to_client(self, message: bytes) -> None:
        try:
            self._client.send(messages.framed(message))
            self._has_spoken.set()
        except OSError:
            if not self._client_left.is_set():
                self._leave()

    def _to_upstream(self, message: bytes) -> None:
        with suppress(OSError):  # its output ends too, and then every request that waits is told
            self._upstream.send(messages.framed(message))

    def _hurry(self) -> None:
        """Asked to go: at once, and also where a client takes nothing of what is written to it."""
        self._upstream.end(grace=0)
        if not self._finished.wait(LAST_SECONDS):
            os._exit(128 + self._signal)

    def _watch_signals(self) -> None:
        def leave(number: int, _frame: FrameType | None) -> None:
            self._signal = number
            self._client_left.set()
            threading.Thread(target=self._hurry, daemon=True).start()

        for name in _SIGNALS:
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), leave)
