"""The bins by which a few characters show a long axis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

# The most characters of a map: it must suit a terminal, and costs tokens.
MOST_ROWS = 16
MOST_COLUMNS = 40


def step_of(count: int, most: int) -> int:
    """Return the size of a bin; the last bin may be smaller."""
    return max(1, -(-count // most))


def bins(count: int, step: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + step, count)) for start in range(0, count, step))


def edges(count: int, step: int) -> list[int]:
    return list(range(0, count, step))


def pooled(values: Sequence[Any], step: int, pick: Any) -> list[Any]:
    """Return the best of each bin of a row."""
    if step > _WIDEST_GROUP:
        return [pick(values[at : at + step]) for at in range(0, len(values), step)]
    whole = len(values) - len(values) % step
    groups = [iter(values[:whole])] * step  # The same iterator many times gives a bin at a time.
    found = list(map(pick, *groups))
    return [*found, pick(values[whole:])] if whole < len(values) else found


# Up to this many arguments, a call is cheaper than a slice.
_WIDEST_GROUP = 100


def merged(bands: Sequence[Sequence[Any]], pick: Any) -> list[list[Any]]:
    """Return the map at half the size: each bin is the best of four."""
    halved = [[_best(row[at : at + 2], pick) for at in range(0, len(row), 2)] for row in bands]
    pairs = (halved[at : at + 2] for at in range(0, len(halved), 2))
    return [[_best(column, pick) for column in zip(*pair, strict=True)] for pair in pairs]


def _best(values: Iterable[Any], pick: Any) -> Any:
    known = [value for value in values if value is not None]
    return pick(known) if known else None
