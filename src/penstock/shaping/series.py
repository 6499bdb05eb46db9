"""What runs along one axis: a few entries and a chart in a summary, every entry on demand."""

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
# The fields of the two forms beside the entries, whose name must be another.
OWN_FIELDS: Final = ("output", "ascii_summary", "total", "returned", "omitted", "indices")
_LONGEST_NAME = 64


@dataclass(frozen=True, eq=False)
class Series(Generic[Entry]):
    """Entries in order, with the name under which they are shown.

    `entries`: dataclasses, named tuples, pydantic, attrs or msgspec objects, dicts or numbers, as a
    list or any iterable; a numpy array with one dimension; a mapping of field names to such arrays;
    or a pandas or polars frame. `axis` names the field that they run along; `value` the number that
    is drawn and sampled by, otherwise the first field that is a number. A dotted path reaches inside
    a field. `sampling`: "even", or by form, "lttb" or "minmax", which need the `shaping` extra.

    Checked and pooled when it is built; a list is not copied, an iterable is read once.
    """

    entries: Iterable[Entry | None] | Mapping[str, Any] = field(repr=False)
    _: KW_ONLY
    axis: str | None = None
    name: str = "entries"
    value: str | None = None
    sampling: Sampling = "even"

    def __post_init__(self) -> None:
        self._check_names()
        require_library(self.sampling)
        self._check_fields()
        _ = self._envelope

    def summary(self) -> dict[str, Any]:
        """At most 12 entries, which are `indices` of all, and a chart; at most `SUMMARY_TOKENS`."""
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
        """From the richest on: fewer entries before cut ones, and never fewer than the two ends."""
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
        """Those that were shown on trial: a fat one is encoded once."""
        return {}

    @cached_property
    def _choose(self) -> Choose:
        return chooser(self._entries, self.sampling, self._value, self.axis)

    @cached_property
    def _entries(self) -> Entries:
        return entries_of(self.entries)

    @cached_property
    def _value(self) -> str | None:
        """What is drawn: as named, or the first field of the first entry that is a number."""
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
            why = f"needs a number to go by, and no field is one. There are: {listed(names)}"
            how = "Name one with `value`; a dotted path reaches inside a field."
            raise InvalidSetting("sampling", self.sampling, why, next_step=how)

    def _has(self, path: str) -> bool:
        """Whether some entry has it; nearly always the first."""
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
            raise InvalidSetting("name", self.name, "is a field of every summary")
        if self.sampling not in get_args(Sampling):
            how = 'Write "even", "lttb" or "minmax".'
            raise InvalidSetting("sampling", self.sampling, "is not known", next_step=how)


def _is_there(entry: Any) -> bool:
    return entry is not None


def _shown(entry: Any) -> Any:
    return {VALUE: plain(entry)} if is_number(entry) else plain(entry)
