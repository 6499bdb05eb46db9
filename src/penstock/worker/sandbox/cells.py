"""The conversion of a row of JSON or text into the cells of a table row.

Values keep their JSON type. SQLite has 64-bit integers and doubles. An integer or float beyond
their range becomes TEXT with all its digits; a float of more than 17 digits is rounded. A list
becomes JSON text with its original bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isinf
from typing import Any, NamedTuple

import msgspec

from penstock.core.json.alike_rows import decode_alike
from penstock.core.model.questions import SQL_DEPTH, Shape

Cell = str | int | float | None

# An object's key, a position in a list, or the path to a nested value. A path is a tuple, so that
# {"a": {"b": 1}} and {"a.b": 1} stay two columns. Negative positions are columns that we add.
Path = tuple[str | int, ...]
Key = str | int | Path
Row = dict[Key, Cell]

KEY, VALUE, LINE, TEXT, REST = -1, -2, -3, -4, -5
EXCERPT_BYTES = 60

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
_LONE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE_CHARS = 6
_NAME = re.compile(rb'("(?:[^"\\]|\\.)*"):', re.DOTALL)
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1
_PLAIN = frozenset({str, int, float, bool, type(None)})
_PLAIN_BYTES = 4_000_000  # More are not decoded at once, because that takes memory.
_INTEGER_DIGITS = 20  # the length of "-9223372036854775808"

_DECODED = msgspec.json.Decoder(dict[str, Any])
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST = msgspec.json.Decoder(list[msgspec.Raw])
_STRING = msgspec.json.Decoder(str)
_LITERALS: dict[bytes, bool | None] = {b"true": True, b"false": False, b"null": None}


def _read_rows(rows: Iterable[bytes]) -> Iterator[Row]:
    return (_cells(row) for row in rows)


def _read_members(rows: Iterable[bytes]) -> Iterator[Row]:
    for row in map(mended, rows):
        name = _NAME.match(row)
        if name is None:
            raise ValueError(f"not a member of an object: {row[:EXCERPT_BYTES]!r}")
        cells: Row = {KEY: _STRING.decode(name[1])}
        cells.update(_cells(row[name.end() :]))
        yield cells


def _read_lines(rows: Iterable[bytes]) -> Iterator[Row]:
    for number, row in enumerate(rows, start=1):
        # A line may end in "\r\n": the "\r" would make no cell equal to its text.
        yield {LINE: number, TEXT: row.removesuffix(b"\r").decode(errors="backslashreplace")}


READERS: dict[Shape, Callable[[Iterable[bytes]], Iterator[Row]]] = {
    "rows": _read_rows,
    "members": _read_members,
    "lines": _read_lines,
    "value": _read_rows,
    "sections": _read_rows,
}


class PlainRows(NamedTuple):
    """Rows with the same keys, whose values are all cells as they are."""

    names: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    columns: list[tuple[Cell, ...]]
    kinds: list[set[type]]  # of each column


def read_plain(rows: Sequence[bytes]) -> PlainRows | None:
    """Return the cells of rows by the fastest way, or None if some row needs another."""
    if rows[0][:1] != b"{" or sum(map(len, rows)) > _PLAIN_BYTES:
        return None
    joined = b",".join(rows)
    found = None if _LONE.search(joined) else decode_alike(rows[0], joined)
    if found is None:
        return None
    names, values = found
    columns = [*zip(*values, strict=True)]
    kinds = [{*map(type, column)} for column in columns]
    if not all(map(_is_plain, columns, kinds)):
        return None
    return PlainRows(names, values, columns, kinds)


def _is_plain(column: tuple[Any, ...], kinds: set[type]) -> bool:
    """Return whether SQLite can hold all values of a column: no list, object or long integer."""
    if not _PLAIN.issuperset(kinds):
        return False
    if int not in kinds:
        return True
    integers = column if len(kinds) == 1 else [cell for cell in column if type(cell) is int]
    return min(integers) >= _SMALLEST and max(integers) <= _LARGEST


def read_lists(members: Iterable[bytes]) -> Iterator[tuple[str, list[msgspec.Raw]]]:
    """Yield the key and the elements of each member that is a list."""
    for member in members:
        row = member
        name = _NAME.match(row)
        if name is None or row[name.end() : name.end() + 1] != b"[":
            continue
        row = mended(row)
        name = _NAME.match(row)
        assert name is not None  # noqa: S101 (mending leaves the quotes)
        try:
            yield _STRING.decode(name[1]), _LIST.decode(row[name.end() :])
        except RecursionError:
            continue  # It nests too deep for a table; `query` reads it.


def _cells(row: bytes) -> Row:
    if row[:1] == b"{" and not _LONE.search(row):
        try:
            return _cells_of_decoded(_DECODED.decode(row), row)
        # A number that Python cannot hold (1e400, or 5,000 digits), or too deep a nesting.
        except (msgspec.ValidationError, RecursionError):
            pass
    try:
        return _cells_of_raw(mended(row))
    except RecursionError:
        return {VALUE: row.decode()}


def _cells_of_decoded(row: dict[str, Any], raw: bytes) -> Row:
    """Return the cells by the fast way: parse again only for the bytes of lists and objects."""
    cells: Row = {}
    _spread_decoded(cells, (), row, raw)
    return cells


def _spread_decoded(cells: Row, above: Path, row: dict[str, Any], raw: bytes) -> None:
    raws: dict[str, msgspec.Raw] = {}
    for name, value in row.items():
        key = (*above, name) if above else name
        kind = type(value)
        if kind is dict or kind is list:
            raws = raws or _OBJECT.decode(raw)
            _put(cells, (*above, name), bytes(raws[name]), value)
        elif kind is int and not _SMALLEST <= value <= _LARGEST:
            cells[key] = str(value)
        else:
            cells[key] = value  # SQLite stores True and False as 1 and 0.


def _cells_of_raw(row: bytes) -> Row:
    """Return the cells by the careful way: read every value from its own bytes."""
    cells: Row = {}
    if row[:1] == b"{":
        _spread(cells, (), row)
    elif row[:1] == b"[":
        for position, item in enumerate(_LIST.decode(row)):
            _put(cells, (position,), bytes(item))
    else:
        cells[VALUE] = _scalar(row)
    return cells


def _spread(cells: Row, above: Path, raw: bytes) -> None:
    for name, value in _OBJECT.decode(raw).items():
        _put(cells, (*above, name), bytes(value))


def _put(cells: Row, path: Path, raw: bytes, decoded: dict[str, Any] | None = None) -> None:
    if raw[:1] != b"{" or raw == b"{}" or len(path) > SQL_DEPTH:
        cells[path if len(path) > 1 else path[0]] = _scalar(raw)
    elif decoded is None:
        _spread(cells, path, raw)
    else:
        _spread_decoded(cells, path, decoded, raw)


def _scalar(raw: bytes) -> Cell:
    head = raw[:1]
    if head == b'"':
        return _STRING.decode(raw)
    if head in b"[{":
        return raw.decode()
    if raw in _LITERALS:
        return _LITERALS[raw]
    return _number(raw)


def _number(raw: bytes) -> Cell:
    text = raw.decode()
    if text.lstrip("-").isdigit():
        return _integer(text)
    value = float(text)
    return text if isinf(value) else value


def _integer(text: str) -> int | str:
    # Check the length first: Python refuses to parse an integer of more than 4,300 digits.
    if len(text) > _INTEGER_DIGITS or not _SMALLEST <= int(text) <= _LARGEST:
        return text
    return int(text)


def mended(row: bytes) -> bytes:
    r"""Return the row with lone surrogates as visible text (\ud800), which SQLite can hold."""
    return _ESCAPE.sub(_mended_escape, row) if _LONE.search(row) else row


def _mended_escape(match: re.Match[bytes]) -> bytes:
    escape = match[0]
    lone = len(escape) == _ESCAPE_CHARS and _LONE.match(escape)
    return b"\\" + escape if lone else escape
