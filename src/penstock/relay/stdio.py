"""The carrier from stdio to stdio: one thread per direction, and a few for long work.

A thread that reads a message also writes it to the other side, and waits while that side does not
read: this is the back-pressure. So a small call costs just two thread switches.

The thread that reads from upstream never waits for upstream to read. A server that does not read
while it writes would wait for us, and we for it. So each side has its own threads for long work,
and one more thread sends upstream what a message of upstream makes us send, such as a call that
waited for the list of tools.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
import weakref
from contextlib import suppress
from functools import partial
from typing import IO, Final, assert_never

from penstock.engine.engine import Engine
from penstock.log import logger
from penstock.relay.alarms import Alarms
from penstock.relay.jobs import Jobs
from penstock.relay.process import GRACE_SECONDS, LAST_SECONDS, LINE_BUFFER, Unstarted
from penstock.relay.signals import on_signals
from penstock.relay.upstream import Upstream
from penstock.wire import messages
from penstock.wire.kinds_of_work import kind_of
from penstock.wire.outputs import Outputs, Perform, Ring, ToClient, ToUpstream
from penstock.wire.request import Request
from penstock.wire.session import Session
from penstock.wire.unread import Unread, unhandled

UPSTREAM_ENDED: Final = 1
LATE_SECONDS: Final = 3.0
PROGRAM_THREADS: Final = 16
_LOOK_SECONDS: Final = 0.01
_LOOKS: Final = 10  # After this many looks at an empty pipe, no message is on its way.
_SUBSCRIPTION: Final = "subscriptions/listen"


class Client:
    """The host, on our stdin and stdout."""

    def __init__(self) -> None:
        # We copy the descriptors, so that a stray print cannot get between two messages.
        self.input: IO[bytes] = os.fdopen(os.dup(0), "rb", LINE_BUFFER)
        self._output: IO[bytes] = os.fdopen(os.dup(1), "wb", LINE_BUFFER)
        sys.stdout = sys.stderr
        self._writing = threading.Lock()

    def has_written(self) -> bool:
        """Return whether the client's pipe holds unread data, or its unread end."""
        if os.name != "posix":
            return False  # Other systems cannot look into a pipe.
        return bool(select.select([self.input], [], [], 0)[0])

    def send(self, message: bytes) -> None:
        with self._writing:
            self._output.write(message if message.endswith(b"\n") else message + b"\n")
            self._output.flush()


def has_unanswered(session: Session) -> bool:
    """Return whether the client waits for an answer that upstream has not given. A subscription
    does not count: it lasts until the client leaves."""
    return any(
        not request.is_answered and request.method != _SUBSCRIPTION
        for request in list(session.pending.values())
    )


