"""A server behind a hub that is a command: its process, and two threads at most."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from penstock.log import logger
from penstock.relay.process import GRACE_SECONDS, CannotStart, Process, Surroundings
from penstock.relay.upstream import Take
from penstock.wire import messages
from penstock.wire.toolbox import UpstreamTool

MOST_UNREAD: Final = 32_000_000
_EACH: Final = 4_096  # the memory that a waiting message takes besides its bytes
_NOT_READ: Final = f"it does not read its input: {MOST_UNREAD // 1_000_000} MB wait for it"

Ended = Callable[[str], None]


class LocalMember:
    """One run of a command. Sending never waits, so that a server which does not read stops no other."""

    def __init__(
        self, command: Sequence[str], around: Surroundings, most: int, take: Take, ended: Ended
    ) -> None:
        self._command = command
        self._around = around
        self._most = most
        self._take = take
        self._ended = ended
        self._process: Process | None = None
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._is_writing = False
        self._is_stopped = False
        self._why = ""
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def send(self, message: bytes, _called: UpstreamTool | None = None) -> None:
        framed = messages.framed(message)
        with self._lock:
            if not self._waiting and not self._is_writing and self._offered(framed):
                return
            self._waiting.append(framed)
            self._size += len(framed) + _EACH
            if self._size > MOST_UNREAD and not self._is_stopped:
                self._why = _NOT_READ
                self._stop_aside()
            if self._process is not None and not self._is_writing:
                self._is_writing = True
                threading.Thread(target=self._write, daemon=True).start()

    def _offered(self, message: bytes) -> bool:
        try:
            return self._process is not None and self._process.offer(message)
        except OSError:
            return True  # It has ended, which the other thread reports.

    def stop(self, grace: float = 0) -> None:
        """End the process, and wait for that."""
        with self._lock:
            self._is_stopped = True
            process = self._process
        if process is not None:
            process.end(grace)
        self._thread.join(GRACE_SECONDS)

    def _stop_aside(self) -> None:
        threading.Thread(target=self.stop, daemon=True).start()

    def _run(self) -> None:
        try:
            process = Process(self._command, self._around, self._most)
        except CannotStart as error:
            self._ended(f"{error.message} {error.next_step}")
            return
        except Exception as error:  # noqa: BLE001 (whatever it is, the hub must hear of it)
            self._ended(f"it cannot be started: {error}")
            return
        with self._lock:
            self._process, is_stopped = process, self._is_stopped
            self._is_writing = not is_stopped
        if is_stopped:
            process.end(0)
            process.output.close()
            return
        # What the server has to read before it answers was sent before it was started.
        threading.Thread(target=self._write, daemon=True).start()
        try:
            process.receive(self._take)
        except Exception:  # noqa: BLE001 (whatever it is, the requests that wait must be answered)
            logger().exception("reading from a server failed")
        how = process.how_it_ended()
        process.end(0)
        process.output.close()
        with self._lock:
            self._process = None  # Its pipes are closed with the last reference.
        self._ended(self._why or f"it {how}")

    def _write(self) -> None:
        """Write what waits, and end."""
        while True:
            with self._lock:
                if not self._waiting or self._process is None:
                    self._is_writing = False
                    return
                message = self._waiting.popleft()
                self._size -= len(message) + _EACH
                process = self._process
            try:
                process.send(message)
            except OSError:
                with self._lock:  # It has ended, which the other thread reports.
                    self._waiting.clear()
                    self._size = 0
