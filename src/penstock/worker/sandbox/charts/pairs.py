"""Points: pairs of numbers, at most a thousand of them."""

# The names in these statements are our own, and the connection can only read.
# ruff: noqa: S608 (see above)

from __future__ import annotations

from typing import Any, Final

from penstock.worker.sandbox.charts.chart_rows import ChartRows, is_number

PAIRS: Final = 1_000
_OUTERMOST: Final = 4  # the pairs with the least and the greatest x and y


def pairs(rows: ChartRows) -> dict[str, Any]:
    """Return pairs spaced evenly over the rows, to keep their shape, and always the extremes. All
    pairs are counted."""
    held = f"{is_number('x')} AND {is_number('y')}"
    [(total,)] = rows.select(f"SELECT count(*) FROM {rows.source} WHERE {held}")
    every = 1 if total <= PAIRS else -(-total // (PAIRS - _OUTERMOST))
    numbered = (
        f"(SELECT x, y, row_number() OVER () - 1 AS n FROM {rows.source} WHERE {held} LIMIT -1)"
    )
    # Beside max() or min(), SQLite takes the other cells from the row with that value.
    ends = [
        rows.select(f"SELECT {function}({name}), n FROM {numbered}")[0][1]
        for function in ("min", "max")
        for name in ("x", "y")
    ]
    outermost = ", ".join(str(number) for number in ends if number is not None)
    found = rows.select(
        f"SELECT x, y FROM {numbered} WHERE n % {every} = 0 OR n IN ({outermost}) ORDER BY n"
    )
    points = [{"x": x, "y": y} for x, y in found]
    return rows.chart("scatter", points, counted=total)
