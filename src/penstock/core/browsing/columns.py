"""The columns of rows as the explorer shows them, and the kind of each.

The columns are those of SQL: the members of a nested object are columns with dotted names, and so
are the places of rows that are lists. A list in a row is one column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.model.column_names import name_of
from penstock.core.model.epochs import MOSTLY, TIMES_IN, EpochUnit, epoch_unit, is_epoch_text
from penstock.core.model.questions import SQL_DEPTH, ColumnPath, KnownColumn
from penstock.core.model.times import is_time
from penstock.core.results.outline import type_name

# An object with more members than these, or a longer list, is one cell: it is a map or a vector.
MOST_MEMBERS: Final = 100
_KEY: Final = "key"


class ShownColumn(msgspec.Struct, frozen=True, omit_defaults=True):
    """A column. `path` leads from a row to its cell, and is left out if it is just the name."""

    name: str
    type: str
    path: ColumnPath | None = None
    epoch: EpochUnit | None = None  # set if the numbers are times: what they count since 1970


Types = dict[str, None]
Cells = dict[ColumnPath, list[bytes]]


def columns_of(
    rows: Sequence[bytes],
    known: Mapping[str, str],
    names: Sequence[str] = (),
    *,
    is_member: bool = False,
) -> list[ShownColumn]:
    """Return the columns of the first rows, then those that are only `known` from later rows.

    `known`: types by name. `names`: of the places of rows that are lists. `is_member`: the rows are
    the values of a dict, whose keys are a column too."""
    found = _without_maps(_cells_of(rows))
    types = {path: _types(path, cells, known) for path, cells in found.items()}
    types |= _of_later_rows(found, known)
    labels = _labels(types, names, taken=[_KEY] if is_member else [])
    return [
        _column(label, path, kind, found.get(path, ()), is_member=is_member)
        for label, (path, kind) in zip(labels, types.items(), strict=True)
    ]


def columns_of_all_rows(
    known: Sequence[KnownColumn], names: Sequence[str] = (), *, is_member: bool = False
) -> list[ShownColumn]:
    """Return the columns of a table as all its rows have them, as `columns_of` would.

    The type of a column is empty if the worker had no time to look at its cells."""
    paths = [column.path for column in known]
    maps, above = _maps_among(paths), _above(paths)
    kept: dict[ColumnPath, KnownColumn] = {}
    for column in known:
        path = column.path
        if path[:1] in maps:
            kept[path[:1]] = KnownColumn(path[:1], ("dict",))
        elif path not in above or not column.kinds or not {"null", "dict"}.issuperset(column.kinds):
            kept[path] = column
    labels = _labels(kept, names, taken=[_KEY] if is_member else [])
    return [
        _shown(
            label,
            path,
            _told(column.kinds) if column.kinds else "",
            column.epoch,
            is_member=is_member,
        )
        for label, (path, column) in zip(labels, kept.items(), strict=True)
    ]


def _column(
    name: str, path: ColumnPath, kind: str, cells: Collection[bytes], *, is_member: bool
) -> ShownColumn:
    unit = _epoch_unit(name, cells) if kind in _NUMBERS or kind == "str" else None
    return _shown(name, path, kind, unit, is_member=is_member)


def _shown(
    name: str, path: ColumnPath, kind: str, unit: EpochUnit | None, *, is_member: bool
) -> ShownColumn:
    is_named = path == (name,) and not is_member
    return ShownColumn(name, "date" if unit else kind, None if is_named else path, unit)


def _epoch_unit(name: str, cells: Iterable[bytes]) -> EpochUnit | None:
    """Return the unit in which nearly all numbers of a column are times, or None: 0 may stand for a
    time that is not known."""
    found = [rawjson.text(cell) for cell in cells if cell != b"null"]
    texts = [cell[1:-1] for cell in found if cell[:1] == '"']
    if not all(map(is_epoch_text, texts)):
        return None
    units = [epoch_unit(name, float(cell.strip('"'))) for cell in found]
    return next((unit for unit in TIMES_IN if units.count(unit) >= MOSTLY * len(units) > 0), None)


_NUMBERS: Final = ("int", "float", "int|float", "float|int")


def _cells_of(rows: Sequence[bytes]) -> Cells:
    """Return the cells of rows by their paths, in the order in which the rows show them."""
    found: Cells = {}
    firsts = {row[:1] for row in rows}
    if firsts == {b"["}:
        return _cells_of_lists(rows)
    if rows and not firsts & {b"{", b"["}:
        return {(): list(rows)}  # single values, such as numbers
    for row in rows:
        for name, value in rawjson.fields(row).items() if row[:1] == b"{" else ():
            _put(found, (name,), value)
    return found


def _cells_of_lists(rows: Sequence[bytes]) -> Cells:
    found: Cells = {}
    for row in rows:
        for place, item in enumerate(rawjson.elements(row)):
            if place >= MOST_MEMBERS:
                return {}
            _put(found, (place,), item)
    return found


def _put(found: Cells, path: ColumnPath, raw: bytes) -> None:
    members = rawjson.fields(raw) if raw[:1] == b"{" and len(path) <= SQL_DEPTH else {}
    if not 0 < len(members) <= MOST_MEMBERS:
        found.setdefault(path, []).append(raw)
        return
    for name, value in members.items():
        _put(found, (*path, name), value)


def _without_maps(found: Cells) -> Cells:
    """Make one column of each object with too many members. Drop a column that is only missing where
    other rows have an object: SQL shows nothing there either."""
    maps, above = _maps_among(found), _above(found)
    kept: Cells = {}
    for path, cells in found.items():
        if path[:1] in maps:
            kept.setdefault(path[:1], []).extend([b"{}"] if len(path) > 1 else cells)
        elif path not in above or not _NOTHING.issuperset(cells):
            kept[path] = cells
    return kept


def _maps_among(paths: Iterable[ColumnPath]) -> set[ColumnPath]:
    """Return the columns whose objects have too many members."""
    nested = Counter(path[:1] for path in paths if len(path) > 1)
    return {path for path, members in nested.items() if members > MOST_MEMBERS}


def _above(paths: Iterable[ColumnPath]) -> set[ColumnPath]:
    """Return the paths at which some rows have objects."""
    return {path[:depth] for path in paths for depth in range(1, len(path))}


_NOTHING: Final = frozenset({b"null", b"{}"})


def _types(path: ColumnPath, cells: Iterable[bytes], known: Mapping[str, str]) -> str:
    """Return the types of a column as one text, with `null` only if there is no other type."""
    types: Types = {}
    for raw in cells:
        types["date" if _is_date(raw) else type_name(raw)] = None
    for kind in _PLAIN.findall(known.get(str(path[0]), "")) if len(path) == 1 else ():
        if kind != "str" or "date" not in types:  # a date is known as a text
            types[kind] = None
    return _told(types)


def _told(kinds: Iterable[str]) -> str:
    return "|".join([kind for kind in kinds if kind != "null"] or ["null"])


def _of_later_rows(found: Cells, known: Mapping[str, str]) -> dict[ColumnPath, str]:
    """Return the columns that the first rows do not have, or have only as objects."""
    tops = {path[:1] for path in found}
    later: dict[ColumnPath, str] = {}
    for name, told in known.items():
        plain = "|".join(_PLAIN.findall(told))
        if (name,) not in tops:
            later[(name,)] = plain or ("dict" if "{" in told else told)
        elif plain and (name,) not in found:
            later[(name,)] = plain
    return later


# The types of a column as the store knows them. An object is there as its keys: `int|{a, b}`.
_PLAIN: Final = re.compile(r"(?:^|(?<=\|))(?:str|int|float|bool|list)(?=$|\|| \()")


def _labels(paths: Iterable[ColumnPath], names: Sequence[str], taken: Collection[str]) -> list[str]:
    """Return the names of columns, each only once. A name that comes again gets `_2`, `_3`, ..."""
    labels = dict.fromkeys(taken)
    for path in paths:
        name = label = name_of(path, names)
        number = 2
        while label in labels:
            label, number = f"{name}_{number}", number + 1
        labels[label] = None
    return list(labels)[len(taken) :]


def _is_date(raw: bytes) -> bool:
    return raw[:1] == b'"' and is_time(rawjson.text(raw[1:-1]))
