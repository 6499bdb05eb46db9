"""Figures as a table for a terminal of any width."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final

from penstock.cli.terminal import fitted, printable, width_of
from penstock.errors import how_to_install
from penstock.figures.balance import ServerBalance, sums
from penstock.figures.rows import CallFigures, ListFigures

NARROWEST: Final = 40
WIDEST: Final = 110
_INDENT: Final = "  "
_SHORTEST_NAME: Final = 14
_GAP: Final = 2
# The columns, and those that a narrow terminal does without, the first first.
_HEADS: Final = ("calls", "errors", "held", "reads", "raw", "sent", "saved")
_DISPENSABLE: Final = ("errors", "reads", "held", "raw", "sent")


def stats_table(servers: Sequence[ServerBalance], days: int, columns: int) -> str:
    width = min(max(NARROWEST, columns), WIDEST)
    period = "today" if days == 1 else f"in the last {days} days"
    lines = [*_wrapped(f"Tokens that models read of MCP servers behind Penstock {period}.", width)]
    for server in servers:
        lines += ["", *_server(server, width)]
    if closing := [*_closing(servers, width)]:
        lines += ["", *closing]
    return "\n".join(line.rstrip() for line in lines)


def _server(server: ServerBalance, width: int) -> Iterator[str]:
    yield from _wrapped(f"{printable(server.name)}: {_verdict(server.raw, server.saved)}", width)
    listed = server.lists
    if listed.listed:
        yield from _wrapped(_list(listed), width, _INDENT)
    added = listed.greeting_sent - listed.greeting_raw
    if added:
        told = f"Instructions: {added:,} tokens added in {_conversations(listed.greeted)}."
        yield from _wrapped(told, width, _INDENT)
    if server.tools:
        yield from _tools(server, width)


def _list(listed: ListFigures) -> str:
    """Return the sums of all lists, and the last list by itself: it may have another form."""
    sums_of_all = (
        f"{listed.raw:,} tokens raw, {listed.sent:,} sent; {_gain(listed.raw - listed.sent)}."
    )
    if listed.listed == 1:
        return f"List (once, form {listed.form}): {sums_of_all}"
    last = f"form {listed.form}, {listed.last_raw:,} raw, {listed.last_sent:,} sent"
    return f"List ({listed.listed:,} times): {sums_of_all} Last: {last}."


def _tools(server: ServerBalance, width: int) -> Iterator[str]:
    rows = [("tool", _HEADS), *((tool, _cells(row)) for tool, row in server.tools)]
    needed = {
        head: _GAP + max(len(cells[place]) for _, cells in rows)
        for place, head in enumerate(_HEADS)
    }
    for head in _DISPENSABLE:
        if width - len(_INDENT) - sum(needed.values()) < _SHORTEST_NAME:
            del needed[head]
    room = width - len(_INDENT) - sum(needed.values())
    longest = min(room, max(width_of(name) for name, _ in rows))
    for name, cells in rows:
        beside = "".join(
            cell.rjust(needed[head])
            for head, cell in zip(_HEADS, cells, strict=True)
            if head in needed
        )
        yield f"{_INDENT}{fitted(name, longest)}{beside}"


def _cells(row: CallFigures) -> tuple[str, ...]:
    numbers = (
        row.calls,
        row.errors,
        row.held,
        row.reads,
        row.raw,
        row.sent + row.read_sent,
        row.saved,
    )
    return tuple(f"{number:,}" for number in numbers)


def _closing(servers: Sequence[ServerBalance], width: int) -> Iterator[str]:
    total = sums(servers)
    if len(servers) > 1:
        yield from _wrapped(f"In all: {_verdict(total['raw'], total['saved'])}", width)
    for server in servers:
        if server.costs_more:
            yield from _wrapped(_advice(server), width)
    if any(server.has_estimates for server in servers):
        told = (
            "Some counts are estimates. The extra tokens counts exactly, unless answers are very "
            f"large or very many. {how_to_install('tokens')}"
        )
        yield from _wrapped(told, width)


def _advice(server: ServerBalance) -> str:
    name, run = printable(server.name), "run this server without it"
    if server.members:
        name, run = f"the servers of {name}", "run them without it"
    return f"Penstock costs more than it saves for {name} so far. If that stays, {run}."


def _verdict(raw: int, saved: int) -> str:
    told = f"{raw:,} tokens raw, {raw - saved:,} sent; {_gain(saved)}"
    return f"{told} ({saved / raw:.0%})." if raw and saved > 0 else f"{told}."


def _gain(saved: int) -> str:
    return f"{-saved:,} tokens more than without Penstock" if saved < 0 else f"{saved:,} saved"


def _conversations(count: int) -> str:
    return "1 conversation" if count == 1 else f"{count:,} conversations"


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return wrap(text, width, initial_indent=indent, subsequent_indent=indent + _INDENT)
