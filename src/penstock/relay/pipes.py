"""The pipes of a process, on which a waiting thread can be woken.

A process that the server left behind may hold the other end of a pipe for ever. Then no end comes
to a thread that reads, and no room to a thread that writes. Closing a pipe wakes neither of them. So
both also wait for a `Wake`, which rings once the server has ended.

Windows cannot wait for two things here. A thread of its own reads there, and is left behind.
"""

from __future__ import annotations

import os
import queue
import select
import sys
import threading
import time
from contextlib import suppress
from typing import IO, Final, Protocol

_PIPE_BYTES: Final = 1 << 20  # Linux's default of 64 kB needs many thread switches for 10 MB.
_SMALL: Final = 1 << 16
_LOOK_SECONDS: Final = 1.0
_ONE: Final = (1).to_bytes(8, sys.byteorder)  # what an eventfd takes, and a pipe too


class Wake:
    """A bell that rings once, and wakes every thread that waits for it now or later."""

    def __init__(self) -> None:
        self.descriptor, self._bell = _bell()
        self.has_rung = False

    def ring(self) -> None:
        self.has_rung = True
        os.write(self._bell, _ONE)

    def __del__(self) -> None:
        # Only now does no thread wait for these descriptors any more.
        for descriptor in {self.descriptor, self._bell} if hasattr(self, "_bell") else ():
            with suppress(OSError):
                os.close(descriptor)


def _bell() -> tuple[int, int]:
    """Return a descriptor that can be read after the other one was written to."""
    if not hasattr(os, "eventfd"):
        return os.pipe()
    both = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
    return both, both


class Source(Protocol):
    """The output of a server, in chunks of bytes."""

    def read(self, seconds: float | None = None) -> bytes | None:
        """Wait for some bytes, and return them. Return b"" at the end, and None after so long."""

    def close(self) -> None: ...


def source_of(pipe: IO[bytes], wake: Wake) -> Source:
    widen(pipe)
    return PolledSource(pipe, wake) if os.name == "posix" else ThreadedSource(pipe, wake)


class PolledSource:
    """A pipe that one thread reads. After the bell it gives what is left in the pipe, and ends."""

    def __init__(self, pipe: IO[bytes], wake: Wake) -> None:
        self._pipe = pipe
        self._wake = wake
        self._poll = _poll_of(pipe, select.POLLIN, wake)
        self._left = _PIPE_BYTES  # A pipe holds no more. A process left behind may write on.
        self._size = _SMALL

    def read(self, seconds: float | None = None) -> bytes | None:
        ready = dict(self._poll.poll(None if seconds is None else 1_000 * seconds))
        if not ready:
            return None
        is_last = self._wake.descriptor in ready
        if is_last and (self._pipe.fileno() not in ready or self._left <= 0):
            return b""
        data = os.read(self._pipe.fileno(), self._size)
        if is_last:
            self._left -= len(data)
        # Many small messages come alone. A large one fills the pipe again and again.
        self._size = _PIPE_BYTES if len(data) == self._size else _SMALL
        return data

    def close(self) -> None:
        self._pipe.close()


class ThreadedSource:
    """A pipe that a thread of its own reads, for platforms without `poll`. After the bell that thread
    may wait on: it ends with Penstock."""

    def __init__(self, pipe: IO[bytes], wake: Wake) -> None:
        self._pipe = pipe
        self._chunks: queue.Queue[bytes | BaseException] = queue.Queue(1)
        self._wake = wake
        self._has_ended = False
        threading.Thread(target=self._fill, daemon=True).start()

    def read(self, seconds: float | None = None) -> bytes | None:
        deadline = None if seconds is None else time.monotonic() + seconds
        while not self._has_ended:
            try:
                chunk = self._chunks.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                self._has_ended = self._wake.has_rung
                if deadline is not None and time.monotonic() > deadline:
                    return None
                continue
            if isinstance(chunk, BaseException):
                raise chunk
            self._has_ended = not chunk
            return chunk
        return b""

    def _fill(self) -> None:
        chunk = b"-"
        while chunk:
            try:
                chunk = os.read(self._pipe.fileno(), _PIPE_BYTES)
            except (OSError, ValueError, MemoryError) as error:
                self._chunks.put(error)
                return
            self._chunks.put(chunk)

    def close(self) -> None:
        """Leave the pipe open, because the thread may still read it."""


class Sink:
    """The input of a server. Callers take turns: see `Process.send`."""

    def __init__(self, pipe: IO[bytes], wake: Wake) -> None:
        widen(pipe)
        self._pipe = pipe
        self._wake = wake
        self._can_wait = os.name == "posix"
        if self._can_wait:
            os.set_blocking(pipe.fileno(), False)  # The server's own end is not affected.
            self._poll = _poll_of(pipe, select.POLLOUT, wake)

    def write(self, data: bytes) -> None:
        """Write everything. Wait while the server does not read. Raise `OSError` if it ended."""
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._pipe.fileno(), left) :]
            except BlockingIOError:
                self._wait()

    def offer(self, data: bytes) -> bool:
        """Write a few bytes if there is room for all of them. Return whether they were written."""
        if not self._can_wait or len(data) > select.PIPE_BUF:
            return False  # Of more bytes, only a part may find room.
        try:
            os.write(self._pipe.fileno(), data)
        except BlockingIOError:
            return False
        return True

    def _wait(self) -> None:
        if self._wake.descriptor in dict(self._poll.poll()):
            raise BrokenPipeError

    def close(self) -> None:
        self._pipe.close()


def _poll_of(pipe: IO[bytes], event: int, wake: Wake) -> select.poll:
    poll = select.poll()
    poll.register(pipe.fileno(), event)
    poll.register(wake.descriptor, select.POLLIN)
    return poll


def widen(pipe: IO[bytes]) -> None:
    """Enlarge a pipe if the platform can: a large result then needs fewer thread switches."""
    if sys.platform != "linux":
        return
    import fcntl

    with suppress(OSError):  # The size is above this user's limit.
        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
