"""The clerk: a process that counts tokens and adds the figures to the file.

Counting takes a vocabulary of 70 MB, and time. In a process of its own it slows down no call, and
the memory is free again when the clerk ends, a few seconds after the last call. The clerk reads
notes from stdin. If the file or a note cannot be used, it prints why and exits with 1.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO, Final, Literal, TypeAlias

import msgspec

from penstock.core.budget.measure import Meter, default_meter
from penstock.errors import StoreError
from penstock.figures.file import FiguresFile
from penstock.figures.notes import Note, NoteFrame, read_frames
from penstock.figures.rows import UNKNOWN, CallFigures, ListFigures
from penstock.figures.unfinished import clear_mark
from penstock.figures.weighing import Weight, weigh

_PATIENCE: Final = 10  # the niceness: calls are more urgent than figures
_READ_AHEAD: Final = 4
_LONGEST_NAME: Final = 128
_TOKENS_PER_BYTE: Final = 0.3  # of JSON, until the clerk has counted some
_EXACT: Final = "o200k"


_Waiting: TypeAlias = NoteFrame | Exception | Literal["end"]


class Clerk:
    """Figures that are not in the file yet."""

    def __init__(self, server: str, meter: Meter) -> None:
        self._server = server
        self._meter = meter
        self._counted_bytes = self._counted_tokens = 0
        self.calls: dict[tuple[str, str], CallFigures] = {}
        self.lists: dict[str, ListFigures] = {}

    def enter(self, note: Note, raw: bytes, sent: bytes) -> None:
        """Count one answer."""
        weights = self._weights(note, raw, sent)
        is_estimate = weights is None or self._meter.name != _EXACT
        before, after = weights or (self._guess(note.raw_bytes), self._guess(note.sent_bytes))
        if note.kind in ("list", "greeting"):
            self._enter_list(note, before.tokens, after.tokens, int(is_estimate))
        else:
            tool = _tool_of(note, None if weights is None else after)
            self._enter_call(tool, note, before, after, int(is_estimate))

    def _weights(self, note: Note, raw: bytes, sent: bytes) -> tuple[Weight, Weight] | None:
        """Return the weights of upstream's message and of the client's, or None if they cannot be
        read. A message that passed unchanged is weighed once."""
        if note.is_bare:
            return None
        try:
            after = weigh(sent, note, self._meter)
            before = after if note.is_same else weigh(raw, note, self._meter)
        except (ValueError, RecursionError):
            return None
        self._counted_bytes += len(sent)
        self._counted_tokens += after.tokens
        return before, after

    def _guess(self, size: int) -> Weight:
        known = self._counted_tokens / self._counted_bytes if self._counted_bytes else 0
        return Weight(round(size * (known or _TOKENS_PER_BYTE)))

    def _enter_call(
        self, tool: str, note: Note, before: Weight, after: Weight, estimated: int
    ) -> None:
        row = self.calls.setdefault((note.server or self._server, tool), CallFigures())
        row.estimated += estimated
        row.errors += after.is_error
        if note.kind == "read":
            row.reads += 1
            row.read_sent += after.tokens
            return
        row.calls += note.kind == "call"
        row.held += note.is_held
        row.raw += before.tokens
        row.sent += after.tokens

    def _enter_list(self, note: Note, raw: int, sent: int, estimated: int) -> None:
        row = self.lists.setdefault(self._server, ListFigures())
        row.estimated += estimated
        if note.kind == "greeting":
            row.greeted += 1
            row.greeting_raw += raw
            row.greeting_sent += sent
            return
        row.listed += 1
        row.raw += raw
        row.sent += sent
        row.form, row.last_raw, row.last_sent = note.form, raw, sent

    def save(self, file: FiguresFile) -> None:
        if self.calls or self.lists:
            today = date.today()  # noqa: DTZ011 (the user's own day)
            file.add(self.calls, self.lists, today, self._server)
            self.calls, self.lists = {}, {}


def _tool_of(note: Note, after: Weight | None) -> str:
    """Return the name under which a call is counted. A name that the server does not list may be
    anything, even a part of a conversation. If the list is not known, the answer must show that
    there is such a tool."""
    is_tool = note.is_known
    if is_tool is None:
        is_tool = after is not None and not after.is_error
    return note.tool[:_LONGEST_NAME] if note.tool and is_tool else UNKNOWN


def keep_figures(path: Path, server: str, notes: IO[bytes]) -> None:
    """Count the answers in these notes, up to the end of the stream: under `server`, unless a note
    names one of several servers."""
    frames = _read_ahead(read_frames(notes))  # first: the other process may be ending
    with FiguresFile(path) as file:
        clerk = Clerk(server, default_meter())
        try:
            for given in frames:
                if given is None:
                    clerk.save(file)
                else:
                    clerk.enter(*given)
        finally:
            clerk.save(file)


def _read_ahead(frames: Iterator[NoteFrame]) -> Iterator[NoteFrame]:
    """Return the frames, and read the next ones meanwhile: while a message waits in the pipe, it
    takes memory in the process that serves clients."""
    waiting: Queue[_Waiting] = Queue(_READ_AHEAD)

    def read() -> None:
        try:
            for given in frames:
                waiting.put(given)
            waiting.put("end")
        except Exception as error:  # noqa: BLE001 (the other thread raises it)
            waiting.put(error)

    Thread(target=read, daemon=True).start()
    return _read(waiting)


def _read(waiting: Queue[_Waiting]) -> Iterator[NoteFrame]:
    while (given := waiting.get()) != "end":
        if isinstance(given, Exception):
            raise given
        yield given


def main() -> int:
    if hasattr(os, "nice"):
        os.nice(_PATIENCE)
    path, server, mark = sys.argv[1:]
    try:
        keep_figures(Path(path), server, sys.stdin.buffer)
    except StoreError as error:
        return _failed(f"{error.message} {error.next_step}")
    except msgspec.DecodeError as error:
        return _failed(f"A note cannot be read: {error}. Was Penstock updated? Start it again.")
    finally:
        clear_mark(Path(mark))
    return 0


def _failed(why: str) -> int:
    """Tell the tally why the clerk ends, and return the exit code."""
    print(why, flush=True)  # noqa: T201 (for the tally)
    return 1


if __name__ == "__main__":
    os._exit(main())  # at once: the reading thread may still wait for stdin
