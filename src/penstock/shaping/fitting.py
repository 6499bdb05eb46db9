"""The search for a summary that fits its tokens, by measuring.

Cells and entries are shown whole if they fit, then fewer of them, then cut ones. A cut cell keeps
its short fields. Its extra fields, which begin with `$`, give its position, the names of omitted
fields and its full size. Values are never changed.
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

SUMMARY_TOKENS: Final = 800
_BUDGET: Final = Budget(tokens=SUMMARY_TOKENS)
# A framework sends a result twice: as structured content, and as text that may be indented.
_BUDGET_OF_BOTH: Final = Budget(tokens=2_000)


@dataclass(frozen=True, slots=True)
class Cut:
    """The limits of a cut cell."""

    field_bytes: int = 0  # the most bytes of a field that is kept
    bytes: int = 0  # the most bytes of all kept fields
    names: int = 0  # how many omitted fields are named
    spares: int = 0  # A cell of at most this size stays whole.


# From the richest cut to one whose size does not depend on the cell.
_CUTS: Final = (
    Cut(field_bytes=80, bytes=200, names=8, spares=240),
    Cut(field_bytes=60, bytes=120, names=4, spares=0),
    Cut(field_bytes=40, bytes=40, names=1),
    Cut(),
)
# The fields that a cut cell adds. It leaves out the author's fields of these names.
MARKS: Final = ("$at", "$measure", "$omitted", "$omitted_count", "$size")
_MEASURE_BYTES = 40
_NAME_BYTES = 32


@dataclass(frozen=True, slots=True)
class Item:
    """A cell or an entry as it is shown."""

    at: Any  # its position: [row, column], or the index
    shown: Any
    measure: Any = None
    first: tuple[str, ...] = field(default=())  # fields to keep first: they name the position

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
    """Yield the ways to show an item, the richest first, and whether each shows it whole."""
    yield (lambda item: item.shown), True
    for how in _CUTS:
        yield (lambda item, how=how: item.cut(how)), False  # type: ignore[misc]  # a default binds it


def first_fit(payloads: Iterable[dict[str, Any]], meter: Meter) -> dict[str, Any]:
    """Return the first payload that fits a summary. Payloads get smaller, and the last one always
    fits."""
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
