"""The other stored results that a statement joins.

Each token passes the checks that it would pass if it were read alone, and gets the same refusal. So a
join tells nothing about tokens of other callers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from penstock.core.json.pointers import pointer
from penstock.core.model.continuation import parse
from penstock.core.model.effects import Entry, Steps
from penstock.core.model.stored import Live
from penstock.core.model.values import Call, Mode, Refusal
from penstock.core.protocol.ask_worker import TableSource
from penstock.core.protocol.entries import (
    Context,
    Denied,
    Opened,
    lineage,
    open_entry,
    token_refusal,
)
from penstock.core.protocol.live_copy import copied
from penstock.core.protocol.parts import is_uniform, read_by_sql, start_of, tables_in
from penstock.core.protocol.references import PREFIX as REFERENCE
from penstock.core.views.focus import Focus
from penstock.core.views.joined_tables import JoinedTable
from penstock.core.views.paths import resolve

# Each read of an answer loads and checks all results that it comes from.
MOST_PARENTS: Final = 200
_LISTS_NAMED: Final = 5


class Joined(msgspec.Struct, frozen=True):
    """The tables of other results, and what the reply tells of those that are copies of live lists."""

    sources: tuple[TableSource, ...] = ()
    told: Mapping[str, Any] = {}

    @property
    def entries(self) -> list[Entry]:
        return [source.entry for source in self.sources]


def open_tables(
    call: Call, context: Context, main: Entry, tables: Sequence[JoinedTable]
) -> Steps[Joined | Refusal]:
    """Open the results that `tables` names. `context` has the settings of no tool yet."""
    sources: list[TableSource] = []
    told: dict[str, Any] = {}
    for table in tables:
        found = yield from _open_table(call, context, table)
        if isinstance(found, Refusal):
            return _about(table, found)
        source, said = found
        sources.append(source)
        told |= {table.name: said} if said else {}
    joined = Joined(tuple(sources), {"tables": told} if told else {})
    return _too_much(joined, main, context) or joined


def _about(table: JoinedTable, refusal: Refusal) -> Refusal:
    reason = f"in tables: {refusal.reason}" if refusal.reason else ""
    error = f"Table {table.name!r}: {refusal.error}"
    return msgspec.structs.replace(refusal, error=error, reason=reason)


def _open_table(
    call: Call, context: Context, table: JoinedTable
) -> Steps[tuple[TableSource, dict[str, Any]] | Refusal]:
    if table.token.startswith(REFERENCE):
        return Refusal(
            f"{REFERENCE} is for arguments of tools.",
            f'Give the token alone, without "{REFERENCE}".',
        )
    opened = yield from open_entry(call, context, parse(table.token))
    if isinstance(opened, Denied):
        return token_refusal(opened)
    entry = opened.entry
    told: dict[str, Any] = {}
    context = replace(context, policy=context.policy.for_tool(entry.head.tool))
    if Mode.SQL not in context.policy.modes:
        return Refusal("Mode sql is switched off for this result.", "Join other results.")
    if isinstance(entry.head.source, Live):
        copy = yield from copied(call, context, entry)
        if isinstance(copy, Refusal):
            return copy
        entry, told = copy.entry, copy.told
    start = yield from start_of(Opened(entry, opened.position, opened.root))
    if isinstance(start, Refusal):
        return start
    path = opened.position.path + table.path
    focus = yield from resolve(start, path)
    if isinstance(focus, Refusal):
        return focus
    fault = yield from _no_table(focus, table)
    if fault is not None:
        return fault
    read_as = yield from read_by_sql(focus)
    return TableSource(entry, opened.root + path, focus, table.name, read_as), told


def _no_table(focus: Focus, table: JoinedTable) -> Steps[Refusal | None]:
    """Refuse a part that is not one table."""
    if focus.shape in ("rows", "lines"):
        return None
    if focus.shape == "literal":
        return Refusal("It is one value, not a list.", "Join a list, or a dict of alike entries.")
    if (yield from is_uniform(focus)):
        return None
    lists = yield from tables_in(focus)
    if not lists:
        return Refusal(
            "It is a dict without lists that can be tables.",
            'Name a part of it: "<token>#/path", with the path of a list.',
        )
    paths = ", ".join(f'"<token>#{table.path}{pointer(name)}"' for name in lists[:_LISTS_NAMED])
    return Refusal("It is a dict of lists, not one table.", f"Name one of its lists: {paths}.")


def _too_much(joined: Joined, main: Entry, context: Context) -> Refusal | None:
    parents = len(lineage([main, *joined.entries]))
    if parents > MOST_PARENTS:
        return Refusal(
            f"These tables come from {parents} stored results; at most {MOST_PARENTS} are allowed.",
            "Join fewer, or join the results of tools instead of answers.",
        )
    most = context.policy.query_memory
    size = sum(source.focus.size_at_least for source in joined.sources)
    if size > most:
        return Refusal(
            f"These tables have {size:,} bytes together; SQL can hold {most:,}.",
            "Make smaller results with mode sql or query first, and join those.",
        )
    return None
