"""Entries along one axis: a summary of a few entries and a chart, and every entry on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, Final, Generic, TypeVar, get_args

from penstock.core.budget.measure import default_meter
from penstock.errors import InvalidSetting
from penstock.shaping.chart import Ends, chart
from penstock.shaping.entries import Entries, entries_of
from penstock.shaping.envelope import Stretch, envelope
from penstock.shaping.fitting import Item, first_fit, forms
from penstock.shaping.json_form import plain
from penstock.shaping.problems import clipped, listed, no_such_field
from penstock.shaping.records import MISSING, VALUE, is_number, lookup
from penstock.shaping.sampling import Choose, Sampling, chooser, require_library

Entry = TypeVar("Entry")

MOST_ENTRIES: Final = 12
# The other fields of the two forms. The entries must have a different name.
OWN_FIELDS: Final = ("output", "ascii_summary", "total", "returned", "omitted", "indices")
_LONGEST_NAME = 64


@dataclass(frozen=True, eq=False)
class Series(Generic[Entry]):
    """Entries in order.

    Building a series checks and pools the entries. It does not copy a list, and reads any other
    iterable once. In `axis` and `value`, a dotted path reaches inside a field.
    """

    # Dataclasses, named tuples, pydantic, attrs or msgspec objects, dicts or numbers, in a list or
    # any iterable; a one-dimensional numpy array; a mapping of field names to such arrays; or a
    # pandas or polars frame.
    entries: Iterable[Entry | None] | Mapping[str, Any] = field(repr=False)
    _: KW_ONLY
    axis: str | None = None  # the field that the entries run along
    name: str = "entries"  # the name of the entries in both forms
    value: str | None = None  # the number to draw and sample by; by default the first numeric field
    sampling: Sampling = "even"  # "lttb" and "minmax" keep the shape, and need the `shaping` extra.

    def __post_init__(self) -> None:
        self._check_names()
        require_library(self.sampling)
        self._check_fields()
        _ = self._envelope

    def summary(self) -> dict[str, Any]:
        """Return at most 12 entries, their `indices` and a chart, in at most `SUMMARY_TOKENS`."""
        return first_fit(self._summaries(), default_meter())

    def full(self) -> dict[str, Any]:
        entries = self._entries
        return {
            "output": "full",
            self.name: [_shown(entries.at(index)) for index in range(entries.count)],
            "ascii_summary": self._chart,
            "total": entries.count,
        }

    def _summaries(self) -> Iterator[dict[str, Any]]:
        """Yield summaries, the richest first: fewer entries, at least both ends, before cut ones."""
        count = self._entries.count
        for form, _ in forms():
            for most in range(min(MOST_ENTRIES, count), min(2, count) - 1, -1):
                items = [self._item(index) for index in self._choose(most)]
                shown = [form(item) for item in items]
                pairs = zip(shown, items, strict=True)
                whole = sum(one is item.shown for one, item in pairs)
                yield self._payload(shown, [item.at for item in items], whole)

    def _payload(self, shown: list[Any], indices: list[int], returned: int) -> dict[str, Any]:
        total = self._entries.count
        return {
            "output": "summary",
            self.name: shown,
            "indices": indices,
            "ascii_summary": self._chart,
            "total": total,
            "returned": returned,
            "omitted": total - returned,
        }

    def _item(self, index: int) -> Item:
        if index not in self._items:
            entry = self._entries.at(index)
            found = MISSING if self._value is None else lookup(entry, self._value)
            measure = plain(found) if is_number(found) else None
            first = () if self.axis is None else (self.axis,)
            self._items[index] = Item(index, _shown(entry), measure, first)
        return self._items[index]

    @cached_property
    def _items(self) -> dict[int, Item]:
        """A cache of the items that were tried, so that a large one is encoded once."""
        return {}

    @cached_property
    def _choose(self) -> Choose:
        return chooser(self._entries, self.sampling, self._value, self.axis)

    @cached_property
    def _entries(self) -> Entries:
        return entries_of(self.entries)

    @cached_property
    def _value(self) -> str | None:
        """The field to draw: the named one, or the first numeric field of the first entry."""
        entries = self._entries
        if self.value is not None or not entries.count:
            return self.value
        first = next(filter(_is_there, map(entries.at, range(entries.count))), None)
        names = (name for name in entries.names() if name != self.axis)
        return next((name for name in names if is_number(lookup(first, name))), None)

    @cached_property
    def _envelope(self) -> list[Stretch]:
        if self._value is None:
            self._entries.check()
            return []
        return envelope(self._entries, self._value, is_asked_for=self.value is not None)

    @cached_property
    def _chart(self) -> str:
        count = self._entries.count
        if not count:
            return "no entries"
        if self._value is None:
            return f"{count:,} entries, without a number to draw"
        ends = Ends(self.axis or "index", self._along(0), self._along(count - 1), count)
        return chart(self._envelope, self._value, ends, default_meter())

    def _along(self, index: int) -> Any:
        if self.axis is None:
            return index
        found = lookup(self._entries.at(index), self.axis)
        return "?" if found is MISSING else plain(found)

    def _check_fields(self) -> None:
        names = self._entries.names()
        for setting in ("axis", "value"):
            path = getattr(self, setting)
            if path is not None and names and not self._has(path):
                raise no_such_field(setting, path, names)
        if self.sampling != "even" and names and self._value is None:
            why = f"needs a numeric field, but there is none. There are: {listed(names)}"
            how = "Name one with `value`; a dotted path reaches inside a field."
            raise InvalidSetting("sampling", self.sampling, why, next_step=how)

    def _has(self, path: str) -> bool:
        """Return whether any entry has the field; nearly always the first has it."""
        entries = self._entries
        return any(lookup(entries.at(index), path) is not MISSING for index in range(entries.count))

    def _check_names(self) -> None:
        for setting in ("axis", "value"):
            given = getattr(self, setting)
            if given is not None and not (isinstance(given, str) and given):
                raise InvalidSetting(setting, clipped(repr(given), 40), "must be a name")
        if not 0 < len(str(self.name)) <= _LONGEST_NAME:
            why = f"must be a name of 1 to {_LONGEST_NAME} characters"
            raise InvalidSetting("name", clipped(repr(self.name), 40), why)
        if self.name in OWN_FIELDS:
            raise InvalidSetting("name", self.name, "is reserved for a summary's own field")
        if self.sampling not in get_args(Sampling):
            how = 'Write "even", "lttb" or "minmax".'
            raise InvalidSetting("sampling", self.sampling, "is not known", next_step=how)


def _is_there(entry: Any) -> bool:
    return entry is not None


def _shown(entry: Any) -> Any:
    return {VALUE: plain(entry)} if is_number(entry) else plain(entry)
