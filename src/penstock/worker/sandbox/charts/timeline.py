"""A timeline: how many rows there are in each minute, hour, day, month or year."""

# The names in these statements are our own, and the connection can only read.
# ruff: noqa: S608 (see above)

from __future__ import annotations

from typing import Any, Final, NamedTuple

from penstock.core.model.epochs import MOSTLY, PER_SECOND, TIMES_IN, EpochUnit, speaks_of_time
from penstock.core.model.times import time_in
from penstock.worker.sandbox.charts.chart_rows import ChartRows, is_cut_short, is_number, point
from penstock.worker.sandbox.instants import moment

# The days of SQLite's functions, of which 1970 began in the middle of one.
_DAY_OF_MS: Final = "{ms} / 86400000.0 + 2440587.5"
_MAY_HAVE_ZONE: Final = "(x LIKE '%Z' OR x LIKE '%UTC' OR substr(x, 11) GLOB '*[+-]*')"
_SECOND: Final = "%Y-%m-%dT%H:%M:%SZ"
_LAST: Final = "9999-12-31T23:59:59Z"
_DAY: Final = 1.0


class _Step(NamedTuple):
    """The span of a bin."""

    name: str
    most: float  # days that a timeline of such bins may span
    shape: str  # the format of a bin's start


_STEPS: Final = (
    _Step("minute", 2 / 24, "%Y-%m-%dT%H:%M:00Z"),
    _Step("hour", 4 * _DAY, "%Y-%m-%dT%H:00:00Z"),
    _Step("day", 200 * _DAY, "%Y-%m-%dT00:00:00Z"),
    _Step("month", 30 * 365 * _DAY, "%Y-%m-01T00:00:00Z"),
    _Step("year", 400 * 365 * _DAY, "%Y-01-01T00:00:00Z"),
)


class _Bin(NamedTuple):
    """The rows of one bin. `first` and `last` are the earliest and the latest, as Julian days."""

    start: str
    size: int
    first: float
    last: float
    mean: float | None = None


class _BinEnds(NamedTuple):
    """Where a bin begins and ends, as Julian days, and its end as a text."""

    begins: float
    ends: float
    text: str

    def before(self, bin_: _Bin) -> float:
        return (bin_.first - self.begins) / (self.ends - self.begins)

    def after(self, bin_: _Bin) -> float:
        return (self.ends - bin_.last) / (self.ends - self.begins)


def unit_of_times(rows: ChartRows) -> EpochUnit | None:
    """Return the unit if the numbers of `x` are times since 1970, nearly all of them."""
    if not speaks_of_time(rows.x):
        return None
    counts = ", ".join(f"total({_is_time('x', unit)})" for unit in TIMES_IN)
    [(count, *times)] = rows.select(
        f"SELECT count(*), {counts} FROM {rows.source} WHERE {is_number('x')}"
    )
    found = (unit for unit, those in zip(TIMES_IN, times, strict=True) if those >= MOSTLY * count)
    return next(found, None)


def timeline(rows: ChartRows, unit: EpochUnit | None) -> dict[str, Any] | None:
    """Return the chart, or None if the texts only look like times. `unit`: set if numbers are times."""
    day = _DAY_OF_MS.format(ms=_milliseconds(rows, unit))
    days = f"(SELECT {day} AS day{', y' if rows.has_y else ''} FROM {rows.source} LIMIT -1)"
    [(low, high)] = rows.select(f"SELECT min(day), max(day) FROM {days}")
    if low is None:
        return None
    step = next((step for step in _STEPS if high - low <= step.most), _STEPS[-1])
    found = rows.select(
        f"SELECT strftime('{step.shape}', day) AS x, count(*), min(day), max(day){rows.mean} "
        f"FROM {days} WHERE day IS NOT NULL{rows.with_value} GROUP BY 1 ORDER BY 1"
    )
    bins = [_Bin(*cells) for cells in found]
    ends = [_ends(rows, bin_.start, step) for bin_ in bins]
    points = [
        {**point(bin_.start, bin_.size, bin_[4:] if rows.has_y else ()), "x2": end.text}
        for bin_, end in zip(bins, ends, strict=True)
    ]
    partial = _partial(rows, bins, ends)
    more = {"step": step.name, "zone": "UTC" if unit else _zone(rows), "partial": partial}
    return rows.chart("timeline", points, more)


def _milliseconds(rows: ChartRows, unit: EpochUnit | None) -> str:
    """Return the SQL of a time as filters read it, in whole milliseconds: SQLite's own reader of texts
    knows fewer of them, and takes the last microsecond of a day for the next day."""
    if unit is not None:
        is_time = f"{is_number('x')} AND {_is_time('x', unit)}"
        micros = 1_000_000 // PER_SECOND[unit]
        return f"CASE WHEN {is_time} THEN CAST(round(x * {micros}) AS INTEGER) / 1000 END"
    rows.db.create_function("penstock_milliseconds", 1, _milliseconds_in, deterministic=True)
    return "penstock_milliseconds(x)"


def _milliseconds_in(cell: Any) -> int | None:
    when = moment(cell, "time", is_shown=False)
    return None if when is None else when // 1_000


def _zone(rows: ChartRows) -> str | None:
    """Return the zone of the bins, or None if no time has a zone: then the bins are in the same one,
    whichever it is."""
    rows.db.create_function("penstock_has_zone", 1, _has_zone, deterministic=True)
    # A function of Python costs more than a pattern, so it sees only what the pattern lets through.
    asked = f"CASE WHEN {_MAY_HAVE_ZONE} THEN penstock_has_zone(x) END"
    found = rows.select(f"SELECT 1 FROM {rows.source} WHERE {asked} LIMIT 1")
    return "UTC" if found else None


def _has_zone(cell: Any) -> bool:
    found = time_in(cell) if isinstance(cell, str) else None
    return found is not None and found.zone is not None


def _is_time(name: str, unit: EpochUnit) -> str:
    span = TIMES_IN[unit]
    return f"({name} >= {span.first} AND {name} < {span.last})"


def _ends(rows: ChartRows, start: str, step: _Step) -> _BinEnds:
    next_ = f"strftime('{step.shape}', '{start}', '+1 {step.name}')"
    [(text, begins, ends)] = rows.select(
        f"SELECT {next_}, julianday('{start}'), julianday(coalesce({next_}, '{_LAST}'))"
    )
    return _BinEnds(begins, ends, text or _LAST)


def _partial(rows: ChartRows, bins: list[_Bin], ends: list[_BinEnds]) -> dict[str, str]:
    """Return when the rows begin and end, for an end whose bin they fill in part."""
    if not bins:
        return {}
    before = [end.before(bin_) for end, bin_ in zip(ends, bins, strict=True)]
    after = [end.after(bin_) for end, bin_ in zip(ends, bins, strict=True)]
    told = {}
    if is_cut_short(before[0], before[1:]):
        told["first"] = _second(rows, bins[0].first)
    if is_cut_short(after[-1], after[:-1]):
        told["last"] = _second(rows, bins[-1].last)
    return told


def _second(rows: ChartRows, day: float) -> str:
    return str(rows.select(f"SELECT strftime('{_SECOND}', {day!r})")[0][0])
