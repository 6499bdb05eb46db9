"""The rows that a chart is about, as a subquery with the columns `x` and `y`."""

# The names in these statements are our own, and the connection can only read.
# ruff: noqa: S608 (see above)

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Points = list[dict[str, Any]]
NOTHING_MORE: Final[Mapping[str, Any]] = {}


def is_number(name: str) -> str:
    return f"typeof({name}) IN ('integer', 'real')"


@dataclass(frozen=True, slots=True)
class ChartRows:
    """The rows of a chart. `y` holds numbers, or there is none."""

    db: sqlite3.Connection
    x: str  # the names of the columns
    y: str
    source: str
    has_y: bool

    @property
    def mean(self) -> str:
        return ", avg(y)" if self.has_y else ""

    @property
    def with_value(self) -> str:
        """Return the SQL that leaves out rows whose `y` is no number: SQLite's mean takes texts
        for 0, and rows without a share in the mean are not counted either."""
        return f" AND {is_number('y')}" if self.has_y else ""

    def select(self, statement: str) -> list[tuple[Any, ...]]:
        return self.db.execute(statement).fetchall()

    def chart(
        self,
        kind: str,
        points: Points,
        more: Mapping[str, Any] = NOTHING_MORE,
        *,
        counted: int | None = None,
    ) -> dict[str, Any]:
        """Return a chart. `more`: fields that only this kind has. Empty ones are left out.
        `counted`: the rows in it, if they are not those that the points count."""
        [(total,)] = self.select(f"SELECT count(*) FROM {self.source}")
        counted = sum(point["count"] for point in points) if counted is None else counted
        return {
            "kind": kind,
            "x": self.x,
            "y": self.y if self.has_y else None,
            "rows": counted,
            "left_out": total - counted,
            "points": points,
            **{name: value for name, value in more.items() if value not in (None, {})},
        }


def point(x: Any, count: int, mean: Sequence[float | None] = ()) -> dict[str, Any]:
    """Return a point. `mean`: empty, or one mean."""
    told: dict[str, Any] = {"x": x, "count": count}
    return told if not mean or mean[0] is None else {**told, "mean": mean[0]}


# A share of its bin that a bin at an end may lack, beyond what the others lack.
_SLACK: Final = 0.05
_USUAL: Final = 0.9


def is_cut_short(lacks: float, others: Sequence[float]) -> bool:
    """Return whether a bin at an end lacks a greater share of its span than nearly all other bins.

    Comparing bins needs no knowledge of how often rows come: days that end with the shop's closing
    time are all alike, and so are months whose one row is on their first day. Of a few bins, one may
    lack more, for instance before a gap.
    """
    if not others:
        return False
    usual = sorted(others)[int(_USUAL * (len(others) - 1))]
    return lacks > usual + _SLACK
