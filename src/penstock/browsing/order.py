"""Rows that were filtered or sorted, under a name of their own.

An order is the numbers of the rows, stored as a child of the result. A page of it is some of those
numbers, and the rows behind them, read where they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from penstock import rawjson
from penstock.asking import ask
from penstock.document import Document, read_json
from penstock.effects import Entry, PickRows, Put, Steps
from penstock.encoding import encode
from penstock.entries import Context, Denied, Opened, load_key, new_entry, open_entry
from penstock.ingest import ingest
from penstock.model import Call, Refusal
from penstock.questions import Arrangement, Failure
from penstock.views.focus import Focus, root

# An order is a result like others, and somebody may have given one that looks like it.
_NUMBER: Final = re.compile(rb"[0-9]{1,15}")

GONE: Final = Refusal(
    "These rows are no longer kept in this order.", "Filter or sort again, and go on from there."
)


@dataclass(frozen=True, slots=True)
class Order:
    """The numbers of some rows of a result, in the entry that keeps them."""

    entry: Entry

    @property
    def token(self) -> str:
        return str(self.entry.token)

    @property
    def count(self) -> int:
        return self.entry.head.count

    def numbers(self, start: int, stop: int, of: int) -> Steps[list[int]]:
        """Which of the `of` rows are shown from `start` to `stop`."""
        rows = yield from root(self.entry).read(start, stop)
        return [int(row) for row in rows if _NUMBER.fullmatch(row) and int(row) < of]


def arrange(
    call: Call, context: Context, entry: Entry, path: str, focus: Focus, asked: Arrangement
) -> Steps[Order | Refusal]:
    """The rows of `focus`, which is what stands at `path` of the entry, as they are asked for."""
    answer = yield from ask(entry, spelled(path), focus, "order", encode(asked).decode())
    if isinstance(answer, Failure):
        return Refusal(answer.error, answer.next_step)
    numbers = Document("rows", read_json(answer.rows[0]).blocks, _prefix(path), b"]}", "/rows")
    made, record = new_entry(call, context, ingest(numbers, context.policy.budget), parent=entry)
    yield Put(made.key, record)
    return Order(made)


def open_order(
    call: Call, context: Context, opened: Opened, path: str, token: str
) -> Steps[Order | Refusal]:
    """An order that an earlier reply has named: of this result, and of this part of it."""
    found = yield from open_entry(call, context, token)
    if isinstance(found, Denied):
        return GONE
    head = found.entry.head
    is_of_this = opened.entry.key in head.parents and head.prefix == _prefix(path)
    return Order(found.entry) if is_of_this else GONE


def source_of(order: Order, opened: Opened, context: Context) -> Steps[Entry | Refusal]:
    """The entry whose rows are numbered: the result's own, or the copy of a live one, unless that
    was read anew since."""
    key = order.entry.head.parents[-1]
    if key == opened.entry.key:
        return opened.entry
    copy = yield from load_key(opened.entry.token, key, context)
    if isinstance(copy, Denied) or copy.head.created > order.entry.head.created:
        return GONE
    return copy


def rows_of(focus: Focus, numbers: list[int]) -> Steps[list[bytes]]:
    """Rows in any order."""
    if focus.rows is not None:
        return [focus.rows[number] for number in numbers]
    assert focus.entry is not None  # noqa: S101 (one of the two is always there)
    rows: list[bytes] = yield PickRows(focus.entry, tuple(numbers))
    return rows


def spelled(path: str) -> str:
    """A path as part of the name of a question, which is UTF-8."""
    raw = rawjson.string(path)
    return path if rawjson.utf8(path) in raw else rawjson.text(raw)


def _prefix(path: str) -> bytes:
    return b'{"path":' + rawjson.string(path) + b',"rows":['
