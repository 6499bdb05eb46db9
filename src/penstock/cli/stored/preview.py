"""A view of a stored result for a terminal: a description, and the first rows that fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

from penstock.cli.amounts import plural, size
from penstock.cli.stored.found import StoredResult
from penstock.cli.stored.listing import content, expires, stored
from penstock.cli.terminal import GAP, cut, printable, table, width_of
from penstock.core.json import rawjson
from penstock.core.model.stored import Head
from penstock.core.results.columns import described_columns
from penstock.core.views.focus import Focus
from penstock.core.views.pages import line_text
from penstock.gate.gate import Gate

_FEWEST_ROWS: Final = 5
_ID_CHARS: Final = 12
_WIDEST_CELLS: Final = (60, 40, 30, 24, 18, 12)
_WAYS_ON: Final = (
    "--format csv, json or text writes all of it; --path, --sql, --query and --search a part."
)


def description(result: StoredResult, now: float, columns: int) -> list[str]:
    """Return lines that say what a result is."""
    head = result.head
    lines = [
        f"{head.tool} of {result.server or 'an unnamed server'}, {result.key[:_ID_CHARS]}",
        f"{content(head)}, {size(head.size)}; stored {stored(result, now)}, expires {expires(result, now)}",
        *_columns(head),
        *head.notices,
    ]
    return [cut(line, columns) for line in lines]


def _columns(head: Head) -> Iterator[str]:
    described = described_columns(head.columns, head.samples)
    if described:
        yield "columns: " + ", ".join(f"{entry.name} ({entry.told})" for entry in described)


def preview(gate: Gate, focus: Focus, columns: int, height: int) -> list[str]:
    """Return the first rows, within so many columns and lines."""
    wanted = max(_FEWEST_ROWS, height)
    rows = gate.finish(focus.read(0, wanted))
    lines = [*_lines_of(focus, rows, columns), *map(printable, focus.notices)]
    rest = focus.count - len(rows)
    noun = "line" if focus.shape == "lines" else "row"
    return [*lines, "", *([f"… and {plural(rest, f'more {noun}')}."] if rest else []), _WAYS_ON]


def _lines_of(focus: Focus, rows: Sequence[bytes], columns: int) -> Iterator[str]:
    if focus.shape == "lines":
        return (cut(line_text(row), columns) for row in rows)
    if focus.shape == "members":
        return (cut(_member(row), columns) for row in rows)
    if rows and all(row[:1] == b"{" for row in rows):
        return _table([rawjson.fields(row) for row in rows], columns)
    return (cut(_told(row), columns) for row in rows)


def _member(row: bytes) -> str:
    member = rawjson.split_member(row)
    return f"{member.name}: {_told(member.value)}"


def _told(value: bytes) -> str:
    return str(rawjson.decode(value)) if value[:1] == b'"' else rawjson.text(value)


def _table(rows: Sequence[dict[str, bytes]], room: int) -> Iterator[str]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells_of = [[name, *(_told(row.get(name, b"")) for row in rows)] for name in names]
    widths = _fitting([max(map(width_of, cells)) for cells in cells_of], room)
    shown, hidden = names[: len(widths)], names[len(widths) :]
    to_right = [all(row.get(name, b"0")[:1] in b"-0123456789" for row in rows) for name in shown]
    yield from table(list(zip(*cells_of[: len(widths)], strict=True)), widths, to_right)
    if hidden:
        rest = f"({plural(len(hidden), 'more column')}: {', '.join(hidden)})"
        yield cut(rest, room)


def _fitting(widths: Sequence[int], room: int) -> list[int]:
    """Return the widths of the columns that fit, at least of one. Wide columns become narrower, so
    that more of them fit."""
    fitting: list[int] = []
    for widest in _WIDEST_CELLS:
        narrow = [min(each, widest) for each in widths]
        ends = accumulate(each + len(GAP) for each in narrow)
        fitting = [each for each, end in zip(narrow, ends, strict=True) if end - len(GAP) <= room]
        if len(fitting) == len(widths):
            break
    return fitting or [min(widths[0], room)]
