"""The sample of a document's rows, taken for the probe while the rows stream into the store."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from penstock.core.budget.fitting import clip
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.json.pointers import unescaped
from penstock.core.json.surrogates import has_half_pair
from penstock.core.model.questions import SQL_COLUMNS, SQL_DEPTH
from penstock.core.results.document import Document
from penstock.core.results.formats import JSON
from penstock.core.results.formats.tables.headers import looks_like_number
from penstock.core.results.outline import (
    alike,
    list_tables,
    outline,
    outline_members,
    outline_rows,
    type_name,
)

_SAMPLE_OF_FIRST = 100
_MOST_COLUMNS = 500
_LONGEST_NAME = 200
_LONGEST_TYPE = 80
_LONGEST_SAMPLE = 24
_NOTHING = (b"null", b'""')
_NUMBERS_AS_TEXT = "str (numbers as text)"
_LEADING_ZERO = re.compile(r"0\d")  # of a code
_LARGEST_OUTLINED = 50_000_000


class Sample(msgspec.Struct):
    """A sample: the first rows, and the columns of these and of one row of each later block."""

    is_text: bool = False  # rows are lines, and have no columns
    decode: Callable[[list[bytes]], list[bytes]] | None = None  # rows are parts of a text
    has_free_cells: bool = False  # as in `formats.TextFormat`
    first: list[bytes] = []  # msgspec copies the default
    values: list[bytes] = []  # the same, decoded
    columns: dict[str, dict[str, str]] = {}  # by name: each type that occurs, and how to show it
    further: set[str] = set()  # the names of other columns, which are only counted
    is_all: bool = True  # `first` holds every row

    def watch(self, blocks: Iterable[list[bytes]]) -> Iterator[list[bytes]]:
        """Yield the blocks unchanged, and take the sample from them."""
        for block in blocks:
            room = max(0, _SAMPLE_OF_FIRST - len(self.first))
            self.first += block[:room]
            self.is_all = self.is_all and len(block) <= room
            noted = block[: max(1, room)]
            values = noted if self.decode is None else self.decode(noted)
            self.values += values[:room]
            for row in values:
                self._note(row)
            yield block

    def _note(self, row: bytes) -> None:
        if self.is_text or row[:1] != b"{":
            return
        for name, value in rawjson.fields(row).items():
            types = self.columns.get(name)
            if types is None and name not in self.further:
                types = self._noted(name)
            if types is not None:
                self._note_type(types, value)

    def _noted(self, name: str) -> dict[str, str] | None:
        """Return the types of a new column, or None if there are too many columns to keep it."""
        if len(self.columns) < _MOST_COLUMNS and _is_name(name):
            return self.columns.setdefault(name, {})
        self.further.add(name)
        return None

    def _note_type(self, types: dict[str, str], value: bytes) -> None:
        """Note the type of a value. For objects, note the keys of the first: SQL columns."""
        kind = type_name(value)
        if kind not in types:
            keys = kind == "dict" and len(value) > len("{}")
            types[kind] = _keys_of(value) if keys else kind

    def column_types(self) -> dict[str, str]:
        """Return the types of each column. `null` appears only if a column has no other value."""
        types = {
            name: "|".join([shown for kind, shown in kinds.items() if kind != "null"] or ["null"])
            for name, kinds in self.columns.items()
        }
        return types | dict.fromkeys(self._texts_like_numbers(), _NUMBERS_AS_TEXT)

    def _texts_like_numbers(self) -> list[str]:
        """Return the columns of a table whose texts are mostly numbers, as people write them: SQL
        compares these as texts."""
        if not self.has_free_cells:
            return []
        likes: dict[str, list[bool]] = {}
        for row in self._objects():
            for name, value in rawjson.fields(row).items():
                if value not in _NOTHING and name in self.columns:
                    is_text = value[:1] == b'"'
                    likes.setdefault(name, []).append(is_text and _is_like_number(value))
        return [name for name, found in likes.items() if 2 * sum(found) > len(found)]

    def samples(self) -> dict[str, str]:
        """Return a value of each column, from the first rows that have one."""
        found: dict[str, str] = {}
        for row in self._objects():
            for name, value in rawjson.fields(row).items():
                if name in self.columns and name not in found and value not in _NOTHING:
                    shown = rawjson.decode(value) if value[:1] == b'"' else value.decode()
                    found[name] = _kept(clip(shown, _LONGEST_SAMPLE))
        return found

    def sql_columns(self, document: Document) -> int:
        """Return how many columns SQL has, as far as the sample shows: a nested object has one for each
        of its members."""
        flat = len(self.columns) + len(self.further)
        if document.shape == "rows":
            rows = self.values
        elif self.uniform(document):
            rows = [*map(_value_of_member, self.values)]
        else:
            return 0
        # A column has a colon in some row, so few colons prove that there are few columns.
        if flat > SQL_COLUMNS or sum(row.count(b'":') for row in rows) <= SQL_COLUMNS:
            return flat
        found: set[tuple[str, ...]] = set()
        for row in rows:
            if row[:1] == b"{":
                found.update(_paths((), row))
        return max(flat, len(found))

    def _objects(self) -> list[bytes]:
        return [row for row in self.values if row[:1] == b"{"]

    def uniform(self, document: Document) -> bool:
        """Return whether the members of a dict are alike, so that SQL can read them as a table."""
        if document.shape != "members":
            return False
        return alike([rawjson.split_member(row).value for row in self.values])

    def has_tables(self, document: Document) -> bool:
        """Return whether the dict has lists that SQL can read as tables."""
        return document.shape == "members" and bool(list_tables(self.values))

    def preview(self, document: Document, chars: int) -> str:
        """Return the first characters of the value: of JSON in its compact form, of a text with other
        data as it is."""
        is_shown_as_value = document.format == JSON or document.has_text_blocks
        frame = document.frame if is_shown_as_value else document
        rows, joint = (self.values, b",") if is_shown_as_value else (self.first, document.joint)
        start = frame.prefix
        for number, row in enumerate(rows):
            start += (joint if number else b"") + row
            if len(start) > 4 * chars:
                break
        else:
            start += frame.suffix if self.is_all else b""
        text = start.decode("utf-8", "surrogatepass" if _whole(start) else "ignore")[:chars]
        return _kept(text)

    def outline(self, document: Document, count: int) -> bytes:
        """Return the outline of a nested value, or null for flat rows, which have columns."""
        if document.shape == "members" and sum(map(len, self.values)) <= _LARGEST_OUTLINED:
            return encode(outline_members([*map(rawjson.split_member, self.values)], count))
        if document.shape == "rows" and document.list_path:
            return encode(self._around_rows(document, count))
        return b"null"

    def _around_rows(self, document: Document, count: int) -> Any:
        shape = outline(document.envelope)
        name = unescaped(document.list_path.removeprefix("/"))
        if isinstance(shape, dict) and name in shape:
            return {**shape, name: outline_rows(self.values[0] if self.values else None, count)}
        return shape


def _value_of_member(row: bytes) -> bytes:
    return rawjson.split_member(row).value


def _paths(above: tuple[str, ...], value: bytes) -> Iterator[tuple[str, ...]]:
    """Yield the path of each value in an object that is not an object itself."""
    for name, below in rawjson.fields(value).items():
        if below[:1] == b"{" and below != b"{}" and len(above) < SQL_DEPTH:
            yield from _paths((*above, name), below)
        else:
            yield (*above, name)


def _is_like_number(value: bytes) -> bool:
    text = str(rawjson.decode(value)).strip()
    return looks_like_number(text) and not _LEADING_ZERO.match(text)


def _keys_of(value: bytes) -> str:
    return _kept(clip(str(outline(value, depth=0)), _LONGEST_TYPE))


def _kept(text: str) -> str:
    """Replace halves of surrogate pairs, which a head cannot hold."""
    return text.encode("utf-8", "replace").decode()


def _is_name(name: str) -> bool:
    """Return whether a column's name is short enough to show, and a head can hold it."""
    return len(name) <= _LONGEST_NAME and not has_half_pair(name)


def _whole(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True
