"""The tally: it takes answers from sessions, and hands them to a clerk in the background.

A session only appends to a queue. A thread starts the clerk when there is something to count, and
lets it end when nothing has come for a while. When this process ends, the clerk goes on alone. The
queue is bounded: an answer that finds it full is counted by its size alone. Nothing that fails here
reaches a call: the tally logs it once and stops.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, cast

from penstock.figures.notes import SAVE, Note, frame
from penstock.figures.place import figures_file
from penstock.figures.unfinished import clear_mark, new_mark, set_mark
from penstock.log import logger
from penstock.settings.sources import without_secret_variables
from penstock.wire.answered import Answered

GATHER_SECONDS: Final = 1.0  # Answers are gathered for so long, so that a start is not disturbed.
LARGE_BYTES: Final = 1_000_000  # So much does not wait for more, because it takes memory.
LINGER_SECONDS: Final = 10.0
LAST_SECONDS: Final = 1.0  # Hosts give a program two seconds to end.
# The messages that may wait, and the notes without messages.
MOST_BYTES: Final = 12_000_000
MOST_MESSAGES: Final = 10_000
MOST_NOTES: Final = 100_000
_PIPE_BYTES: Final = 1 << 20  # Linux gives no more to most users.
_CLERK: Final = "penstock.figures.clerk"

_Item = Answered | Note  # a note, if the messages are too large to wait


class BackgroundTally:
    """The tally of one process. Call it with each answer. `name` returns the name in the figures for
    answers that name no server; only the thread asks for it, because a host waits for the start."""

    def __init__(self, name: Callable[[], str]) -> None:
        self._name = name
        self._pid = 0  # The thread starts with the first answer, and again after a fork.
        self._starting = threading.Lock()

    def __call__(self, answer: Answered) -> None:
        if self._pid != os.getpid():
            with self._starting:
                self._start()
        size = len(answer.raw) + len(answer.sent)
        with self._lock:
            if self._is_over or len(self._queue) >= MOST_NOTES:
                return
            is_full = len(self._queue) >= MOST_MESSAGES or self._waiting + size > MOST_BYTES
            if is_full:
                self._queue.append(Note.about(answer, is_bare=True))
            else:
                self._waiting += size
                self._queue.append(answer)
            if not self._wake.is_set():
                self._wake.set()
            if self._waiting > LARGE_BYTES:
                self._hurry.set()

    def close(self) -> None:
        """Wait a short time until the clerk has everything. It counts after this process ends."""
        if self._pid == os.getpid():
            self._is_closing = True
            self._wake.set()
            self._hurry.set()
            self._is_handed_over.wait(LAST_SECONDS)

    def _start(self) -> None:
        if self._pid == os.getpid():
            return  # Another thread was first.
        self._queue: deque[_Item] = deque()
        self._waiting = 0  # bytes
        self._lock = threading.Lock()
        self._wake = threading.Event()  # something is waiting
        self._hurry = threading.Event()  # and should not wait
        self._is_handed_over = threading.Event()  # the clerk has everything, or there is no clerk
        self._is_closing = self._is_over = False
        self._mark = new_mark(figures_file())
        threading.Thread(target=self._work, name="penstock-tally", daemon=True).start()
        atexit.register(self.close)
        self._pid = os.getpid()  # Last: from now on, other threads use all of the above.

    # -- the thread ----------------------------------------------------------------------------

    def _work(self) -> None:
        clerk: _ClerkProcess | None = None
        try:
            while not self._is_closing:
                has_news = self._wake.wait(None if clerk is None else LINGER_SECONDS)
                if not has_news and clerk is not None:
                    clerk.end()
                    clerk = None
                elif has_news:
                    self._hurry.wait(GATHER_SECONDS)
                    self._wake.clear()
                    clerk = clerk or self._new_clerk()
                    clerk.take(self._taken())
            if self._queue or clerk is not None:
                set_mark(self._mark)
                clerk = clerk or self._new_clerk()
                clerk.take(self._taken())
                self._is_over = True
                clerk.dismiss()
                self._is_handed_over.set()
                clerk.end()
        except Exception as error:  # noqa: BLE001 (nothing that fails here may reach a call)
            self._stop(clerk, error)
        finally:
            self._is_over = True
            self._is_handed_over.set()

    def _new_clerk(self) -> _ClerkProcess:
        return _ClerkProcess(self._name(), self._mark)

    def _taken(self) -> Iterator[_Item]:
        """Yield what waits now. Each message is free as soon as it is sent."""
        self._hurry.clear()
        for _ in range(len(self._queue)):
            item = self._queue.popleft()
            yield item
            if isinstance(item, Answered):
                with self._lock:
                    self._waiting -= len(item.raw) + len(item.sent)
            del item

    def _stop(self, clerk: _ClerkProcess | None, error: Exception) -> None:
        with self._lock:
            self._is_over = True
            self._queue.clear()
            self._waiting = 0
        why = (clerk.why_it_failed() if clerk is not None else "") or str(error) or repr(error)
        logger().warning("figures for `penstock stats` are no longer kept: %s", why)
        with suppress(OSError):
            clear_mark(self._mark)


def _widen(pipe: IO[bytes]) -> None:
    """Let a pipe hold much, where the system can, so that no end waits for the clerk's start."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


class ClerkFailed(Exception):
    """The clerk ended before it had counted everything."""


class _ClerkProcess:
    """A running clerk. It has its own session, so that a signal to the host's group does not end it
    before it has saved."""

    def __init__(self, server: str, mark: Path) -> None:
        folders = [entry for entry in sys.path if os.path.isabs(entry)]  # noqa: PTH117 (a text)
        self._process = subprocess.Popen(  # noqa: S603 (our own interpreter, our own code)
            [sys.executable, "-P", "-m", _CLERK, str(figures_file()), server, str(mark)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**without_secret_variables(os.environ), "PYTHONPATH": os.pathsep.join(folders)},
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._input = cast("IO[bytes]", self._process.stdin)
        _widen(self._input)
        self._output = cast("IO[bytes]", self._process.stdout)

    def take(self, items: Iterator[_Item]) -> None:
        """Send the clerk these answers, and let it save them."""
        for item in items:
            for part in frame(item):
                self._input.write(part)
            del item, part
        self._input.write(SAVE)
        self._input.flush()

    def dismiss(self) -> None:
        """Tell the clerk that nothing more comes. It saves everything, and ends."""
        self._input.close()

    def end(self) -> None:
        """Wait until the clerk has saved everything, and has ended."""
        self.dismiss()
        if self._process.wait():
            raise ClerkFailed
        self._output.close()

    def why_it_failed(self) -> str:
        """Return the reason that the clerk gave, or an empty text if the clerk did not fail."""
        with suppress(OSError):
            self.dismiss()
        try:
            code = self._process.wait(LAST_SECONDS)
        except subprocess.TimeoutExpired:
            return ""
        with self._output:
            told = self._output.read().decode(errors="replace").strip()
        return told or (f"the process that counts ended with code {code}" if code else "")
