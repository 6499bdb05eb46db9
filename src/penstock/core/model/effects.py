"""The effects of the protocol: frozen values that ask the gate to do something.

The protocol yields an effect, the gate carries it out and sends the answer. Nothing in the core
does I/O itself. If a store fails, the gate throws a `StoreError` into the protocol.

The classes are structs because each dataclass would add half a millisecond to the import.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from penstock.core.model.continuation import Token
from penstock.core.model.questions import Material, Question
from penstock.core.model.store import Record
from penstock.core.model.stored import Head
from penstock.core.model.values import LiveRows, Result


class Entry(msgspec.Struct, frozen=True):
    """A stored result that was loaded: its token, its head and the index of its rows."""

    token: Token
    head: Head
    index: bytes = b""
    expires: float = 0.0
    chunks: Mapping[int, bytes] = {}  # those that were loaded together with the head
    stored_as: str = ""  # the key in the store, if it is not the token's own

    @property
    def key(self) -> str:
        """The entry's key in the store. If the token is that of an alias, its own key differs."""
        return self.stored_as or self.token.key


class LoadHead(msgspec.Struct, frozen=True):
    """A request to load an entry. Answer: `Loaded`, or None."""

    key: str
    rows: tuple[int, int] | None = None  # load their chunks too: they will probably be needed next


class ReadChunks(msgspec.Struct, frozen=True):
    """A request for chunks of a stored entry. Answer: the chunks as bytes, in the order of `numbers`."""

    entry: Entry
    numbers: Sequence[int]


class ReadWindow(msgspec.Struct, frozen=True):
    """A request for rows of a live entry. Answer: `LiveWindow`."""

    entry: Entry
    start: int
    stop: int


class AskHolder(msgspec.Struct, frozen=True):
    """A question to a child of the worker that holds the material from an earlier question.

    Answer: `WorkerAnswer` or `Failure`, or None if no free child holds it.
    """

    question: Question


class AskWorker(msgspec.Struct, frozen=True):
    """A question to any child of the worker. Answer: `WorkerAnswer` or `Failure`."""

    question: Question
    material: Material


class Authorize(msgspec.Struct, frozen=True):
    """The question whether the caller may still use the tool that gave a result. Answer: a bool."""

    tool: str
    origin: Any = None  # `Call.origin` of the call that gave the result


class Run(msgspec.Struct, frozen=True):
    """A request to run the tool. Answer: `Ran`."""

    arguments: Mapping[str, Any]
    has_values: bool = False  # stored values, as JSON, have replaced references
    notice: str = ""  # about the call, for the reader of the result


class Ran(msgspec.Struct, frozen=True):
    """The output of a tool."""

    output: Result | LiveRows
    now: float  # the time afterwards: a tool may run for longer than a token lives


class Put(msgspec.Struct, frozen=True):
    """A request to store a record. Answer: None."""

    key: str
    record: Record
    # For the log, if the store fails.
    tool: str
    what: str = "a result"


class Touch(msgspec.Struct, frozen=True):
    """A request to move the expiry of an entry. Answer: None."""

    key: str
    expires: float


Effect = LoadHead | ReadChunks | ReadWindow | AskHolder | AskWorker | Authorize | Run | Put | Touch

Outcome = TypeVar("Outcome")
Steps = Generator[Effect, Any, Outcome]
