"""The choice of rows when not all fit."""

import datetime as dt
from decimal import Decimal
from enum import Enum
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from penstock.errors import InvalidSetting
from penstock.widgets import fit_rows

NAN = float("nan")
INF = float("inf")


def numbered(values):
    return [{"at": at, "value": value, "text": "x" * 50} for at, value in enumerate(values)]


def places(rows, budget=600, **options):
    fitted = fit_rows(rows, budget, **options)
    assert fitted.truncated
    return [row["at"] for row in fitted.rows]


def test_the_first():
    assert places(numbered(range(100))) == list(range(len(places(numbered(range(100))))))


def test_spread_has_both_ends_and_even_gaps():
    at = places(numbered(range(1_000)), 3_000, choose="spread")
    assert (at[0], at[-1]) == (0, 999)
    gaps = [after - before for before, after in pairwise(at)]
    assert max(gaps) - min(gaps) <= 1


def test_spread_keeps_as_many_as_fit_where_rows_are_alike():
    rows = [{"at": at} for at in range(1_000, 9_000)]
    first, spread = (fit_rows(rows, 5_000, choose=choose) for choose in ("first", "spread"))
    assert len(spread.rows) == len(first.rows)


def test_spread_of_one():
    assert places(numbered(range(100)), 160, choose="spread") == [0]


def test_spread_steps_aside_for_a_row_that_never_fits():
    rows = numbered(range(1_000))
    for at in (0, 1, 998, 999, *range(300, 700)):
        rows[at]["text"] = "x" * 5_000
    at = places(rows, 3_000, choose="spread")
    assert (at[0], at[-1]) == (2, 997)
    assert not set(at) & set(range(300, 700))
    assert 700 in at
    assert len(at) > 15


def test_spread_keeps_all_that_can_be_kept():
    rows = numbered(range(40))
    for row in rows[::2]:
        row["text"] = "x" * 10_000
    assert places(rows, 9_000, choose="spread") == list(range(1, 40, 2))


def test_largest_and_smallest_stay_in_their_own_order():
    rows = numbered([5, 1, 9, 7, 3, 8, 2, 6, 4, 0] * 10)
    largest = fit_rows(rows, 1_300, choose="largest", by="value").rows
    assert largest == [row for row in rows if row in largest]
    assert [row["value"] for row in largest] == [9, 8] * 5 + [9] * 5
    smallest = fit_rows(rows, 1_300, choose="smallest", by="value").rows
    assert [row["value"] for row in smallest] == [1, 0] * 5 + [0] * 5


@pytest.mark.parametrize("choose", ["largest", "smallest"])
def test_equal_values_keep_the_earlier_rows(choose):
    at = places(numbered([1] * 5_000), choose=choose, by="value")
    assert at == list(range(len(at)))


@pytest.mark.parametrize("choose", ["largest", "smallest"])
@pytest.mark.parametrize("scale", [1, 0.5, "{:05}"])
def test_of_many_rows_more_are_asked_for_than_seemed_likely(choose, scale):
    """The first rows are long, so few rows seem to fit, and few are sorted at first."""
    numbers = [20_000 if at < 100 else (at * 7_919) % 40_009 for at in range(40_000)]
    values = [scale.format(at) if isinstance(scale, str) else at * scale for at in numbers]
    rows = [{"at": at, "value": value, "text": ""} for at, value in enumerate(values)]
    for row in rows[:100]:
        row["text"] = "x" * 60_000
    at = places(rows, 130_000, keep=["at", "text"], choose=choose, by="value")
    order = sorted(range(40_000), key=values.__getitem__, reverse=choose == "largest")
    assert len(at) > 3_000  # about a thousand seemed likely
    assert at == sorted(order[: len(at)])


class Size(Enum):
    SMALL = 1
    LARGE = 100


DAY = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
PARIS = dt.timezone(dt.timedelta(hours=1))


