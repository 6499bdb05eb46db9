"""The child process of `penstock.workers`: its loop, and the frames both sides speak.

The child reads questions from its stdin and answers on its stdout. Everything that could reach
outside is taken from it before the first question: its environment is empty, and where the
platform has resource limits (`resource`, so not Windows) it can open no file, write none, start no
process, and take no more memory than it was given. macOS ignores the limit on memory for all but
SQLite, and Windows has none of them: there the time limit, kept by the parent, is what holds.

When memory runs out the child ends, and the parent says why: what is left of a process at that
point is not worth keeping.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import OrderedDict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from penstock.views.query import JqOutputs, JqRefusal
    from penstock.views.sql import SqlRefusal, SqlRows, Table

Shape = Literal["rows", "members", "lines", "value"]
Language = Literal["sql", "jq"]

OUT_OF_MEMORY = 77  # exit status
LOADING_FACTOR = 4  # loading may take this many times what a question may
GRACE = 2.0  # seconds that the parent has to end the child before the child's own alarm does
LENGTH_BYTES = 8
# Of the memory limit, what tables and documents of earlier questions may keep.
KEPT_SHARE = 4


# Frames. The parent sends Setup once; then Ask, and after Missing: Load, Block…, End.


class Frame(msgspec.Struct, frozen=True, tag=True):
    pass


class Setup(Frame, frozen=True):
    seconds: float
    memory: int
    rows: int


class Ask(Frame, frozen=True):
    key: str
    language: Language
    program: str


class Load(Frame, frozen=True):
    key: str
    language: Language
    shape: Shape
    prefix: bytes
    suffix: bytes


class Block(Frame, frozen=True):
    rows: bytes


class End(Frame, frozen=True):
    pass


class Ready(Frame, frozen=True):
    pass


class Missing(Frame, frozen=True):
    pass


class Loaded(Frame, frozen=True):
    pass


class Found(Frame, frozen=True):
    rows: tuple[bytes, ...]
    single: bool
    truncated: bool


class Refused(Frame, frozen=True):
    error: str
    next_step: str


Request = Setup | Ask | Load | Block | End
Response = Ready | Missing | Loaded | Found | Refused

requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
responses: msgspec.msgpack.Decoder[Response] = msgspec.msgpack.Decoder(Response)
_F = TypeVar("_F")


def send(stream: IO[bytes], frame: Frame) -> None:
    body = msgspec.msgpack.encode(frame)
    stream.write(len(body).to_bytes(LENGTH_BYTES, "big"))
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes], decoder: msgspec.msgpack.Decoder[_F]) -> _F:
    """The next frame. EOFError when the other side has gone, even in the middle of one."""
    length = int.from_bytes(_exactly(stream, LENGTH_BYTES), "big")
    return decoder.decode(_exactly(stream, length))


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data


# The loop


def main() -> None:
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except (EOFError, BrokenPipeError):
        os._exit(0)  # The parent has gone; there is nobody to report to.
    except MemoryError:
        os._exit(OUT_OF_MEMORY)


def serve(stdin: IO[bytes], stdout: IO[bytes]) -> None:
    setup = receive(stdin, msgspec.msgpack.Decoder(Setup))
    _import_all(setup.memory)
    _give_up_rights(setup.memory)
    send(stdout, Ready())
    desk = Desk(setup, stdin)
    while True:
        # Should the parent be killed while the child is busy, nobody would end the child. In
        # between it waits on stdin, and sees that end.
        request = receive(stdin, requests)
        _alarm(_seconds_for(request, setup) + GRACE)
        send(stdout, desk.handle(request))
        _alarm(0)


def _seconds_for(request: Request, setup: Setup) -> float:
    return setup.seconds * (LOADING_FACTOR if isinstance(request, Load) else 1)


class Desk:
    """Answers one request after another, and keeps what was loaded for the next ones."""

    def __init__(self, setup: Setup, stdin: IO[bytes]) -> None:
        self._rows = setup.rows
        self._stdin = stdin
        self._shelf = Shelf(setup.memory // KEPT_SHARE)

    def handle(self, request: Request) -> Response:
        match request:
            case Ask():
                return self._answer(request)
            case Load():
                return self._load(request)
            case _:
                raise EOFError  # out of step; the parent starts another child

    def _answer(self, ask: Ask) -> Response:
        held = self._shelf.get((ask.language, ask.key))
        if held is None:
            return Missing()
        if isinstance(held, bytes):
            return _answer_jq(ask.program, held, self._rows)
        return _framed(held.select(ask.program, self._rows))

    def _load(self, load: Load) -> Response:
        build = _table if load.language == "sql" else _document
        self._shelf.put((load.language, load.key), build(load, self._blocks()))
        return Loaded()

    def _blocks(self) -> Iterator[bytes]:
        while isinstance(block := receive(self._stdin, requests), Block):
            yield block.rows


class Shelf:
    """What was loaded, the least recently used out first. The newest always stays."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._held: OrderedDict[tuple[Language, str], Table | bytes] = OrderedDict()

    def get(self, key: tuple[Language, str]) -> Table | bytes | None:
        if key in self._held:
            self._held.move_to_end(key)
        return self._held.get(key)

    def put(self, key: tuple[Language, str], held: Table | bytes) -> None:
        self._held[key] = held
        while len(self._held) > 1 and self._size() > self._capacity:
            _, oldest = self._held.popitem(last=False)
            if not isinstance(oldest, bytes):
                oldest.close()

    def _size(self) -> int:
        return sum(_size(held) for held in self._held.values())


