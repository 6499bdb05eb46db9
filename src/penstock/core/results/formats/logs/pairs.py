"""The pairs of logfmt: `level=info msg="all good" ms=12`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.results.formats.logs.levels import is_level, level_word
from penstock.core.results.formats.logs.parts import KEY, VALUE
from penstock.core.results.formats.tables.numbers import NumberColumns
from penstock.core.results.formats.tables.records import MISSING, QUOTE

TIME_KEYS: Final = (b"time", b"ts", b"t", b"timestamp", b"@timestamp", b"datetime", b"date")
LEVEL_KEYS: Final = (b"level", b"lvl", b"severity", b"loglevel")
# One of these is in every entry of a log. Settings are pairs too.
_SIGNS: Final = (*TIME_KEYS, *LEVEL_KEYS, b"msg", b"message", b"at")
_PAIR: Final = re.compile(rb"(" + KEY + rb")=(" + VALUE + rb")")
_MOST_PAIRS: Final = 5_000
_MOST_ALIKE: Final = 60  # keys in one pattern
_MOST_KEYS: Final = 1_000  # that may hold numbers
_MOST_NAMED: Final = 200  # keys of numbers, because a reading is small


def pairs_of(line: bytes) -> list[tuple[bytes, bytes]]:
    """Return the keys and values of an entry as they are written, a key that comes again with a
    number."""
    found: list[tuple[bytes, bytes]] = _PAIR.findall(line)
    return found if len(dict(found)) == len(found) else [*_numbered(found)]


def _numbered(pairs: list[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    used = {key for key, _ in pairs}
    numbers: dict[bytes, int] = {}
    for key, value in pairs:
        number = numbers.get(key, 0) + 1
        while number > 1 and key + b"_%d" % number in used:
            number += 1
        numbers[key] = number
        yield key if number == 1 else key + b"_%d" % number, value


@lru_cache(16)
def _alike(keys: tuple[bytes, ...]) -> re.Pattern[bytes]:
    """Return the pattern of entries with the same keys in the same order."""
    pairs = rb"[ ]++".join(re.escape(key) + rb"=(" + VALUE + rb")" for key in keys)
    return re.compile(rb"^" + pairs + rb"()[ ]*+\r?$", re.MULTILINE)


def _by_key(entries: Iterable[bytes]) -> dict[bytes, list[bytes]]:
    values: dict[bytes, list[bytes]] = {}
    for entry in entries:
        for key, value in pairs_of(entry):
            if key in values:
                values[key].append(value)
            else:
                values[key] = [value]
    return values


class PairColumns:
    """The values of each key, over all entries: which keys hold numbers, and which levels there are."""

    def __init__(self) -> None:
        self.entries = 0
        self.is_too_wide = False  # an entry has so many pairs that none is read
        self.levels: Counter[bytes] = Counter()
        self.first_time = b""
        self.last_time = b""
        self._counts: dict[bytes, int] = {}
        self._numbers: dict[bytes, NumberColumns] = {}

    def note(self, entries: Sequence[bytes]) -> None:
        """Take some entries, which are pairs and nothing else."""
        self.entries += len(entries)
        if any(len(entry) > _MOST_PAIRS and entry.count(b"=") > _MOST_PAIRS for entry in entries):
            self.is_too_wide = True
            return
        keys = [key for key, _ in pairs_of(entries[0])]
        is_narrow = len(keys) <= _MOST_ALIKE
        alike = _alike(tuple(keys)).findall(b"\n".join(entries)) if is_narrow else ()
        if len(alike) == len(entries):
            values = {
                key: [*some] for key, some in zip(keys, zip(*alike, strict=True), strict=False)
            }
        else:
            values = _by_key(entries)
        for key, some in values.items():
            self._note_column(key, some)

    def _note_column(self, key: bytes, values: list[bytes]) -> None:
        if key not in self._counts and len(self._counts) >= _MOST_KEYS:
            return
        self._counts[key] = self._counts.get(key, 0) + len(values)
        if key in TIME_KEYS:
            self.first_time = self.first_time or values[0]
            self.last_time = values[-1]
        if key in LEVEL_KEYS:
            for value, count in Counter(values).items():
                self.levels[_level(value)] += count
        column = self._numbers.get(key)
        if column is None:
            column = self._numbers[key] = NumberColumns(1, may_have_commas=True)
        if column.open:
            column.note(values)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The keys that hold numbers. All entries are noted before this is read."""
        found = [key for key, column in self._numbers.items() if column.are_numbers()[0]]
        return tuple(rawjson.text(key) for key in found[:_MOST_NAMED])

    @property
    def marks(self) -> set[bytes]:
        """The texts that stand for missing numbers."""
        named = map(rawjson.utf8, self.numbers)
        return {mark for key in named for mark in self._numbers[key].marks}

    @property
    def is_log(self) -> bool:
        """Whether every entry has one of the keys that logs have."""
        return not self.is_too_wide and any(
            self._counts.get(key, 0) >= self.entries for key in _SIGNS
        )


def pair_fields(line: bytes, numbers: frozenset[str]) -> dict[str, object]:
    """Return the fields of an entry."""
    return {
        (name := rawjson.text(key)): _value(key, value, is_number=name in numbers)
        for key, value in pairs_of(line)
    }


def _value(key: bytes, value: bytes, *, is_number: bool) -> object:
    if is_number:
        digits = value.strip(QUOTE).strip(b" ")
        return None if digits in MISSING else msgspec.Raw(digits)
    if not value:
        return None
    if key in LEVEL_KEYS:
        return rawjson.text(_level(value))
    return unquoted_value(value)


def _level(value: bytes) -> bytes:
    word = value.strip(QUOTE)
    return level_word(word) if is_level(word) else word


def unquoted_value(value: bytes) -> str:
    """Return a value without its quotes and escapes. Escapes that JSON does not know stay."""
    if value[:1] != QUOTE:
        return rawjson.text(value)
    if b"\\" in value:
        try:
            return str(msgspec.json.decode(value, type=str))
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass
    return rawjson.text(value[1:-1])