@pytest.mark.parametrize(
    "values",  # from the smallest to the largest, then values without a rank
    [
        [-1, 0.5, True, Decimal("1.5"), 2, np.int64(3), np.float32(4), Size.LARGE, 10**400],
        ["", "A", "a", "b", "水"],
        [
            dt.date(2025, 12, 31),
            DAY.astimezone(PARIS),
            dt.datetime(2026, 1, 1, 1),  # noqa: DTZ001 (one without a zone)
            DAY.replace(hour=2),
        ],
        [pd.Timestamp("2026-01-01T00:00:00.000000001"), pd.Timestamp("2026-01-02"), pd.NaT],
        [dt.timedelta(0), dt.timedelta(1)],
        [dt.time(1), dt.time(2, 30)],
        [1, None],
        [1, NAN, INF, -INF, Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity")],
        [1, [3], {"a": 1}, (1, 2)],
    ],
)
def test_values_of_every_kind_can_be_ranked(values):
    """Rank each pair once, in both orders, with room for one row."""
    nowhere = [value for value in values if fit_nowhere(value)]
    ranked = [value for value in values if not fit_nowhere(value)]
    for low, high in pairwise(ranked):
        assert best(low, high, "largest") == best(high, low, "smallest") == 1
        assert best(high, low, "largest") == best(low, high, "smallest") == 0
    for value in nowhere:
        for choose in ("largest", "smallest"):
            assert best(value, ranked[0], choose) == 1
            assert best(ranked[0], value, choose) == 0


def fit_nowhere(value):
    return (
        value is None
        or value is pd.NaT
        or isinstance(value, list | dict | tuple)
        or (isinstance(value, float | Decimal) and not Decimal(value).is_finite())
    )


def best(one, other, choose):
    """Return which of two rows stays if one fits; the column `by` is not kept."""
    pair = enumerate((one, other))
    rows = [{"at": f"row {at}", "value": value, "long": "x" * 300} for at, value in pair]
    (row,) = fit_rows(rows, 64, keep=["at"], choose=choose, by="value").rows
    return int(row["at"][-1])


def test_numbers_go_before_times_and_texts():
    values = ["z", DAY, 5, None, [9], dt.time(3), dt.timedelta(1)]
    rows = [{"at": at, "value": value, "text": "x" * 300} for at, value in enumerate(values)]
    counts = range(1, 8)
    budgets = [55 + 9 * count for count in counts]
    for choose in ("largest", "smallest"):
        kept = [
            {
                row["at"]
                for row in fit_rows(
                    rows, max(64, budget), keep=["at"], choose=choose, by="value"
                ).rows
            }
            for budget in budgets
        ]
        order = [2, 1, 6, 5, 0, 3, 4]
        for some in kept:
            assert some == set(order[: len(some)])
        assert len(kept[0]) < len(kept[3]) < len(kept[-1])


def test_rows_without_the_column_go_last():
    rows = numbered(range(50))
    for row in rows[:30]:
        del row["value"]
    assert places(rows, 500, choose="smallest", by="value") == [30, 31, 32, 33, 34]


@pytest.mark.parametrize("count", [1, 100])
def test_a_column_that_no_row_has_is_refused(count):
    with pytest.raises(InvalidSetting, match="There are: 'at', 'value', 'text'"):
        fit_rows(numbered(range(count)), choose="largest", by="valeu")


def test_only_some_of_many_columns_are_named():
    row = {f"column {at}": at for at in range(1_000)}
    with pytest.raises(InvalidSetting, match="'column 19' and 980 more"):
        fit_rows([row], choose="largest", by="x")


@pytest.mark.parametrize(
    "options",
    [
        {"choose": "last"},
        {"choose": None},
        {"choose": ["first"]},
        {"choose": "largest"},
        {"choose": "smallest", "by": 7},
        {"choose": "first", "by": "value"},
        {"by": "value"},
    ],
)
def test_a_choice_that_is_none_is_refused(options):
    with pytest.raises(InvalidSetting) as caught:
        fit_rows([], **options)
    assert caught.value.setting in ("choose", "by")
