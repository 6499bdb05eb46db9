"""A summary that is within its tokens, found by measuring it.

Cells and entries are shown whole as long as that fits, then fewer of them, and then cut: a cut one
keeps what is short, and says in fields that begin with `$` where it stands, what it left out and
how large it is. What is shown is never changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import Meter
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode

# A framework sends a result twice, as structured content and as text, which it may spread over
# lines: together they stay within what a summary may cost.
SUMMARY_TOKENS: Final = 800
_BUDGET: Final = Budget(tokens=SUMMARY_TOKENS)
_BUDGET_OF_BOTH: Final = Budget(tokens=2_000)


@dataclass(frozen=True, slots=True)
class Cut:
    """How much of a cell is left: fields of at most so many bytes, with so many in all; and how
    many names of those that are not. `spares` is the size up to which a cell stays whole."""

    field_bytes: int = 0
    bytes: int = 0
    names: int = 0
    spares: int = 0


# From the richest to one whose size does not depend on the cell at all.
_CUTS: Final = (
    Cut(field_bytes=80, bytes=200, names=8, spares=240),
    Cut(field_bytes=60, bytes=120, names=4, spares=0),
    Cut(field_bytes=40, bytes=40, names=1),
    Cut(),
)
# What a cut cell says about itself. A field of the author's with such a name is left out of it.
MARKS: Final = ("$at", "$measure", "$omitted", "$omitted_count", "$size")
_MEASURE_BYTES = 40
_NAME_BYTES = 32


@dataclass(frozen=True, slots=True)
class Item:
    """A cell or an entry as it is shown. `at` is where it stands: [row, column] or the index;
    `first` are the fields to keep before all others, because they say the same in words."""

    at: Any
    shown: Any
    measure: Any = None
    first: tuple[str, ...] = field(default=())

    def cut(self, how: Cut) -> Any:
        size = len(encode(self.shown))
        if not isinstance(self.shown, dict) or size <= how.spares:
            return self.shown
        kept = _short(self.shown, self.first, how)
        left_out = [name for name in self.shown if name not in kept]
        stub: dict[str, Any] = {**kept, "$at": self.at}
        if self.measure is not None and len(encode(self.measure)) <= _MEASURE_BYTES:
            stub["$measure"] = self.measure
        named = [name for name in left_out if len(encode(name)) <= _NAME_BYTES]
        stub["$omitted"] = named[: how.names]
        return {**stub, "$omitted_count": len(left_out), "$size": size}


def _short(shown: Mapping[str, Any], first: Iterable[str], how: Cut) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    room = how.bytes
    for name in dict.fromkeys((*(name for name in first if name in shown), *shown)):
        size = len(encode({name: shown[name]}))
        if size <= min(how.field_bytes, room) and name not in MARKS:
            kept[name] = shown[name]
            room -= size
    return {name: kept[name] for name in shown if name in kept}


Form: TypeAlias = Callable[[Item], Any]


def forms() -> Iterator[tuple[Form, bool]]:
    """Ways to show an item, the richest first, and whether it is whole in that way."""
    yield (lambda item: item.shown), True
    for how in _CUTS:
        yield (lambda item, how=how: item.cut(how)), False  # type: ignore[misc]  # a default binds it


def first_fit(payloads: Iterable[dict[str, Any]], meter: Meter) -> dict[str, Any]:
    """The first that is within the tokens of a summary, of some that get smaller; the last fits
    whatever there is to show."""
    payload: dict[str, Any] = {}
    for payload in payloads:
        if fits(payload, meter):
            return payload
    return payload


def fits(payload: Any, meter: Meter) -> bool:
    wire = encode(payload)
    if not _BUDGET.admits(wire, meter):
        return False
    spread = json.dumps(payload, indent=2, ensure_ascii=False)
    return _BUDGET_OF_BOTH.admits(wire + rawjson.string(spread), meter)
