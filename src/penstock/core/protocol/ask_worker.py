"""A question to the worker about a stored result, or about several that a statement joins."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

import msgspec

from penstock.core.json.encoding import encode
from penstock.core.json.surrogates import has_half_pair
from penstock.core.model.effects import AskHolder, AskWorker, Entry, Steps
from penstock.core.model.questions import (
    EXPLORER_LANGUAGES,
    RESULT_TABLE,
    Failure,
    Language,
    Material,
    Question,
    Shape,
    WorkerAnswer,
)
from penstock.core.views.focus import SPAN, Focus

MOST_CHARS: Final = 10_000  # of a program


class TableSource(msgspec.Struct, frozen=True):
    """The part of an entry that is a table of SQL."""

    entry: Entry
    path: str  # of the part
    focus: Focus
    name: str = RESULT_TABLE
    # The shape that the worker gets, if it is another than that of the focus: "tables" for a dict
    # whose lists are the tables.
    read_as: Shape | None = None

    @property
    def key(self) -> str:
        """The key of the rows, the same only for the same rows in the same shape."""
        # The time is included because a new copy of a live list has the key of the old one.
        key = f"{self.entry.key}@{self.entry.head.created}{self.path}"
        # The explorer reads the entries of the same dict as one table.
        return key if self.read_as is None else f"{key}#{self.read_as}"

    @property
    def shape(self) -> Shape:
        own: Shape = "value" if self.focus.shape == "literal" else self.focus.shape
        return self.read_as or own


def ask(
    source: TableSource, language: Language, program: str, beside: Sequence[TableSource] = ()
) -> Steps[WorkerAnswer | Failure]:
    """Ask the worker about a part of an entry, and about the tables `beside` it. Send the rows only if
    no child of the worker holds them: sending takes longer than most answers."""
    refusal = _refusal_of(program, language)
    if refusal is not None:
        return refusal
    question = Question(_joint_key(source, beside), language, program)
    answer: WorkerAnswer | Failure | None = yield AskHolder(question)
    if answer is None:
        answer = yield AskWorker(question, (yield from _materials(source, beside)))
    return answer


def _joint_key(source: TableSource, beside: Sequence[TableSource]) -> str:
    if not beside:
        return source.key
    parts = encode([[table.name, table.key] for table in beside])
    return f"{source.key}#with {hashlib.sha256(parts).hexdigest()}"


def _refusal_of(program: str, language: Language) -> Failure | None:
    """Refuse a program that no worker can run, before any row is read for it."""
    if not program.strip():
        return Failure("The program is empty.", "Give a program in query.")
    if len(program) > MOST_CHARS:
        return _too_long(len(program), language)
    if "\0" in program or has_half_pair(program):
        return Failure(
            "The program holds a forbidden character (NUL, or half of a surrogate pair).",
            "Remove it.",
        )
    return None


def _too_long(chars: int, language: Language) -> Failure:
    if language in EXPLORER_LANGUAGES:
        return Failure(
            f"The filters have {chars} characters together; {MOST_CHARS} are allowed.",
            "Search for a shorter text, or remove filters.",
        )
    return Failure(
        f"The program has {chars} characters; {MOST_CHARS} are allowed.",
        "Shorten it. Keep data in the result, not in the program.",
    )


def _materials(source: TableSource, beside: Sequence[TableSource]) -> Steps[Material]:
    """Return all rows for the worker. A result that is several tables is read once."""
    read: dict[str, tuple[bytes, ...]] = {}
    tables: list[Material] = []
    for table in (source, *beside):
        if table.key not in read:
            read[table.key] = yield from _blocks(table.focus)
        around = table.focus.prefix, table.focus.suffix
        tables.append(Material(table.shape, *around, read[table.key], table.name))
    return msgspec.structs.replace(tables[0], beside=tuple(tables[1:]))


def _blocks(focus: Focus) -> Steps[tuple[bytes, ...]]:
    blocks = []
    for start in focus.spans():
        rows = yield from focus.read(start, start + SPAN)
        blocks.append(b"\n".join(rows))
    return tuple(blocks)
