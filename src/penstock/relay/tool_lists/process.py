"""The conversation with a server that is a command, which is started and ended for it."""

from __future__ import annotations

import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from types import FrameType
from typing import Final

import msgspec

from penstock.relay.process import OURS, Process, Surroundings
from penstock.relay.signals import ending_signals
from penstock.relay.tool_lists.conversation import (
    SHOWN,
    Ask,
    Found,
    NotListed,
    Steps,
    Tell,
    messages_in,
    reply_to,
)
from penstock.wire import messages
from penstock.wire.messages import Message

_GRACE_SECONDS: Final = 1.0
# A server that sends requests but reads no replies would fill the pipe and block us.
_MOST_REPLY_BYTES: Final = 32_000
_ALONE: Final = "Run the command by itself, and read what it prints."


def ask_command(
    command: Sequence[str],
    steps: Steps[Found],
    seconds: float,
    around: Surroundings = OURS,
    inbox: Inbox | None = None,
) -> Found:
    """Start the command, and carry the conversation. The caller may pass an inbox, to which it sends
    the signals that arrive in the main thread."""
    inbox = inbox or Inbox()
    with signals_to(inbox.on_signal):
        process = Process(command, around)
        talk = ProcessTalk(process, inbox, seconds)
        try:
            return talk.carry(steps)
        finally:
            process.end(_GRACE_SECONDS)
            talk.close()


class Inbox:
    """A queue of the server's lines, their end (an empty line), and a signal.

    A signal handler does not raise an exception. Between the start of a process and the `try` that
    ends it, an exception would leave the process behind.
    """

    def __init__(self) -> None:
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._signal = 0

    def put(self, line: bytes) -> None:
        self._lines.put(line)

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        self._signal = number
        self._lines.put(b"")  # This ends `take`. A `SimpleQueue` is safe in signal handlers.

    def take(self, seconds: float) -> bytes | None:
        """Return the next line, or None if none comes in that time."""
        try:
            line = self._lines.get(timeout=max(0, seconds))
        except queue.Empty:
            line = None
        if self._signal:
            raise SystemExit(128 + self._signal)
        return line


@contextmanager
def signals_to(on_signal: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    is_main = threading.current_thread() is threading.main_thread()  # Only it gets signals.
    numbers = ending_signals() if is_main else []
    before = {number: signal.signal(number, on_signal) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class ProcessTalk:
    """A carrier of one request at a time. A thread reads, so that waiting can time out."""

    def __init__(self, process: Process, inbox: Inbox, seconds: float) -> None:
        self._process = process
        self._inbox = inbox
        self._seconds = seconds
        self._ids = count(1)
        self._replied = 0
        self._junk = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def carry(self, steps: Steps[Found]) -> Found:
        answer: Message | None = None
        try:
            while True:
                answer = self._done(steps.send(answer))
        except StopIteration as end:
            found: Found = end.value
            return found

    def close(self) -> None:
        """Close the pipe, unless a process that the server left behind still keeps it open."""
        self._reader.join(_GRACE_SECONDS)
        if not self._reader.is_alive():
            self._process.output.close()

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            for line in self._process.output:
                # The start of a line that is too long shows what the server prints.
                self._inbox.put(line if isinstance(line, bytes) else line.start)
        self._inbox.put(b"")

    def _done(self, step: Ask | Tell) -> Message | None:
        if isinstance(step, Tell):
            self._send(messages.notification(step.method, step.params))
            return None
        key = str(next(self._ids)).encode()
        deadline = time.monotonic() + self._seconds
        self._send(messages.request(key, step.method, step.params))
        while True:
            for message in self._messages(step.name, deadline):
                if message.is_request:
                    self._reply(message)
                elif _answers(message, key):
                    return message

    def _send(self, message: bytes) -> None:
        with suppress(OSError):  # The server has ended, but its last lines may be unread.
            self._process.send(message)

    def _reply(self, asked: Message) -> None:
        reply = reply_to(asked)
        self._replied += len(reply)
        if self._replied <= _MOST_REPLY_BYTES:
            self._send(reply)

    def _messages(self, asked: str, deadline: float) -> list[Message]:
        """Return the messages of the next line. Skip a line that is no message, as hosts do."""
        line = self._inbox.take(deadline - time.monotonic())
        if line is None:
            raise self._silent(asked)
        if not line:
            told = f"The MCP server {self._process.how_it_ended()} before it answered {asked}."
            raise NotListed(told + self._printed, next_step=_ALONE)
        found = messages_in(line)
        if not found and not line.isspace():
            self._junk = self._junk or line
        return found

    def _silent(self, asked: str) -> NotListed:
        return NotListed(
            f"The MCP server did not answer {asked} within {self._seconds:g} s.{self._printed}",
            next_step=f"{_ALONE} If it is only slow, raise --timeout.",
        )

    @property
    def _printed(self) -> str:
        logged = self._process.last_words(SHOWN)
        told = f" It logged: {logged!r}." if logged else ""
        if not self._junk:
            return told
        text = self._junk[:SHOWN].decode("utf-8", "replace").strip()
        return f" It printed non-MCP output: {text!r}.{told}"


def _answers(message: Message, key: bytes) -> bool:
    """Return whether the message answers the request: an error without an id does too."""
    if message.method is not msgspec.UNSET:
        return False
    return message.key == key or (message.key == b"null" and message.error is not msgspec.UNSET)
