"""The choice of rows when not all fit.

Every choice skips a row that is too large for a payload of its own. Of the other rows:

- `first`, `largest` and `smallest` sort the rows and keep as many as fit from the start. Each row
  adds to the size, so no larger number fits.
- `spread` takes n places, evenly spaced from the first row to the last. If the row at a place is
  skipped, the next usable row takes its place, or the last usable row if none follows. All rows
  stay if all fit; otherwise n places fit and n + 1 do not. Because n and n + 1 places are different
  rows, some larger n may fit too if the sizes vary much.

The same holds for a limit in tokens, although a longer text can have fewer tokens: the kept rows
fit, and one more does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from penstock.errors import InvalidSetting
from penstock.shaping.sampling import evenly
from penstock.widgets.fit_lines import Lines
from penstock.widgets.fit_ranking import ranked
from penstock.widgets.rows import RowTable

CHOICES: Final = ("first", "spread", "largest", "smallest")
_RANKED: Final = ("largest", "smallest")
_MOST_NAMED = 20


def check_choice(choose: Any, by: Any) -> None:
    if choose not in CHOICES:
        advice = f"Use one of: {', '.join(CHOICES)}."
        raise InvalidSetting("choose", choose, "not a way to choose rows.", next_step=advice)
    if choose in _RANKED and not isinstance(by, str):
        advice = f'Name the column by which rows are ranked: choose="{choose}", by="amount".'
        raise InvalidSetting("by", by, "not the name of a column.", next_step=advice)
    if choose not in _RANKED and by is not None:
        advice = 'Omit it, or use choose="largest" or choose="smallest".'
        raise InvalidSetting("by", by, f'choose="{choose}" needs no column.', next_step=advice)


def check_column(by: str | None, columns: Sequence[str]) -> None:
    if by is not None and columns and by not in columns:
        raise InvalidSetting("by", by, "no row has this column.", next_step=there_are(columns))


def there_are(columns: Sequence[str]) -> str:
    named = ", ".join(map(repr, columns[:_MOST_NAMED]))
    more = len(columns) - _MOST_NAMED
    return f"There are: {named}{f' and {more:,} more' if more > 0 else ''}."


class Choice(NamedTuple):
    """The indices of rows, each in the order of the table."""

    kept: Sequence[int]
    skipped: Sequence[int] = ()  # rows that the choice came to, and that are too large


def chosen(lines: Lines, table: RowTable, choose: str, by: str | None) -> Choice:
    """Choose the rows to keep."""
    if choose == "spread":
        return _spread(lines)
    if by is None:
        return _beginning(lines, range(lines.total))
    order = ranked(table.values(by), largest=choose == "largest", likely=lines.likely)
    return _beginning(lines, order)


def _beginning(lines: Lines, order: Iterable[int]) -> Choice:
    """Return as many rows as fit. The weights leave few numbers to try, and mostly none."""
    taken: list[int] = []
    skipped: list[int] = []
    weights = [0]  # weights[n] is the total weight of the first n rows.
    surely = 0
    for index, weight in lines.weights(order):
        if not weight:
            skipped.append(index)
            continue
        total = weights[-1] + weight
        if lines.over_for_certain(total):
            break
        taken.append(index)
        weights.append(total)
        surely = len(taken) if lines.within_for_certain(total) else surely

    def fits(count: int) -> bool:
        return lines.fit(taken[:count], weights[count])

    kept = taken[: _largest(fits, surely, len(taken) + 1, guess=surely + 1)]
    return Choice(sorted(kept), sorted(skipped))


def _spread(lines: Lines) -> Choice:
    places = _Places(lines)
    whole, weight = places.weighed(lines.total)
    if lines.fit(whole, weight):
        return Choice(whole, sorted(set(range(lines.total)).difference(whole)))

    def fits(count: int) -> bool:
        return lines.fit(*places.weighed(count))

    count = _largest(fits, 1, lines.total, guess=len(whole))
    kept = places.weighed(count)[0]
    return Choice(kept, [at for at in evenly(lines.total, count) if not lines.weight(at)])


def _largest(fits: Callable[[int], bool], low: int, high: int, guess: int) -> int:
    """Return a number that fits while the next does not; `low` fits, and `high` does not.

    Start at the guess with steps that double, which soon end if the guess is good, then bisect.
    """
    at, step = guess, 1
    while high - low > 1:
        at = at if low < at < high else (low + high) // 2
        if fits(at):
            low, at = at, at + step
        else:
            high, at = at, at - step
        step *= 2
    return low


class _Places:
    """Evenly spaced rows, without rows that are too large."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._onward: dict[int, int] = {}  # from a skipped row to a later row that may be usable
        self._last: int | None = None

    def weighed(self, count: int) -> tuple[list[int], int]:
        """Return the rows of `count` places and their weight; stop once they weigh too much."""
        places: list[int] = []
        total, latest = 0, -1
        for index, weight in self._lines.weights(evenly(self._lines.total, count)):
            place = index if weight else self._next(index)
            if place > latest:
                places.append(place)
                total += self._lines.weight(place)
                latest = place
                if self._lines.over_for_certain(total):
                    break
        return places, total

    def _next(self, index: int) -> int:
        """Return the next usable row; if none follows, the last usable row, or -1."""
        passed, total = [], self._lines.total
        while index < total and not self._lines.weight(index):
            passed.append(index)
            index = self._onward.get(index, index + 1)
        self._onward.update(dict.fromkeys(passed, index))
        return index if index < total else self._last_place()

    def _last_place(self) -> int:
        if self._last is None:
            backward = range(self._lines.total - 1, -1, -1)
            self._last = next((at for at in backward if self._lines.weight(at)), -1)
        return self._last
