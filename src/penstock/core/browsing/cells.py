"""Rows as an app gets them: large cells are cut, and numbers that JavaScript rounds come as text too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple

import msgspec

from penstock.core.browsing.columns import MOST_MEMBERS
from penstock.core.json import rawjson
from penstock.core.json.pointers import pointer
from penstock.core.model.questions import SQL_DEPTH, ColumnPath, ColumnRef
from penstock.core.results.outline import type_name
from penstock.core.views.focus import Focus

_LONGEST_CELL: Final = 2_000
_LARGEST_OBJECT: Final = 10_000  # with its own large cells cut
PREVIEW_CHARS: Final = 200
_PAIR_BYTES: Final = 12  # of a character that is written as two escapes
KEY: Final = "key"
_SAFE: Final = 2**53
# JSON that may hold a number which JavaScript rounds. Only such JSON is searched for numbers.
_SUSPECT: Final = re.compile(rb"[0-9.]{16}|[0-9][eE]")
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|(-?[0-9][0-9.eE+-]*)', re.DOTALL)


# The members of an object to send, and those of the objects in it. None: all of them.
Keep = Mapping[str, "Keep | None"]


def kept_columns(columns: Iterable[ColumnRef] | None) -> Keep | None:
    """Return what to send of each row. The places of a row that is a list are all sent, because a list
    without some of them would be another list."""
    if columns is None:
        return None
    keep: dict[str, Any] = {}
    for path in ((column,) if isinstance(column, str) else column for column in columns):
        if not all(isinstance(step, str) for step in path) or not path:
            return None
        _keep(keep, path)
    return keep


def _keep(keep: dict[str, Any], path: ColumnPath) -> None:
    first, *rest = path
    if not rest:
        keep[str(first)] = None
    elif keep.setdefault(str(first), {}) is not None:
        _keep(keep[str(first)], tuple(rest))


class CutCell(msgspec.Struct, frozen=True, omit_defaults=True):
    """A cell that is too large to be sent. Only its beginning is sent."""

    row: int
    column: str | None  # `key` is the key of an entry; None is its value, or else the whole row
    path: str
    size: int
    type: str
    steps: ColumnPath = ()  # from the row to the cell, if these are more than the column's name


class Exact(msgspec.Struct, frozen=True, omit_defaults=True):
    """The JSON text of a cell with a number that JavaScript would round."""

    row: int
    column: str | None
    text: str
    steps: ColumnPath = ()


class _Where(NamedTuple):
    """The place of a cell in the reply. Its path is found on demand, because few cells need it."""

    row: int
    find_path: Callable[[], str]
    above: ColumnPath = ()
    key: str | None = None  # `key`, for the key of an entry

    def cell(self, step: str | int) -> _Where:
        return _Where(self.row, lambda: self.find_path() + pointer(step), (*self.above, step))

    @property
    def column(self) -> str | None:
        first = self.above[0] if self.above else self.key
        return first if isinstance(first, str) else None

    @property
    def steps(self) -> ColumnPath:
        """The way from the row to the cell, if the name of a column does not say it."""
        return self.above if len(self.above) > 1 or isinstance([*self.above, ""][0], int) else ()


class ShownRow(msgspec.Struct, frozen=True):
    """One row as it is sent."""

    item: msgspec.Raw
    cuts: tuple[CutCell, ...] = ()
    exact: tuple[Exact, ...] = ()

    @property
    def size(self) -> int:
        """A lower bound of the bytes that the row takes."""
        return len(memoryview(self.item)) + sum(len(cut.path) + 50 for cut in self.cuts)


class RowSource(NamedTuple):
    """One row of a result."""

    focus: Focus
    row: bytes
    number: int  # in the whole result
    place: int  # in the reply

    @property
    def where(self) -> _Where:
        return _Where(self.place, self._path)

    def _path(self) -> str:
        """Return a path with the row's number, even if the entry has a good key. To look up a key, or
        to know that it is unique, would take a look at every entry."""
        return self.focus.row_path(self.number, self.row, by_number=True)

    def key_path(self) -> str:
        return self._path().removesuffix("value") + "key"


def shown(source: RowSource, keep: Keep | None) -> ShownRow:
    """Return a row as it is sent."""
    row, where = source.row, source.where
    if source.focus.shape == "lines":
        return _line(row, where)
    if source.focus.shape != "members":
        return _value(row, where, keep)
    member = rawjson.split_member(row)
    key = _key(source, member.key, _LONGEST_CELL, PREVIEW_CHARS)
    return _member(key, _value(member.value, where, keep))


def as_cut(source: RowSource, chars: int) -> ShownRow:
    """Return the beginning of a row that is too large even with its cells cut."""
    if source.focus.shape != "members":
        return _cut(source.row, source.where, chars)
    member = rawjson.split_member(source.row)
    return _member(_key(source, member.key, chars, chars), _cut(member.value, source.where, chars))


def _member(key: ShownRow, value: ShownRow) -> ShownRow:
    item = b'{"key":' + bytes(key.item) + b',"value":' + bytes(value.item) + b"}"
    return ShownRow(msgspec.Raw(item), (*key.cuts, *value.cuts), value.exact)


def _key(source: RowSource, key: bytes, longest: int, chars: int) -> ShownRow:
    if len(key) <= longest:
        return ShownRow(msgspec.Raw(key))
    return _cut(key, _Where(source.place, source.key_path, key=KEY), chars)


def _line(row: bytes, where: _Where) -> ShownRow:
    text = rawjson.string(rawjson.text(row))
    return ShownRow(msgspec.Raw(text)) if len(row) <= _LONGEST_CELL else _cut(text, where)


def _value(row: bytes, where: _Where, keep: Keep | None) -> ShownRow:
    if row[:1] == b"[" and len(row) > _LONGEST_CELL:
        return _list(row, where)
    if row[:1] != b"{":
        return _cell(row, where)
    is_plain = keep is None and len(row) <= _LONGEST_CELL and not _SUSPECT.search(row)
    return ShownRow(msgspec.Raw(row)) if is_plain else _object(row, where, keep)


def _object(row: bytes, where: _Where, keep: Keep | None) -> ShownRow:
    """Return an object with each of its members as a cell: those to keep."""
    fields = rawjson.fields(row)
    shown = {
        name: _cell(raw, where.cell(name), None if keep is None else keep[name])
        for name, raw in fields.items()
        if keep is None or name in keep
    }
    members = (rawjson.string(name) + b":" + bytes(cell.item) for name, cell in shown.items())
    is_whole = keep is None and not any(cell.cuts for cell in shown.values())
    return _joined(row if is_whole else b"{" + b",".join(members) + b"}", shown.values())


def _list(row: bytes, where: _Where) -> ShownRow:
    """Return a row that is a list with each of its elements as a cell."""
    shown = []
    for place, raw in enumerate(rawjson.elements(row)):
        if place >= MOST_MEMBERS:
            return _cut(row, where)
        shown.append(_cell(raw, where.cell(place)))
    return _joined(b"[" + b",".join(bytes(cell.item) for cell in shown) + b"]", shown)


def _joined(item: bytes, cells: Iterable[ShownRow]) -> ShownRow:
    cuts: list[CutCell] = []
    exact: list[Exact] = []
    for cell in cells:
        cuts += cell.cuts
        exact += cell.exact
    return ShownRow(msgspec.Raw(item), tuple(cuts), tuple(exact))


def _cell(raw: bytes, where: _Where, keep: Keep | None = None) -> ShownRow:
    if raw[:1] == b"{" and (keep is not None or len(raw) > _LONGEST_CELL):
        return _nested(raw, where, keep)
    if len(raw) > _LONGEST_CELL:
        return _cut(raw, where)
    if _SUSPECT.search(raw) and any(map(_is_rounded, _numbers(raw))):
        exact = Exact(where.row, where.column, rawjson.text(raw), where.steps)
        return ShownRow(msgspec.Raw(raw), exact=(exact,))
    return ShownRow(msgspec.Raw(raw))


def _nested(raw: bytes, where: _Where, keep: Keep | None) -> ShownRow:
    """Return an object whose members are columns; cut it if it has too many, or takes too much."""
    is_map = len(where.above) > SQL_DEPTH or len(rawjson.fields(raw)) > MOST_MEMBERS
    if is_map and keep is None:
        return _cut(raw, where)
    shown = _object(raw, where, keep)
    is_large = len(memoryview(shown.item)) > _LARGEST_OBJECT
    return _cut(raw, where) if is_large and keep is None else shown


def _cut(raw: bytes, where: _Where, chars: int = PREVIEW_CHARS) -> ShownRow:
    """Return the beginning of a value: of the text, or of the JSON of anything else."""
    if raw[:1] == b'"':
        start = _beginning(raw)
    else:
        # Enough bytes for so many characters. A character that is cut in two is ignored.
        start = raw[: 6 * PREVIEW_CHARS].decode("utf-8", "ignore")
    path, kind = where.find_path(), type_name(raw)
    cut = CutCell(where.row, where.column, path, len(raw), kind, where.steps)
    return ShownRow(msgspec.Raw(rawjson.string(start[:chars])), (cut,))


def _beginning(raw: bytes) -> str:
    """Return the beginning of a JSON string, without decoding a megabyte of it."""
    # More than is shown, so that a character cut in two at the end is not part of it.
    head = raw[: _PAIR_BYTES * (PREVIEW_CHARS + 2)]
    for end in range(len(head), max(1, len(head) - 16), -1):
        try:
            return str(rawjson.decode(head[:end] + b'"'))
        except ValueError:
            continue  # cut inside an escape or a character
    return ""


def _numbers(raw: bytes) -> list[bytes]:
    return [number for number in _TOKEN.findall(raw) if number]


def _is_rounded(number: bytes) -> bool:
    """Return whether JavaScript, which has only doubles, would read another number."""
    text = number.decode()
    digits = text.lstrip("-")
    if digits.isdigit():
        return len(digits) > len(str(_SAFE)) or int(digits) > _SAFE
    try:
        return Decimal(text) != Decimal(repr(float(text)))
    except InvalidOperation:
        return True
