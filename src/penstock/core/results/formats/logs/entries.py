"""The entries of a log as JSON, and the contents of a log for its probe."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from penstock.core.budget.fitting import clip
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.results.formats.contents import contents_of
from penstock.core.results.formats.logs.levels import SEVERITIES, level_word
from penstock.core.results.formats.logs.lines import FORMS, LOGFMT, STAMPED
from penstock.core.results.formats.logs.pairs import pair_fields, unquoted_value
from penstock.core.results.formats.logs.parts import NUMBERS, RARE, LineForm
from penstock.core.results.formats.logs.scan import EntryScan
from penstock.core.results.formats.logs.times import iso

_FORM: Final = {form.name: form for form in FORMS}
_SEVERITY_BITS: Final = 3
_MOST_LEVELS: Final = 20
_LONGEST_NAME: Final = 40


class LogReading(msgspec.Struct, frozen=True):
    """The facts that decoding an entry needs."""

    forms: tuple[str, ...]  # that entries have, in the order of the table
    numbers: tuple[str, ...] = ()  # the keys of pairs that hold numbers


class EntryDecoder:
    """A reader of entries."""

    def __init__(self, reading: LogReading) -> None:
        forms = [_FORM[name] for name in reading.forms]
        self._forms = [(form, form.pattern.match, tuple(form.pattern.groupindex)) for form in forms]
        self._numbers = frozenset(reading.numbers)
        self._may_lack_level = {*STAMPED} <= {*reading.forms}

    def encoded(self, row: bytes) -> bytes:
        """Return an entry as compact JSON."""
        for form, match, names in self._forms:
            found = match(row)
            if found is not None:
                rest = row[found.end() :].rstrip(b"\r\n")
                return encode({**self._start(form, names, found), **_rest(form, rest)})
        return encode({"message": rawjson.text(row)})  # no row of a log is without a form

    def _start(
        self, form: LineForm, names: Sequence[str], found: re.Match[bytes]
    ) -> dict[str, Any]:
        """Return the fields before the message."""
        if form.name == LOGFMT:
            return pair_fields(found[0], self._numbers)
        fields: dict[str, Any] = {}
        for name, written in zip(names, found.groups(), strict=True):
            if not written:
                if name not in RARE:
                    fields[name] = None
            elif name in NUMBERS:
                fields[name] = msgspec.Raw(written)
            elif name in _MADE:
                fields |= _MADE[name](written)
            else:
                fields[name] = rawjson.text(written.strip())
        if self._may_lack_level and form.name in STAMPED:
            fields.setdefault("level", None)
        return fields


def _severity(priority: bytes) -> str:
    return SEVERITIES[int(priority) % len(SEVERITIES)].decode()


_MADE: Final[Mapping[str, Callable[[bytes], dict[str, Any]]]] = {
    "time": lambda written: {"time": iso(written).decode()},
    "seconds": lambda written: {"time": msgspec.Raw(written)},
    "level": lambda written: {"level": level_word(written).decode()},
    "priority": lambda written: {
        "level": _severity(written),
        "facility": int(written) >> _SEVERITY_BITS,
    },
}


def _rest(form: LineForm, rest: bytes) -> dict[str, Any]:
    """Return the message. Lines after an entry that has none are its continuation."""
    if form.has_message:
        return {"message": rawjson.text(rest)}
    lines = rest.lstrip(b"\r\n")
    return {"continuation": rawjson.text(lines)} if lines.strip() else {}


# -- the contents ------------------------------------------------------------------------------


def contents_of_log(found: EntryScan) -> tuple[bytes, ...]:
    """Return the times of the first and the last entry, and how many entries have each level, or a
    status of each class."""
    told: dict[str, Any] = {}
    first, last = _time(found, is_first=True), _time(found, is_first=False)
    if first is not None:
        told["time"] = {"first": first, "last": last}
    levels = _levels(found)
    if levels:
        told["levels"] = dict([*levels.items()][:_MOST_LEVELS])
    if len(levels) > _MOST_LEVELS:
        told["levels_omitted"] = len(levels) - _MOST_LEVELS
    if found.statuses:
        counts = sorted(found.statuses.items())
        told["statuses"] = {f"{digit.decode()}xx": count for digit, count in counts}
    return contents_of(told=told) if told else ()


def _time(found: EntryScan, *, is_first: bool) -> str | None:
    """Return the time of the first or the last entry that has one."""
    stamp = found.first_time if is_first else found.last_time
    if stamp:
        return iso(stamp).decode()
    written = found.pairs.first_time if is_first else found.pairs.last_time
    return clip(unquoted_value(written), _LONGEST_NAME) if written else None


def _levels(found: EntryScan) -> dict[str, int]:
    """Return the counts of levels, the most common first."""
    counts: dict[str, int] = {}
    for (number, written), count in found.levels.items():
        is_priority = b"<priority>" in FORMS[number].source
        word = _severity(written) if is_priority else level_word(written).decode()
        counts[word] = counts.get(word, 0) + count
    for value, count in found.pairs.levels.items():
        word = clip(rawjson.text(value), _LONGEST_NAME)
        counts[word] = counts.get(word, 0) + count
    return dict(sorted(counts.items(), key=lambda one: -one[1]))
