"""Orders: the rows of a result, filtered or sorted.

An order holds row numbers, and is stored as a child of the result. A page of an order is some of
these numbers, with their rows read from the result.

A user who sorts and searches makes many orders, which must not push results out of the store. So a
result has a few slots for orders, and the question decides which slot its order gets. The same
question finds its order there; another question for that slot replaces it. The token of an order
holds a digest of the question, its edition. So the token of a replaced order is refused, and never leads to other rows.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Final

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.continuation import Position, Token
from penstock.core.model.effects import Entry, Put, Steps
from penstock.core.model.questions import Arrangement, Failure
from penstock.core.model.stored import Head
from penstock.core.model.values import Call, Refusal
from penstock.core.protocol.ask_worker import TableSource, ask
from penstock.core.protocol.entries import (
    Context,
    Denied,
    Opened,
    load_entry,
    new_entry,
    open_entry,
)
from penstock.core.results.document import Document, read_json
from penstock.core.results.ingest import ingest
from penstock.core.views.focus import Focus, root
from penstock.errors import StoreError

# Rows are checked: an agent can make a result that looks like an order.
_NUMBER: Final = re.compile(rb"[0-9]{1,15}")
SLOTS: Final = 8
_EDITION_BYTES: Final = 12
_LIST_PATH: Final = "/rows"

GONE: Final = Refusal(
    "These rows are no longer kept in this order.", "Filter or sort again, and go on from there."
)


@dataclass(frozen=True, slots=True)
class Order:
    """The numbers of some rows of a result, and the entry that keeps them."""

    entry: Entry
    is_kept: bool = True  # False: the store refused the order, which serves this request only

    @property
    def token(self) -> str:
        return str(self.entry.token)

    @property
    def count(self) -> int:
        return self.entry.head.count

    def numbers(self, start: int, stop: int, row_count: int) -> Steps[list[int]]:
        """Return the valid row numbers at `start` to `stop` of this order."""
        rows = yield from root(self.entry).read(start, stop)
        return [int(row) for row in rows if _NUMBER.fullmatch(row) and int(row) < row_count]


def arrange(
    call: Call,
    context: Context,
    entry: Entry,
    path: str,
    focus: Focus,
    asked: Arrangement,
    ahead: tuple[int, int],
) -> Steps[Order | Refusal]:
    """Find or make the order of `focus`, the part of the entry at `path`. `ahead`: the range of the
    order that will be read next."""
    program = encode(asked).decode()
    token = _token_of(entry, path, program)
    kept = yield from open_order(call, context, entry, path, token, ahead)
    if isinstance(kept, Order):
        return kept
    answer = yield from ask(TableSource(entry, spelled(path), focus), "order", program)
    if isinstance(answer, Failure):
        return Refusal(answer.error, answer.next_step)
    blocks, prefix = read_json(answer.rows[0]).blocks, _prefix(path, _edition(token))
    numbers = ingest(Document("rows", blocks, prefix, b"]}", _LIST_PATH), context.policy.budget)
    made, record = new_entry(call, context, numbers, parents=[entry], token=token)
    try:
        yield Put(made.key, record, made.head.tool, "a sort order of a result")
    except StoreError:
        return Order(made, is_kept=False)
    return Order(made)


def open_order(
    call: Call,
    context: Context,
    entry: Entry,
    path: str,
    token: Token | None,
    ahead: tuple[int, int],
) -> Steps[Order | Refusal]:
    """Return a stored order, if it belongs to this part of this result.

    One read gets its head and rows: between two reads, another order may take the slot."""
    found = yield from open_entry(call, context, token, rows=ahead)
    if isinstance(found, Denied):
        return GONE
    head, edition = found.entry.head, found.position.edition
    is_of_this = entry.key in head.parents and head.prefix == _prefix(path, edition)
    return Order(found.entry) if is_of_this else GONE


def source_of(order: Order, opened: Opened, context: Context) -> Steps[Entry | Refusal]:
    """Return the entry that the row numbers refer to: the result, or the copy of a live list. Refuse
    if the copy is newer than the order."""
    key = order.entry.head.parents[-1]
    if key == opened.entry.key:
        return opened.entry
    copy = yield from load_entry(opened.entry.token, key, context)
    if isinstance(copy, Denied) or copy.head.created > order.entry.head.created:
        return GONE
    return copy


def is_order(head: Head) -> bool:
    """Return whether an entry holds an order, and not a result."""
    has_rows = head.list_path == _LIST_PATH and head.prefix.startswith(b'{"path":')
    return bool(head.parents) and has_rows


def spelled(path: str) -> str:
    """Return a path in a form that UTF-8 can encode, for the key of a question."""
    raw = rawjson.string(path)
    return path if rawjson.utf8(path) in raw else rawjson.text(raw)


def _token_of(entry: Entry, path: str, program: str) -> Token:
    """Return the same token for the same question about the same rows. The creation time is part of
    the digest, because the copy of a live list may be replaced."""
    asked = encode([entry.key, entry.head.created, spelled(path), program])
    digest = hashlib.sha256(asked).digest()[:_EDITION_BYTES]
    slot = entry.token.derived(f"order {digest[0] % SLOTS} of {entry.key}")
    return slot.at(Position(edition=digest.hex()).pack())


def _edition(token: Token) -> str:
    return "" if token.place is None else token.place.edition


def _prefix(path: str, edition: str) -> bytes:
    named = b',"edition":' + rawjson.string(edition) if edition else b""
    return b'{"path":' + rawjson.string(path) + named + b',"rows":['
