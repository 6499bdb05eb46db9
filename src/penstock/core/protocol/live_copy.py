"""Copies of live lists, for views that need every row.

A copy is stored, and holds at most `query_rows` rows. One question often follows another, so a copy
serves again as long as the list seems unchanged.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from penstock.core.model.effects import Entry, Put, ReadWindow, Steps
from penstock.core.model.stored import Live
from penstock.core.model.values import Call, LiveWindow, Refusal
from penstock.core.protocol.entries import Context, copy_token, load_copy, new_entry
from penstock.core.results.document import Document
from penstock.core.results.ingest import ingest
from penstock.core.views.focus import SPAN, root


class Copy(NamedTuple):
    """The copy of a live list, and the fields of the reply that say how it differs from the list."""

    entry: Entry
    told: dict[str, Any]


def copied(call: Call, context: Context, live: Entry) -> Steps[Copy | Refusal]:
    most = context.policy.query_rows
    now = yield from _ends(live, most)
    source = live.head.source
    if now.total > most and isinstance(source, Live) and source.refuses_part:
        return _too_long(now.total, most)
    copy = yield from load_copy(live, now.total, context)
    told: dict[str, Any] = {}
    if copy is not None and now == (yield from _ends_of(copy, now.total)):
        told["read_seconds_ago"] = int(context.now - copy.head.created)
    else:
        copy = yield from _made(call, context, live, now.total)
    left_out = now.total - copy.head.count
    return Copy(copy, told | ({"rows_not_read": left_out} if left_out > 0 else {}))


def _too_long(total: int, most: int) -> Refusal:
    return Refusal(
        f"The list has {total:,} rows. This needs every row, and at most {most:,} can be read: an "
        "answer from the first rows alone would be wrong.",
        "Call the tool again with filters that leave fewer rows, or read the list in mode paginated "
        "or filtered.",
    )


class _Ends(NamedTuple):
    """The length of a list, and its first and last row. If these agree, the list seems unchanged."""

    total: int
    first: tuple[bytes, ...]
    last: tuple[bytes, ...]


def _ends(live: Entry, most: int) -> Steps[_Ends]:
    first: LiveWindow = yield ReadWindow(live, 0, 1)
    count = live.head.count if first.count is None else first.count
    at = min(count, most) - 1
    last: LiveWindow = first
    if at > 0:
        last = yield ReadWindow(live, at, at + 1)
    return _Ends(count, tuple(first.rows), tuple(last.rows))


def _ends_of(copy: Entry, count: int) -> Steps[_Ends]:
    focus = root(copy)
    first = yield from focus.read(0, 1)
    last = yield from focus.read(max(focus.count - 1, 0), focus.count)
    return _Ends(count, tuple(first), tuple(last))


def _made(call: Call, context: Context, live: Entry, count: int) -> Steps[Entry]:
    most = min(count, context.policy.query_rows)
    focus = replace(root(live), count=most)
    rows: list[bytes] = []
    for start in range(0, most, SPAN):
        rows += yield from focus.read(start, min(start + SPAN, most))
    document = Document("rows", iter([rows] if rows else []), b"[", b"]")
    ingested = ingest(document, context.policy.budget)
    token = copy_token(live)
    copy, record = new_entry(call, context, ingested, parents=[live], token=token)
    yield Put(copy.key, record, copy.head.tool, "a copy of a list")
    return copy
