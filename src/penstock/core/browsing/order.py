"""Rows that were filtered or sorted, under a name of their own.

An order is the numbers of the rows, stored as a child of the result. A page of it is some of those
numbers, and the rows behind them, read where they are.

Who sorts and searches makes many orders, and they must not push out the results themselves. So a
result has a few places for them, and what is asked decides which: asked again, it is there already;
another question of that place replaces it. A token of the one that was there says which one it meant
(its edition), and is refused: it never leads to other rows.
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
from penstock.core.model.values import Call, Refusal
from penstock.core.protocol.ask_worker import ask
from penstock.core.protocol.entries import Context, Denied, Opened, load_key, new_entry, open_entry
from penstock.core.results.document import Document, read_json
from penstock.core.results.ingest import ingest
from penstock.core.views.focus import Focus, root
from penstock.errors import StoreError

# An order is a result like others, and somebody may have given one that looks like it.
_NUMBER: Final = re.compile(rb"[0-9]{1,15}")
PLACES: Final = 8
_EDITION_BYTES: Final = 12

GONE: Final = Refusal(
    "These rows are no longer kept in this order.", "Filter or sort again, and go on from there."
)


@dataclass(frozen=True, slots=True)
class Order:
    """The numbers of some rows of a result, in the entry that keeps them. Where the store did not take
    it, it is at hand but this once."""

    entry: Entry
    is_kept: bool = True

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
    call: Call,
    context: Context,
    entry: Entry,
    path: str,
    focus: Focus,
    asked: Arrangement,
    ahead: tuple[int, int],
) -> Steps[Order | Refusal]:
    """The rows of `focus`, which is what stands at `path` of the entry, as they are asked for. `ahead`:
    which of them will be read."""
    program = encode(asked).decode()
    token = _token_of(entry, path, program)
    kept = yield from open_order(call, context, entry, path, token, ahead)
    if isinstance(kept, Order):
        return kept
    answer = yield from ask(entry, spelled(path), focus, "order", program)
    if isinstance(answer, Failure):
        return Refusal(answer.error, answer.next_step)
    blocks, prefix = read_json(answer.rows[0]).blocks, _prefix(path, _edition(token))
    numbers = ingest(Document("rows", blocks, prefix, b"]}", "/rows"), context.policy.budget)
    made, record = new_entry(call, context, numbers, parent=entry, token=token)
    try:
        yield Put(made.key, record)
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
    """An order that an earlier reply has named: of this result, and of this part of it.

    Its rows come along with its head, in one read: between two, another order may take the place."""
    found = yield from open_entry(call, context, token, rows=ahead)
    if isinstance(found, Denied):
        return GONE
    head, edition = found.entry.head, found.position.edition
    is_of_this = entry.key in head.parents and head.prefix == _prefix(path, edition)
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


def spelled(path: str) -> str:
    """A path as part of the name of a question, which is UTF-8."""
    raw = rawjson.string(path)
    return path if rawjson.utf8(path) in raw else rawjson.text(raw)


def _token_of(entry: Entry, path: str, program: str) -> Token:
    """The same whenever the same is asked of the same rows: the copy of a live list may be read anew."""
    asked = encode([entry.key, entry.head.created, spelled(path), program])
    digest = hashlib.sha256(asked).digest()[:_EDITION_BYTES]
    place = entry.token.derived(f"order {digest[0] % PLACES} of {entry.key}")
    return place.at(Position(edition=digest.hex()).pack())


def _edition(token: Token) -> str:
    return "" if token.place is None else token.place.edition


def _prefix(path: str, edition: str) -> bytes:
    named = b',"edition":' + rawjson.string(edition) if edition else b""
    return b'{"path":' + rawjson.string(path) + named + b',"rows":['
