"""The events in a stream of bytes, as the standard of server-sent events cuts them.

Texts stay bytes: a message of upstream's may hold bytes that are not UTF-8, and they must arrive as
they are.
"""

from __future__ import annotations

from typing import Final

from penstock.relay.http.events import Event

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_RETRY_DIGITS: Final = 9  # ten days, in milliseconds


class EventTooLarge(Exception):
    """An event has more bytes than it may."""


class EventReader:
    """A reader that takes parts of a stream, cut anywhere, and returns the events they complete.

    An event without data is returned too if it has an id or a retry time, which a client may need.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._line = bytearray()  # the line that has no end yet
        self._is_first_line = True
        self._skips_newline = False  # A part ended with CR. LF would belong to the same line end.
        self._data: list[bytes] = []
        self._size = 0  # of the lines of this event
        self._id = ""  # It stays for later events that have none.
        self._retry: int | None = None
        self._is_begun = False

    def feed(self, part: bytes) -> list[Event]:
        if self._skips_newline and part:
            part = part.removeprefix(b"\n")
            self._skips_newline = False
        if not part:
            return []
        self._skips_newline = part.endswith(b"\r")
        lines = part.splitlines()
        rest = b"" if part.endswith((b"\r", b"\n")) else lines.pop()
        events = [event for line in lines if (event := self._end_line(line)) is not None]
        self._line += rest
        self._check_size(len(self._line))
        return events

    def _end_line(self, last: bytes) -> Event | None:
        line = last
        if self._line:
            self._line += last
            line = bytes(self._line)
            self._line.clear()
        if self._is_first_line:
            self._is_first_line = False
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if not line:
            return self._end_event()
        if not line.startswith(b":"):
            self._size += len(line)
            self._check_size()
            self._take(line)
        return None

    def _take(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"id" and b"\0" not in value:
            self._id = value.decode("utf-8", "replace")
        elif name == b"retry" and value.isdigit():
            self._retry = int(value[:_RETRY_DIGITS])
        elif name != b"event":
            return
        self._is_begun = True

    def _end_event(self) -> Event | None:
        event = None
        if self._is_begun:
            event = Event(b"\n".join(self._data), self._id, self._retry)
        self._data.clear()
        self._size, self._retry, self._is_begun = 0, None, False
        return event

    def _check_size(self, more: int = 0) -> None:
        if self._size + more > self._most:
            raise EventTooLarge