def _size(held: Table | bytes) -> int:
    return len(held) if isinstance(held, bytes) else held.size


# Loading and answering. The views are imported here and not above, because the parent imports this
# module for its frames and needs neither SQLite nor jq.


def _table(load: Load, blocks: Iterable[bytes]) -> Table:
    from penstock.views.sql import Table  # noqa: PLC0415 - see above

    return Table.load(_rows(load.shape, blocks), load.shape)


def _rows(shape: Shape, blocks: Iterable[bytes]) -> Iterator[bytes]:
    if shape == "value":
        yield from blocks
        return
    for block in blocks:
        # An empty block of text is an empty line; of JSON, no row.
        if block or shape == "lines":
            yield from block.split(b"\n")


def _document(load: Load, blocks: Iterable[bytes]) -> bytes:
    if load.shape == "value":
        return b"".join(blocks)
    if load.shape == "lines":
        return msgspec.json.encode(b"\n".join(blocks).decode(errors="backslashreplace"))
    # A row has no newline in it, so this joins rows with commas without splitting them.
    rows = b",".join(block.replace(b"\n", b",") for block in blocks if block)
    return load.prefix + rows + load.suffix


def _answer_jq(program: str, document: bytes, max_rows: int) -> Response:
    from penstock.views import query  # noqa: PLC0415 - see above

    if "jq" not in sys.modules:
        return _framed(query.NOT_INSTALLED)
    return _framed(query.run(program, document, max_rows), single=True)


def _framed(
    outcome: SqlRows | SqlRefusal | JqOutputs | JqRefusal, *, single: bool = False
) -> Found | Refused:
    from penstock.views.query import JqRefusal  # noqa: PLC0415 - see above
    from penstock.views.sql import SqlRefusal  # noqa: PLC0415 - see above

    if isinstance(outcome, SqlRefusal | JqRefusal):
        return Refused(outcome.error, outcome.next_step)
    is_single = single and len(outcome.rows) == 1 and not outcome.truncated
    return Found(outcome.rows, is_single, outcome.truncated)


# Giving up rights


def _import_all(memory: int) -> None:
    """Imports what questions need, while files can still be opened."""
    from penstock.views import query, sql  # noqa: PLC0415 - see above

    sql.limit_memory(memory)
    # Once through, so that what Python loads at first use (codecs, say) is there.
    sql.Table.load([b'{"a":1}'], "rows").select("SELECT 1 WHERE 'a' REGEXP 'b'", 1)
    if query.available():
        query.library()


def _give_up_rights(memory: int) -> None:
    os.environ.clear()  # Python itself sets LC_CTYPE, and jq's `env` would show it.
    try:
        import resource  # noqa: PLC0415 - Windows has no such module
    except ImportError:
        return
    for name, limit in _limits(memory):
        _lower(resource.setrlimit, getattr(resource, name, None), limit)


def _limits(memory: int) -> Iterator[tuple[str, int]]:
    in_use = _address_space()
    if in_use is not None:
        yield "RLIMIT_AS", in_use + memory
    yield "RLIMIT_CORE", 0
    yield "RLIMIT_FSIZE", 0
    yield "RLIMIT_NPROC", 0
    yield "RLIMIT_NOFILE", 3  # stdin, stdout and stderr, which are open


def _lower(
    setrlimit: Callable[[int, tuple[int, int]], None], which: int | None, limit: int
) -> None:
    if which is None:
        return
    try:
        setrlimit(which, (limit, limit))
    except (ValueError, OSError):
        return  # The platform names the limit and does not have it.


def _address_space() -> int | None:
    """What this process has mapped already, so that the limit is on the data alone."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _alarm(seconds: float) -> None:
    """Ends this process after `seconds`; 0 calls it off. The default action needs no handler."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
