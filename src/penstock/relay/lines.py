"""The lines of a server's output, none longer than a limit.

A line over the limit is skipped without being kept. The reader of the lines gets an `Unread` in its
place, with the two ends of the line, which may tell whose answer it was. The same happens when a
line does not fit into memory.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from penstock.relay.pipes import Source
from penstock.wire.unread import ENDS_KEPT, Unread, no_memory, too_long

PATIENCE_SECONDS: Final = 10.0


class UpstreamLines(Iterator["bytes | Unread"]):
    """An iterator over lines, which keep their newline.

    It gives an `Unread` as soon as a line is over the limit: the rest may never come. Unless that was
    enough, it gives the same object again when the line has ended, or after ten seconds.
    """

    def __init__(self, source: Source, most: int) -> None:
        self._source = source
        self._most = most
        self._chunk = b""
        self._from = 0  # the part of the chunk before this was given
        self._parts: list[bytes] = []  # of a line that goes on in later chunks
        self._size = 0  # of the parts
        self._skipped: Unread | None = None
        self._deadline = 0.0  # for the end of the line that is skipped

    def __next__(self) -> bytes | Unread:
        while True:
            try:
                found = self._next()
            except MemoryError:
                if not self._parts:
                    raise  # there is nothing to free
                found = self._skip(no_memory())
            if found is not None:
                return found

    def close(self) -> None:
        self._source.close()

    def _next(self) -> bytes | Unread | None:
        """Return the next line, or None if it needs another chunk."""
        end = self._chunk.find(b"\n", self._from) + 1
        if self._skipped is not None:
            return self._skip_on(self._skipped, end)
        if end:
            return self._line(end)
        if self._from < len(self._chunk):
            self._parts.append(self._chunk[self._from :])
            self._size += len(self._parts[-1])
        self._chunk, self._from = b"", 0
        if self._size > self._most:
            return self._skip(too_long(self._most))
        return None if self._read() else self._last()

    def _read(self) -> bool:
        self._chunk, self._from = self._source.read() or b"", 0
        return bool(self._chunk)

    def _line(self, end: int) -> bytes | Unread:
        start, chunk = self._from, self._chunk
        if self._size + end - start > self._most:
            return self._skip(too_long(self._most))
        is_used_up = end == len(chunk)
        line = chunk if is_used_up and not start else chunk[start:end]
        if self._parts:
            line = b"".join([*self._parts, line])
            self._parts, self._size = [], 0
        # Keep no line here: it may hold megabytes, and the next one may take long to come.
        self._chunk, self._from = (b"", 0) if is_used_up else (chunk, end)
        return line

    def _last(self) -> bytes:
        """Return what came after the last newline."""
        if not self._parts:
            raise StopIteration
        line, self._parts, self._size = b"".join(self._parts), [], 0
        return line

    # -- lines that are not kept ---------------------------------------------------------------

    def _skip(self, unread: Unread) -> Unread:
        """Drop what there is of a line, but for its start, and skip the rest from now on."""
        parts, self._parts, self._size = self._parts, [], 0
        kept = b"".join(part[:ENDS_KEPT] for part in parts[:1])
        unread.start = kept or self._chunk[self._from : self._from + ENDS_KEPT]
        unread.end = parts[-1][-ENDS_KEPT:] if parts else b""
        self._skipped = unread
        self._deadline = time.monotonic() + PATIENCE_SECONDS
        return unread

    def _skip_on(self, unread: Unread, end: int) -> Unread | None:
        """Skip to the end of the line, which is in this chunk unless `end` is 0."""
        stop = end or len(self._chunk)
        unread.end = (unread.end + self._chunk[max(self._from, stop - ENDS_KEPT) : stop])[
            -ENDS_KEPT:
        ]
        self._from = stop
        if end or not self._read_more(unread):
            self._skipped = None
            unread.is_final, is_new = True, not unread.is_final
        elif not unread.is_final and time.monotonic() > self._deadline:
            unread.is_final = is_new = True
        else:
            is_new = False
        return unread if is_new and not unread.is_settled else None

    def _read_more(self, unread: Unread) -> bool:
        """Read on in a line that is skipped. Return False at the end."""
        left = None if unread.is_final else max(0.0, self._deadline - time.monotonic())
        chunk = self._source.read(left)
        self._chunk, self._from = chunk or b"", 0
        return chunk != b""
