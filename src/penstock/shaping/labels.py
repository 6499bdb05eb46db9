"""The labels of an axis: those of the author, or the indices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.core.json.unboxing import unboxed
from penstock.errors import InvalidSetting
from penstock.shaping import arrays
from penstock.shaping.json_form import plain
from penstock.shaping.problems import kind_name

_HOW = "Give a list or a numpy array of numbers, strings or dates, one for each."


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels that become plain only when shown: of two thousand, a summary shows a few."""

    given: Sequence[Any] | None

    def at(self, index: int) -> Any:
        return index if self.given is None else plain(self.given[index])

    def all(self, count: int) -> Sequence[Any]:
        return range(count) if self.given is None else [plain(label) for label in self.given]


def labels_of(given: Any, count: int, setting: str, *, is_empty: bool) -> Labels:
    """Return the checked labels. A grid without cells (`is_empty`) takes any number of them."""
    if given is None:
        return Labels(None)
    labels = _listed(given, setting)
    if len(labels) != count and not is_empty:
        why = f"there are {len(labels)} labels, and {count} {setting} of cells"
        raise InvalidSetting(setting, kind_name(given), why, next_step=_HOW)
    for kind in set(map(type, labels)):
        if issubclass(kind, Mapping | list | tuple | set | frozenset | bytes | complex):
            why = f"a label cannot be a {kind.__name__}"
            raise InvalidSetting(setting, kind_name(given), why, next_step=_HOW)
    return Labels(labels)


def _listed(given: Any, setting: str) -> Sequence[Any]:
    if arrays.is_array(given) and given.ndim == 1:
        return list(unboxed(given))
    if isinstance(given, str | bytes | Mapping | set) or not isinstance(given, Iterable):
        why = "not a list of labels"
        raise InvalidSetting(setting, kind_name(given), why, next_step=_HOW)
    return given if isinstance(given, list | tuple | range) else list(given)
