"""Bars: how many rows have each of the commonest values, and how many have others."""

# The names in these statements are our own, and the connection can only read.
# ruff: noqa: S608 (see above)

from __future__ import annotations

from typing import Any, Final

from penstock.worker.sandbox.charts.chart_rows import ChartRows, point

CATEGORIES: Final = 20
_LABEL_CHARS: Final = 100


def categories(rows: ChartRows) -> dict[str, Any]:
    """Return the commonest values. Every other value is counted under `others`."""
    total = ", total(y)" if rows.has_y else ", 0"
    groups = (
        f"SELECT x, count(*) AS n{total} AS sum FROM {rows.source} "
        f"WHERE x IS NOT NULL{rows.with_value} GROUP BY 1"
    )
    ranked = f"SELECT x, n, sum, row_number() OVER (ORDER BY n DESC, x) AS place FROM ({groups})"
    # The column x stands outside of any aggregate: a place of one value has that value.
    found = rows.select(
        f"SELECT min(place, {CATEGORIES + 1}) AS place, x, sum(n), sum(sum), count(*) "
        f"FROM ({ranked}) GROUP BY 1 ORDER BY 1"
    )
    named = [group for group in found if group[0] <= CATEGORIES]
    labels = _labels([str(x) for _, x, *_ in named])
    points = [
        point(label, count, _mean(rows, total, count))
        for label, (_, _, count, total, _) in zip(labels, named, strict=True)
    ]
    others = [
        {"values": values, **_without_x(point("", count, _mean(rows, total, count)))}
        for place, _, count, total, values in found
        if place > CATEGORIES
    ]
    counted = sum(count for _, _, count, *_ in found)
    more = {"others": others[0] if others else None}
    return rows.chart("categories", points, more, counted=counted)


def _mean(rows: ChartRows, total: float, count: int) -> list[float | None]:
    return [total / count] if rows.has_y else []


def _without_x(told: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if name != "x"}


def _labels(texts: list[str]) -> list[str]:
    """Return the beginnings of the texts, numbered where two are alike."""
    labels: dict[str, None] = {}
    for text in texts:
        label, number = text[:_LABEL_CHARS], 2
        while label in labels:
            mark = f"… ({number})"
            label, number = text[: _LABEL_CHARS - len(mark)] + mark, number + 1
        labels[label] = None
    return list(labels)
