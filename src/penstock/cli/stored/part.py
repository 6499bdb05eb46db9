"""The part of a stored result that a user asks for: a path, or the answer to a question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import msgspec

from penstock.core.model.continuation import Token
from penstock.core.model.effects import Entry, Steps
from penstock.core.model.questions import Failure, jq_installed
from penstock.core.model.store import first_rows
from penstock.core.model.stored import Live
from penstock.core.model.values import Refusal
from penstock.core.protocol.ask_worker import TableSource, ask
from penstock.core.protocol.entries import Context, Denied, load_entry
from penstock.core.protocol.parts import read_by_sql
from penstock.core.views.focus import Focus, of_value, root
from penstock.core.views.paths import resolve
from penstock.core.views.search import search
from penstock.errors import MissingExtra
from penstock.gate.gate import Gate

# A user names a result by its key, so that no token is known.
_NO_TOKEN = Token(b"")


class PartRequest(msgspec.Struct, frozen=True):
    """The part that a user asks for: the value at `path`, or the answer to a question about it."""

    path: str = ""
    language: Literal["", "sql", "jq", "search"] = ""
    question: str = ""


def part_of(key: str, asked: PartRequest, context: Context) -> Steps[Focus | Refusal]:
    """Return the focus on a part of a stored result. An answer is not stored."""
    entry = yield from load_entry(_NO_TOKEN, key, context)
    if isinstance(entry, Denied):
        return Refusal("The result is no longer stored.", "Call the tool again.")
    if isinstance(entry.head.source, Live):
        return Refusal(
            "The rows of this result are not stored: its server reads them when an agent asks.",
            "Ask the server, or see penstock results for others.",
        )
    focus = yield from resolve(root(entry), asked.path)
    if isinstance(focus, Refusal) or not asked.language:
        return focus
    if asked.language == "search":
        return (yield from _found(focus, asked.question, context.policy.query_rows))
    return (yield from _answer(entry, focus, asked))


def _found(focus: Focus, text: str, most: int) -> Steps[Focus]:
    hits = yield from search(focus, text, most)
    return _listed(hits.found, f"{hits.total:,} matches" if hits.total > len(hits.found) else "")


def _answer(entry: Entry, focus: Focus, asked: PartRequest) -> Steps[Focus | Refusal]:
    is_sql = asked.language == "sql"
    if not is_sql and not jq_installed():
        missing = MissingExtra("query", "--query")
        return Refusal(missing.message, missing.next_step)
    source = TableSource(
        entry, asked.path, focus, read_as=(yield from read_by_sql(focus)) if is_sql else None
    )
    answer = yield from ask(source, "sql" if is_sql else "jq", asked.question)
    if isinstance(answer, Failure):
        return Refusal(answer.error, answer.next_step)
    if answer.single and not is_sql:
        return of_value(answer.rows[0], "")
    return _listed(answer.rows, "more rows" if answer.truncated else "")


def _listed(rows: Sequence[bytes], whole: str) -> Focus:
    """Return the focus on the rows of an answer. `whole`: the size of an answer that was cut."""
    notice = f"The answer has {whole}; these are the first {len(rows):,}. query_rows sets the most."
    focus = Focus("", "rows", len(rows), b"[", b"]", rows=tuple(rows))
    return replace(focus, notices=(notice,) if whole else ())


def kept_blocks(gate: Gate, focus: Focus) -> Iterator[list[bytes]]:
    """Yield all rows as they are kept, chunk by chunk: a result may be larger than memory."""
    for start, stop in _ranges(focus):
        yield gate.finish(focus.kept(start, stop))


def json_blocks(gate: Gate, focus: Focus) -> Iterator[list[bytes]]:
    """Yield all rows as JSON, chunk by chunk. Lines stay as they are."""
    for start, stop in _ranges(focus):
        yield gate.finish(focus.read(start, stop))


def _ranges(focus: Focus) -> Iterator[tuple[int, int]]:
    starts = [0] if focus.entry is None else first_rows(focus.entry.index)
    return pairwise([*starts, focus.count])
