"""Rows as CSV, as RFC 4180 describes it.

A cell holds the characters of the value: numbers are not rounded, a text is written without quotes of
JSON, null is empty, and lists and objects are JSON. The columns are those of all rows, which are
read twice: first for their keys.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from penstock.cli.stored.part import json_blocks
from penstock.core.json import rawjson
from penstock.core.json.pointers import pointer
from penstock.core.model.values import Refusal
from penstock.core.protocol.parts import is_uniform, tables_in
from penstock.core.views.focus import Focus
from penstock.gate.gate import Gate

_VALUE: Final = "value"
_KEY: Final = "key"
_MOST_NAMED: Final = 10

Cells = Callable[[bytes], Sequence[str]]


def csv_pieces(gate: Gate, focus: Focus) -> Iterator[bytes] | Refusal:
    """Return a table of the rows, in pieces, or refuse a value that has no rows."""
    refusal = _refusal_of(gate, focus)
    if refusal is not None:
        return refusal
    header, cells = _layout(gate, focus)
    return _written(json_blocks(gate, focus), header, cells)


def _refusal_of(gate: Gate, focus: Focus) -> Refusal | None:
    if focus.shape == "rows" or (focus.shape == "members" and gate.finish(is_uniform(focus))):
        return None
    if focus.shape == "lines":
        return Refusal(
            "The result is a text without rows, so it is no table.", "Use --format text."
        )
    if focus.shape == "members" and (lists := gate.finish(tables_in(focus))):
        named = ", ".join(f"--path {focus.path}{pointer(name)}" for name in lists[:_MOST_NAMED])
        return Refusal("The result is an object with several parts.", f"Name one: {named}.")
    return Refusal("The result has no rows, so it is no table.", "Use --format json.")


def _layout(gate: Gate, focus: Focus) -> tuple[list[str], Cells]:
    """Return the header, empty for rows that are lists, and a function that returns a row's cells."""
    blocks = json_blocks(gate, focus)
    if focus.shape != "members":
        starts, columns = _survey(blocks)
        return (
            ([], _cells_of_list) if starts == {b"["} else (columns or [_VALUE], _cells_of(columns))
        )
    _, columns = _survey(map(_value, block) for block in blocks)
    name = next(name for name in (_KEY, "_key", "__key") if name not in columns)
    cells = _cells_of(columns)
    return [name, *(columns or [_VALUE])], lambda member: [
        rawjson.split_member(member).name,
        *cells(_value(member)),
    ]


def _survey(blocks: Iterable[Iterable[bytes]]) -> tuple[set[bytes], list[str]]:
    """Return the first characters of all rows, and their keys in the order in which they first occur.
    There are no keys if some rows are no objects: each row is then one cell."""
    starts: set[bytes] = set()
    found: dict[str, None] = {}
    for block in blocks:
        for row in block:
            starts.add(row[:1])
            if row[:1] == b"{":
                found.update(dict.fromkeys(rawjson.names(row)))
    return starts, list(found) if starts == {b"{"} else []


def _cells_of(columns: list[str]) -> Cells:
    if not columns:
        return lambda row: [_cell(row)]

    def cells(row: bytes) -> list[str]:
        fields = rawjson.fields(row)
        return [_cell(fields.get(name, b"")) for name in columns]

    return cells


def _cells_of_list(row: bytes) -> list[str]:
    return [_cell(element) for element in rawjson.elements(row)]


def _cell(value: bytes) -> str:
    if value == b"null":
        return ""
    if value[:1] != b'"':
        return rawjson.text(value)
    # Most texts have no escapes, and need no parser.
    return str(rawjson.decode(value)) if b"\\" in value else rawjson.text(value[1:-1])


def _value(member: bytes) -> bytes:
    return rawjson.split_member(member).value


def _written(blocks: Iterable[list[bytes]], header: list[str], cells: Cells) -> Iterator[bytes]:
    lines = io.StringIO(newline="")
    write = csv.writer(lines).writerow
    if header:
        write(header)
    for block in blocks:
        for row in block:
            write(cells(row))
        yield rawjson.utf8(lines.getvalue())
        lines.seek(0)
        lines.truncate()
    yield rawjson.utf8(lines.getvalue())
