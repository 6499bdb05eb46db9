"""The first lines of a text: the forms of log entries that they have, and where the first entry is."""

from __future__ import annotations

from typing import Final

import msgspec

from penstock.core.results.formats.logs.lines import FORMS, STAMPED
from penstock.core.results.formats.logs.scan import form_of

_LINES: Final = 200
_BYTES: Final = 256_000
_FEWEST_WEAK: Final = 3
_WEAK_SHARE: Final = 0.05  # of entries, for a weak form beside others
_COMMON: Final = tuple(number for number, form in enumerate(FORMS) if not form.is_uniform)
_UNIFORM: Final = tuple(number for number, form in enumerate(FORMS) if form.is_uniform)
_STAMPED: Final = frozenset(number for number, form in enumerate(FORMS) if form.name in STAMPED)


class LogStart(msgspec.Struct, frozen=True):
    """The start of a log."""

    position: int  # of the first entry
    forms: tuple[int, ...]  # their numbers in the table


def log_start(text: bytes) -> LogStart | None:
    """Return the start of the log in a text, or None if none of its first lines starts an entry."""
    entries = _entries(text)
    counts: dict[int, int] = {}
    for _, number in entries:
        counts[number] = counts.get(number, 0) + 1
    chosen = {one for one in counts if not FORMS[one].is_weak}
    chosen |= {*substantial(counts, len(entries))} if chosen else {*counts}
    if all(FORMS[one].is_companion for one in chosen):
        return None
    first = next(at for at, one in entries if one in chosen and not FORMS[one].is_companion)
    return LogStart(first, tuple(sorted({*chosen, *_uniform(text, entries)})))


def substantial(counts: dict[int, int], entries: int) -> list[int]:
    """Return the weak forms that are common enough to be among others."""
    least = max(_FEWEST_WEAK, _WEAK_SHARE * entries)
    return [one for one, count in counts.items() if FORMS[one].is_weak and count >= least]


def is_doubtful(used: dict[int, int]) -> bool:
    """Return whether a form is among these that every entry with a time should have, and not every
    one has it."""
    return any(one in used for one in _UNIFORM) and not _STAMPED.isdisjoint(used)


def without_uniform(numbers: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(one for one in numbers if one not in _UNIFORM)


def _entries(text: bytes) -> list[tuple[int, int]]:
    """Return the positions of first lines that start entries, and the numbers of their forms."""
    found: list[tuple[int, int]] = []
    position, end = 0, min(len(text), _BYTES)
    for _ in range(_LINES):
        number = form_of(text, position, end, _COMMON)
        if number is not None:
            found.append((position, number))
        after = text.find(b"\n", position, end)
        if after < 0:
            break
        position = after + 1
    return found


def _uniform(text: bytes, entries: list[tuple[int, int]]) -> list[int]:
    """Return the form that says more than a time and a level, if all such entries have it."""
    stamped = [at for at, number in entries if number in _STAMPED]
    for number in _UNIFORM if stamped else ():
        pattern = FORMS[number].pattern
        if all(pattern.match(text, at) for at in stamped):
            return [number]
    return []