class StdioRelay:
    """The carrier, which runs until the client or upstream ends."""

    def __init__(
        self, client: Client, upstream: Upstream, session: Session, engine: Engine
    ) -> None:
        self._client = client
        self._upstream = upstream
        self._session = session
        self._engine = engine
        # Reading from the host never waits: requests are small, and some are cancellations.
        self._asked, self._answered = Jobs(most_waiting=None), Jobs()
        self._sending = Jobs(threads=1, most_waiting=None)
        # A program may run for a minute, and no result may wait for it.
        self._programs = Jobs(PROGRAM_THREADS, most_waiting=None)
        self._alarms = Alarms()
        self._client_left = threading.Event()
        self._is_told = threading.Event()  # the client has an answer, or has left
        self._is_reading = threading.Lock()  # held while a line of the client is processed
        self._signal = 0
        # Python runs a signal's handler in the main thread, which may wait for upstream when another
        # thread gets the signal. The number comes through this pipe at once.
        self._signals, self._bell = os.pipe()
        self._finished = threading.Event()

    def run(self) -> int:
        """Run, and return the exit code."""
        threading.Thread(target=self._leave_at_signal, daemon=True).start()
        os.set_blocking(self._bell, False)
        signal.set_wakeup_fd(self._bell, warn_on_full_buffer=False)
        on_signals(self._note_signal)
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
        """Give the client's requests a short time to finish after the client has left."""
        self._client_left.set()
        self._is_told.set()
        threading.Thread(target=self._wind_up, daemon=True).start()

    def _wind_up(self) -> None:
        """End upstream once no request of the client is still on its way through the relay."""
        deadline = time.monotonic() + GRACE_SECONDS
        while self._session.is_at_work() and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)
        self._upstream.end(GRACE_SECONDS)

    def _read_upstream(self) -> None:
        try:
            self._upstream.receive(self._received)
        except OSError as error:
            logger().info("reading from upstream: %s", error)
        except Exception:  # noqa: BLE001 (whatever it is, the requests that wait must be answered)
            logger().exception("reading from upstream failed")

    def _received(self, line: bytes | Unread) -> None:
        """Handle one line of upstream's. If that fails, answer the request that it was for."""
        if isinstance(line, Unread):
            self._carry_out(self._session.from_upstream_unread(line), self._answered)
            return
        try:
            if not line.isspace():
                self._carry_out(self._session.from_upstream(line), self._answered)
        except Exception as error:  # noqa: BLE001 (as above)
            logger().exception("a message from upstream could not be handled")
            self._received(unhandled(line, error))

    def _finish(self) -> int:
        has_left = self._has_left()
        how = self._upstream.how_it_ended()
        self._upstream.end(grace=0)
        is_early = not has_left or (not self._signal and has_unanswered(self._session))
        if is_early:
            self._tell(self._session.upstream_ended(self._reported(how)))
        self._answered.finish()  # Answers given before the end still count.
        if not has_left:
            self._tell_late_comers()
        self._asked.finish()
        self._programs.finish()
        self._sending.finish()
        self._finished.set()
        if self._signal:
            return 128 + self._signal
        return UPSTREAM_ENDED if is_early else 0

    def _has_left(self) -> bool:
        """Return whether the client left before upstream ended. The client may have written its
        last lines and closed the pipe while the thread that reads them had not come to it yet."""
        deadline = time.monotonic() + LATE_SECONDS
        while self._client.has_written() and time.monotonic() < deadline:
            if self._client_left.wait(_LOOK_SECONDS):
                break
        return self._client_left.is_set()

    def _reported(self, how: str) -> str:
        """Return the error for the client. Log the end of a server that was started; the command
        line reports a server that was not."""
        if isinstance(self._upstream, Unstarted):
            return f"The MCP server behind Penstock {how}"
        logger().error("the MCP server %s", how)
        return f"The MCP server behind Penstock {how} before it answered."

    def _tell(self, outputs: Outputs) -> None:
        for output in outputs:
            if isinstance(output, ToClient):
                self._to_client(output.message)
            elif isinstance(output, Perform):  # a program, which ends with what its calls returned
                self._programs.submit(partial(self._perform, output, self._programs))

    def _tell_late_comers(self) -> None:
        """Wait a while for the host's first request, and answer it with the error.

        A server may end before the host asks anything, and a host without an answer shows nothing.
        """
        self._is_told.wait(LATE_SECONDS)
        self._hear_out()

    def _hear_out(self) -> None:
        """Read the requests that the host sent before the server ended."""
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
                case Perform() if kind_of(output.work) == "programs":
                    self._programs.submit(partial(self._perform, output, self._programs))
                case Perform():
                    jobs.submit(partial(self._perform, output, jobs))
                case Ring():
                    self._set_alarm(output)
                case _:
                    assert_never(output)

    def _perform(self, output: Perform, jobs: Jobs) -> None:
        try:
            self._carry_out(self._engine.carry_out(self._session, output), jobs)
        except Exception:  # noqa: BLE001 (the client gets an error for any failure)
            logger().exception("the work for a request failed")
            self._carry_out(self._session.give_up(output.request), jobs)

    def _set_alarm(self, alarm: Ring) -> None:
        asked = weakref.ref(alarm.request)  # A request that is answered must not stay until then.

        def ring() -> None:
            request = asked()
            if request is not None:
                self._programs.submit(partial(self._ring, request))

        self._alarms.set(alarm.seconds, ring)

    def _ring(self, request: Request) -> None:
        # Upstream may not read: a cancellation must not hold up the answer to another request.
        self._carry_out(self._session.rang(request), self._answered)

    def _to_client(self, message: bytes) -> None:
        try:
            self._client.send(messages.framed(message))
            self._is_told.set()
        except OSError:
            if not self._client_left.is_set():
                self._leave()

    def _to_upstream(self, message: bytes) -> None:
        with suppress(OSError):  # When its output ends too, every waiting request gets an error.
            self._upstream.send(messages.framed(message))

    def _note_signal(self, number: int) -> None:
        """Note a signal. This runs in a signal handler, which may take no lock: the main thread, which
        it interrupts, may hold it."""
        self._signal = number

    def _leave_at_signal(self) -> None:
        """Exit at once after a signal, even if the client does not read and a write hangs. First stop
        what runs for the client: the processes of a worker or a sandbox would live on."""
        number = self._signal = os.read(self._signals, 1)[0]
        self._client_left.set()
        for request in list(self._session.pending.values()):
            request.cancellation.request()
        self._upstream.end(grace=0)
        if self._finished.wait(LAST_SECONDS):
            time.sleep(LAST_SECONDS)  # The store closes. Another process may keep it locked.
        os._exit(128 + number)
