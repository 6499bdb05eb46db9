"""Rows as an app gets them: large cells are cut, and numbers that JavaScript rounds come as text too."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NamedTuple

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.pointers import pointer
from penstock.core.results.outline import type_name
from penstock.core.views.focus import Focus

_LONGEST_CELL: Final = 2_000
PREVIEW_CHARS: Final = 200
_PAIR_BYTES: Final = 12  # of a character that is written as two escapes
KEY: Final = "key"
_SAFE: Final = 2**53
# JSON that may hold a number which JavaScript rounds. Only such JSON is searched for numbers.
_SUSPECT: Final = re.compile(rb"[0-9.]{16}|[0-9][eE]")
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|(-?[0-9][0-9.eE+-]*)', re.DOTALL)


class CutCell(msgspec.Struct, frozen=True):
    """A cell that is too large to be sent. Only its beginning is sent."""

    row: int
    column: str | None  # `key` is the key of an entry; None is its value, or else the whole row
    path: str
    size: int
    type: str


class Exact(msgspec.Struct, frozen=True):
    """The JSON text of a cell with a number that JavaScript would round."""

    row: int
    column: str | None
    text: str


class _Where(NamedTuple):
    """The place of a cell in the reply. Its path is found on demand, because few cells need it."""

    row: int
    find_path: Callable[[], str]
    column: str | None = None

    def cell(self, column: str) -> _Where:
        return _Where(self.row, lambda: self.find_path() + pointer(column), column)


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


def shown(source: RowSource, columns: Collection[str] | None) -> ShownRow:
    """Return a row as it is sent."""
    row, where = source.row, source.where
    if source.focus.shape == "lines":
        return _line(row, where)
    if source.focus.shape != "members":
        return _value(row, where, columns)
    member = rawjson.split_member(row)
    key = _key(source, member.key, _LONGEST_CELL, PREVIEW_CHARS)
    return _member(key, _value(member.value, where, columns))


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
    return _cut(key, _Where(source.place, source.key_path, KEY), chars)


def _line(row: bytes, where: _Where) -> ShownRow:
    text = rawjson.string(rawjson.text(row))
    return ShownRow(msgspec.Raw(text)) if len(row) <= _LONGEST_CELL else _cut(text, where)


def _value(row: bytes, where: _Where, columns: Collection[str] | None) -> ShownRow:
    if row[:1] != b"{":
        return _cell(row, where)
    is_plain = columns is None and len(row) <= _LONGEST_CELL and not _SUSPECT.search(row)
    return ShownRow(msgspec.Raw(row)) if is_plain else _object(row, where, columns)


def _object(row: bytes, where: _Where, columns: Collection[str] | None) -> ShownRow:
    members: list[bytes] = []
    cuts: list[CutCell] = []
    exact: list[Exact] = []
    for name, raw in rawjson.fields(row).items():
        if columns is not None and name not in columns:
            continue
        cell = _cell(raw, where.cell(name))
        members.append(rawjson.string(name) + b":" + bytes(cell.item))
        cuts += cell.cuts
        exact += cell.exact
    is_whole = columns is None and not cuts
    item = row if is_whole else b"{" + b",".join(members) + b"}"
    return ShownRow(msgspec.Raw(item), tuple(cuts), tuple(exact))


def _cell(raw: bytes, where: _Where) -> ShownRow:
    if len(raw) > _LONGEST_CELL:
        return _cut(raw, where)
    if _SUSPECT.search(raw) and any(map(_is_rounded, _numbers(raw))):
        return ShownRow(
            msgspec.Raw(raw), exact=(Exact(where.row, where.column, rawjson.text(raw)),)
        )
    return ShownRow(msgspec.Raw(raw))


def _cut(raw: bytes, where: _Where, chars: int = PREVIEW_CHARS) -> ShownRow:
    """Return the beginning of a value: of the text, or of the JSON of anything else."""
    if raw[:1] == b'"':
        start = _beginning(raw)
    else:
        # Enough bytes for so many characters. A character that is cut in two is ignored.
        start = raw[: 6 * PREVIEW_CHARS].decode("utf-8", "ignore")
    cut = CutCell(where.row, where.column, where.find_path(), len(raw), type_name(raw))
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


def column_types(rows: Collection[bytes], known: dict[str, str]) -> list[dict[str, Any]]:
    """Return the columns of some objects in order of appearance, then the rest of `known`."""
    types: dict[str, dict[str, None]] = {}
    for row in rows:
        for name, raw in rawjson.fields(row).items() if row[:1] == b"{" else ():
            kind = "date" if _is_date(raw) else type_name(raw)
            types.setdefault(name, {})[kind] = None
    told = {name: _joined(kinds) for name, kinds in types.items()}
    told |= {
        name: "dict" if "{" in kind else kind for name, kind in known.items() if name not in told
    }
    return [{"name": name, "type": kind} for name, kind in told.items()]


def _joined(kinds: Collection[str]) -> str:
    """Return the types of a column as one text, with `null` only if there is no other type."""
    return "|".join([kind for kind in kinds if kind != "null"] or ["null"])


_DATE: Final = re.compile(
    rb'"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}[0-9:.]*(Z|[+-][0-9:]+)?)?"'
)


def _is_date(raw: bytes) -> bool:
    return raw[:1] == b'"' and _DATE.fullmatch(raw) is not None
