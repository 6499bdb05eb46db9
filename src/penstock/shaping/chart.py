"""A series as a small chart: `#` up to the lowest value of a stretch, then `:` up to its highest.

So a spike shows, however many entries share a column. The marks are ASCII, because a block
character costs two or three tokens, and a run of these marks costs one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from penstock.core.budget.measure import Meter
from penstock.shaping.envelope import Stretch
from penstock.shaping.wording import numbers, spelled

CHART_TOKENS: Final = 150
_LINES: Final = 5
# If there are few entries, each is drawn wider, so that the chart keeps its shape.
_LEAST_COLUMNS = 20


@dataclass(frozen=True, slots=True)
class Ends:
    """The axis of the series, with its first and last value."""

    axis: str
    first: Any
    last: Any
    count: int


def chart(stretches: Sequence[Stretch], measure: str, ends: Ends, meter: Meter) -> str:
    drawn = _drawn(stretches, measure, ends)
    while meter.exceeds(drawn, CHART_TOKENS) and len(stretches) > 1:
        pairs = (stretches[at : at + 2] for at in range(0, len(stretches), 2))
        stretches = [_joined(pair) for pair in pairs]
        drawn = _drawn(stretches, measure, ends)
    return drawn


def _joined(pair: Sequence[Stretch]) -> Stretch:
    known = [stretch for stretch in pair if stretch is not None]
    if not known:
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _drawn(stretches: Sequence[Stretch], measure: str, ends: Ends) -> str:
    name = spelled(measure, "value")
    known = [stretch for stretch in stretches if stretch is not None]
    if not known:
        return f"{name}: no numbers in {ends.count:,} entries"
    low, high = min(low for low, _ in known), max(high for _, high in known)
    lines = _lines(stretches, low, high)
    bottom, top = numbers([low, high])
    sides = [top, *[""] * (len(lines) - 2), bottom][-len(lines) :]
    margin = max(map(len, sides))
    framed = [f"{side:>{margin}}|{line}" for side, line in zip(sides, lines, strict=True)]
    return "\n".join(
        (name + _pooled(stretches, ends), *framed, f"{'':{margin}} {_below(ends, len(lines[0]))}")
    )


def _pooled(stretches: Sequence[Stretch], ends: Ends) -> str:
    share = -(-ends.count // len(stretches))
    if share == 1:
        return ""
    return f"; a column is {share:,} entries, # to the lowest, : to the highest"


def _below(ends: Ends, width: int) -> str:
    first, last = spelled(ends.first, "[0]"), spelled(ends.last, f"[{ends.count - 1}]")
    axis = spelled(ends.axis, "axis")
    if ends.count == 1:
        return f"{first} ({axis})"
    return f"{first}{' ' * max(2, width - len(first) - len(last))}{last} ({axis})"


def _lines(stretches: Sequence[Stretch], low: Any, high: Any) -> list[str]:
    height = _LINES if low < high else 1
    width = max(1, _LEAST_COLUMNS // len(stretches))
    columns = [_column(stretch, low, high, height) for stretch in stretches]
    rows = ("".join(column[row] * width for column in columns) for row in reversed(range(height)))
    return [row.rstrip() if at < height - 1 else row for at, row in enumerate(rows)]


def _column(stretch: Stretch, low: Any, high: Any, height: int) -> str:
    """Draw a column from the bottom up. A number is at least one mark high; blank means no number."""
    if stretch is None:
        return " " * height
    floor, top = (1 + round(_share(value, low, high) * (height - 1)) for value in stretch)
    return ("#" * floor + ":" * (top - floor)).ljust(height)


def _share(value: Any, low: Any, high: Any) -> float:
    """Return the height from 0 to 1. Use Decimal: the difference of two floats may overflow."""
    if low == high:
        return 0.0
    low, high, value = Decimal(low), Decimal(high), Decimal(value)
    return float((value - low) / (high - low))
