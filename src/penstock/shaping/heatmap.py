"""A grid as a map of characters: dark for good cells, an X for the best.

The shades are contours. Each stands for a fifth of the bins, so that the shape of a valley shows,
whatever the worst cell is. The legend gives the limit of each shade.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import gt, lt
from typing import Any, Final

from penstock.core.budget.measure import Meter
from penstock.shaping.pooling import merged
from penstock.shaping.survey import GridSurvey
from penstock.shaping.wording import numbers, spelled

RAMP: Final = "#=+-."
BEST: Final = "X"
NOTHING: Final = " "
# The map's share of a summary. A noisy map, which costs more, is drawn at half the size.
MAP_TOKENS: Final = 330
# A character is twice as high as wide, so a cell of a small grid takes two.
_DOUBLED_COLUMNS = 20


@dataclass(frozen=True, slots=True)
class Axis:
    name: str
    first: Any
    last: Any
    count: int

    def ends(self) -> tuple[str, str]:
        return spelled(self.first, "[0]"), spelled(self.last, f"[{self.count - 1}]")


@dataclass(frozen=True, slots=True)
class Heading:
    """The text around the map."""

    measure: str
    better: str
    rows: Axis
    columns: Axis


def heat_map(survey: GridSurvey, heading: Heading, meter: Meter) -> str:
    if not survey.feasible:
        return f"no feasible cell among {survey.total:,}" if survey.total else "no cells"
    bins = _Bins(survey.bands, survey.row_step, survey.column_step, heading.better)
    drawn = _drawn(bins, survey.top[0], heading)
    while meter.exceeds(drawn, MAP_TOKENS) and not bins.is_one:
        bins = bins.halved()
        drawn = _drawn(bins, survey.top[0], heading)
    return drawn


@dataclass(frozen=True, slots=True)
class _Bins:
    """The best measure of each bin, or None for a bin without a feasible cell."""

    bands: list[list[Any]]
    row_step: int
    column_step: int
    better: str

    @property
    def is_one(self) -> bool:
        return len(self.bands) == 1 and len(self.bands[0]) == 1

    def halved(self) -> _Bins:
        pick = min if self.better == "lower" else max
        bands = merged(self.bands, pick)
        return _Bins(bands, 2 * self.row_step, 2 * self.column_step, self.better)

    def ranked(self) -> list[Any]:
        values = [value for band in self.bands for value in band if value is not None]
        return sorted(values, reverse=self.better == "higher")


@dataclass(frozen=True, slots=True)
class _Shades:
    """The shades of the map, from the best fifth of the bins to the worst."""

    bars: list[Any]  # the worst value of each fifth
    better: str

    @classmethod
    def of(cls, bins: _Bins) -> _Shades:
        ranked, parts = bins.ranked(), len(RAMP)
        ends = (-(-len(ranked) * part // parts) for part in range(1, parts + 1))
        return cls([ranked[end - 1] for end in ends], bins.better)

    def of_value(self, value: Any) -> str:
        if value is None:
            return NOTHING
        is_worse = gt if self.better == "lower" else lt
        return next(
            shade for shade, bar in zip(RAMP, self.bars, strict=True) if not is_worse(value, bar)
        )

    def told(self, best: Any) -> list[str]:
        """Return the legend. Equal bars are one contour, which uses the first of their shades."""
        first: dict[Any, str] = {}
        for shade, bar in zip(RAMP, self.bars, strict=True):
            first.setdefault(bar, shade)
        shown = numbers([best, *first])
        reaches = zip(first.values(), shown[1:], strict=True)
        return [f"{BEST} best {shown[0]}", *(f"{shade} to {bar}" for shade, bar in reaches)]


def _drawn(bins: _Bins, top: tuple[int, int], heading: Heading) -> str:
    shades = _Shades.of(bins)
    best = top[0] // bins.row_step, top[1] // bins.column_step
    lines = [
        _line(band, shades, best[1] if at == best[0] else None)
        for at, band in enumerate(bins.bands)
    ]
    return "\n".join((*_framed(lines, heading), *_legend(bins, shades, heading)))


def _line(band: list[Any], shades: _Shades, best: int | None) -> str:
    width = 2 if len(band) <= _DOUBLED_COLUMNS else 1
    marks = (BEST if at == best else shades.of_value(value) for at, value in enumerate(band))
    return "".join(mark * width for mark in marks)


def _framed(lines: list[str], heading: Heading) -> list[str]:
    top, bottom = heading.rows.ends()
    sides = [top, *[""] * (len(lines) - 2), bottom] if len(lines) > 1 else [_both(top, bottom)]
    margin = max(map(len, sides))
    framed = [f"{side:>{margin}}|{line}|" for side, line in zip(sides, lines, strict=True)]
    left, right = heading.columns.ends()
    gap = " " * max(2, len(lines[0]) - len(left) - len(right))
    below = left if heading.columns.count == 1 else left + gap + right
    return [*framed, f"{'':{margin}} {below}"]


def _both(top: str, bottom: str) -> str:
    """Return the label of a line that stands for all rows."""
    return top if top == bottom else f"{top} to {bottom}"


def _legend(bins: _Bins, shades: _Shades, heading: Heading) -> list[str]:
    rows, columns = spelled(heading.rows.name, "rows"), spelled(heading.columns.name, "columns")
    steps = bins.row_step, bins.column_step
    pooled = "" if steps == (1, 1) else f"; a mark is the best of {steps[0]} x {steps[1]} cells"
    scale = shades.told(bins.ranked()[0])
    if any(value is None for band in bins.bands for value in band):
        scale.append("blank infeasible")
    measure = spelled(heading.measure, "measure")
    return [
        f"down: {rows}, across: {columns}{pooled}",
        f"{measure}, {heading.better} is better: {', '.join(scale)}",
    ]
