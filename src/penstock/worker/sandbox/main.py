"""The main loop of the child process: it reads questions from stdin and answers on stdout.

Before the first question, `restrictions` takes from the child everything that could reach outside.
When memory runs out, the child ends and the parent explains why: a process in that state is not
worth keeping.
"""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import IO, Protocol

import msgspec

from penstock.core.model.questions import Failure, Language, Limits, Question, Shape, WorkerAnswer
from penstock.worker import frames
from penstock.worker.sandbox import jq, restrictions, sql

GRACE = 2.0  # The parent has this many seconds to end the child before the child's own alarm does.
# Tables and documents of earlier questions may keep one fourth of the memory limit.
KEPT_SHARE = 4
# Even a small material takes memory beyond its size, also in the parent, which remembers its key.
MOST_KEPT = 100


def main() -> None:
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except (EOFError, BrokenPipeError):
        os._exit(0)  # The parent has ended, so nobody reads a report.
    except MemoryError:
        os._exit(frames.OUT_OF_MEMORY)


def serve(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    limits = _set_up(stdin)
    _warm_up(limits)
    restrictions.give_up_rights(limits.memory)
    frames.send(stdout, frames.Ready())
    server = QuestionServer(limits, stdin)
    while True:
        # If the parent is killed while the child is busy, only the alarm ends the child. Between
        # questions the child waits on stdin, and sees it end.
        request = frames.receive_request(stdin)
        restrictions.set_alarm(_seconds_for(request, limits) + GRACE)
        _reply(stdout, server.handle(request))
        restrictions.set_alarm(0)


def _reply(stdout: IO[bytes], reply: WorkerAnswer | frames.Response) -> None:
    if isinstance(reply, WorkerAnswer):
        frames.send_answer(stdout, reply)
    else:
        frames.send(stdout, reply)


def _set_up(stdin: IO[bytes]) -> Limits:
    match frames.receive_request(stdin):
        case frames.Setup(limits):
            return limits
        case _:
            raise EOFError  # unexpected frame; the parent starts another child


def _warm_up(limits: Limits) -> None:
    """Load what questions need, while the child can still open files."""
    sql.limit_memory(limits.memory)
    # One complete question loads what Python loads at first use, such as codecs.
    sql.Table([b'{"a":1}'], "rows").answer("SELECT 1 WHERE 'a' REGEXP 'b'", limits)
    jq.library()


def _seconds_for(request: frames.Request, limits: Limits) -> float:
    return limits.seconds * (frames.LOADING_FACTOR if isinstance(request, frames.Load) else 1)


class QuestionServer:
    """A server of requests, one after another, that keeps loaded materials for the next ones."""

    def __init__(self, limits: Limits, stdin: IO[bytes]) -> None:
        self._limits = limits
        self._stdin = stdin
        self._materials = LoadedMaterials(limits.memory // KEPT_SHARE)

    def handle(self, request: frames.Request) -> WorkerAnswer | frames.Response:
        match request:
            case frames.AskFrame(question):
                return self._answer(question)
            case frames.Load():
                return self._load(request)
            case _:
                raise EOFError  # unexpected frame; the parent starts another child

    def _answer(self, question: Question) -> WorkerAnswer | frames.Response:
        held = self._materials.get(frames.key_of(question))
        if held is None:
            raise EOFError  # unexpected question; the parent starts another child
        outcome = held.answer(question.program, self._limits, question.language)
        return outcome if isinstance(outcome, WorkerAnswer) else frames.RefusedFrame(outcome)

    def _load(self, load: frames.Load) -> frames.Response:
        if load.key.form == "table":
            tables = self._tables(load)
            first = next(tables)
            held: LoadedMaterial = sql.Table(first.rows, first.shape, tables)
        else:
            held = _document(load, IncomingBlocks(self._stdin))
        return frames.LoadedFrame(self._materials.put(load.key, held))

    def _tables(self, load: frames.Load) -> Iterator[sql.TableRows]:
        """Yield the tables of a material. The rows of one must be read before the next is asked for."""
        start: frames.Request | None = load
        while isinstance(start, frames.Load | frames.BesideFrame):
            blocks = IncomingBlocks(self._stdin)
            yield sql.TableRows(_rows(start.shape, blocks), start.shape, start.table)
            start = blocks.after


class IncomingBlocks:
    """The blocks of rows that the parent sends next, which can be read once."""

    def __init__(self, stdin: IO[bytes]) -> None:
        self._stdin = stdin
        self.after: frames.Request | None = None  # the first frame that is no block

    def __iter__(self) -> Iterator[bytes]:
        while isinstance(frame := frames.receive_request(self._stdin), frames.Block):
            yield frame.rows
        self.after = frame


class LoadedMaterial(Protocol):
    """A material in the form that its languages read."""

    @property
    def size(self) -> int: ...

    def answer(
        self, program: str, limits: Limits, language: Language, /
    ) -> WorkerAnswer | Failure: ...

    def close(self) -> None: ...


class LoadedMaterials:
    """The loaded materials. The least recently used is dropped first; the newest always stays."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._held: OrderedDict[frames.Key, LoadedMaterial] = OrderedDict()

    def get(self, key: frames.Key) -> LoadedMaterial | None:
        if key in self._held:
            self._held.move_to_end(key)
        return self._held.get(key)

    def put(self, key: frames.Key, held: LoadedMaterial) -> tuple[frames.Key, ...]:
        """Keep a material, and return the keys of the materials dropped to make room."""
        self._held[key] = held
        dropped = []
        while len(self._held) > 1 and self._is_over():
            old, oldest = self._held.popitem(last=False)
            oldest.close()
            dropped.append(old)
        return tuple(dropped)

    def _is_over(self) -> bool:
        size = sum(held.size for held in self._held.values())
        return size > self._capacity or len(self._held) > MOST_KEPT


def _rows(shape: Shape, blocks: Iterable[bytes]) -> Iterator[bytes]:
    if shape == "value":
        yield from blocks
        return
    for block in blocks:
        # An empty block of text is an empty line. An empty block of JSON has no row.
        if block or shape == "lines":
            yield from block.split(b"\n")


def _document(load: frames.Load, blocks: Iterable[bytes]) -> LoadedMaterial:
    return jq.JqDocument(_json(load, blocks))


def _json(load: frames.Load, blocks: Iterable[bytes]) -> bytes:
    if load.shape == "value":
        return b"".join(blocks)
    if load.shape == "lines":
        return msgspec.json.encode(b"\n".join(blocks).decode(errors="backslashreplace"))
    # Rows hold no newline, so replacing newlines joins the rows with commas.
    rows = b",".join(block.replace(b"\n", b",") for block in blocks if block)
    return load.prefix + rows + load.suffix
