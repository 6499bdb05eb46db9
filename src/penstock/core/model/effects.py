"""What the protocol asks of the world, as values.

The negotiation yields these and is sent the answers; a gate carries them out. Nothing in the core
does any I/O itself. What a store cannot do is thrown into the negotiation as a `StoreError`.

Structs, not dataclasses: those take half a millisecond each when they are imported.
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
    """A stored result that is at hand: its token, its head, and chunks that came along."""

    token: Token
    head: Head
    index: bytes = b""
    expires: float = 0.0
    chunks: Mapping[int, bytes] = {}
    stored_as: str = ""

    @property
    def key(self) -> str:
        """What the store knows it by: the token's own key, but for an alias."""
        return self.stored_as or self.token.key


class LoadHead(msgspec.Struct, frozen=True):
    """Answer: `Loaded`, or None. `rows` will probably be needed next."""

    key: str
    rows: tuple[int, int] | None = None


class ReadChunks(msgspec.Struct, frozen=True):
    """Read chunks of a stored entry. Answer: the chunks as bytes, in the order of `numbers`."""

    entry: Entry
    numbers: Sequence[int]


class ReadWindow(msgspec.Struct, frozen=True):
    """Read rows of a live entry. Answer: `LiveWindow`."""

    entry: Entry
    start: int
    stop: int


class AskHolder(msgspec.Struct, frozen=True):
    """Ask a child of the worker that holds the material from an earlier question.

    Answer: `WorkerAnswer` or `Failure`, or None if no free child holds it.
    """

    question: Question


class AskWorker(msgspec.Struct, frozen=True):
    """Ask any child of the worker. Answer: `WorkerAnswer` or `Failure`."""

    question: Question
    material: Material


class Authorize(msgspec.Struct, frozen=True):
    """Answer: whether the caller may still use the tool that the result came from. `origin`: what
    the call that made it has said for this."""

    tool: str
    origin: Any = None


class Run(msgspec.Struct, frozen=True):
    """Answer: `Ran`."""

    arguments: Mapping[str, Any]
    has_values: bool = False  # stored values, as JSON, stand in for references
    notice: str = ""  # about the call, for whoever reads the result


class Ran(msgspec.Struct, frozen=True):
    """What the tool gave, and the time then: it may have run for longer than a token lives."""

    output: Result | LiveRows
    now: float


class Put(msgspec.Struct, frozen=True):
    """Answer: None."""

    key: str
    record: Record


class Touch(msgspec.Struct, frozen=True):
    """Answer: None."""

    key: str
    expires: float


Effect = LoadHead | ReadChunks | ReadWindow | AskHolder | AskWorker | Authorize | Run | Put | Touch

Outcome = TypeVar("Outcome")
Steps = Generator[Effect, Any, Outcome]
