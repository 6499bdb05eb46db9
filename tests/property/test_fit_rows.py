"""Rows fit a widget as `penstock.widgets.row_choice` says, compared with brute force."""

import json
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import EXACT, budgets, texts

from penstock.shaping.sampling import evenly
from penstock.widgets import fit_rows

HALF = settings(max_examples=settings.default.max_examples // 2)
SELDOM = settings(max_examples=settings.default.max_examples // 3)
COLUMNS = ("a", "b", "value", "ключ", "", "a.b", "水")

# Values with only one JSON form, so that the standard library writes the same characters.
leaves = st.one_of(st.none(), st.booleans(), st.integers(), texts(60))
cells = st.one_of(
    leaves, st.lists(leaves, max_size=3), st.dictionaries(texts(5), leaves, max_size=2)
)
# Many rows are alike, as in real data, and some are far larger than others.
rows = st.one_of(
    st.dictionaries(st.sampled_from(COLUMNS), cells, max_size=5),
    st.builds(lambda value: {"a": 1, "value": value}, st.one_of(st.none(), st.integers(0, 9))),
    st.builds(lambda size: {"a": "x" * size, "value": size}, st.integers(0, 3_000)),
)


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, Any]]:
    some = draw(st.lists(rows, max_size=25))
    return [dict(row) for row in some * draw(st.sampled_from((1, 1, 1, 2, 5)))]


def spelled(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode()


def length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@dataclass(frozen=True)
class Oracle:
    """A brute-force search that takes no shortcuts."""

    rows: list[dict[str, Any]]
    total: int
    dropped: int
    budget: int

    def fits(self, indices: list[int]) -> bool:
        kept = [self.rows[index] for index in sorted(indices)]
        counts = {"truncated": self.total - len(kept), "columns_dropped": self.dropped}
        return length(spelled({"rows": kept} | counts)) <= self.budget

    def alone(self) -> list[int]:
        return [index for index in range(self.total) if self.fits([index])]

    def beginning(self, order: list[int]) -> list[int]:
        alone = set(self.alone())
        order = [index for index in order if index in alone]
        most = max(count for count in range(len(order) + 1) if self.fits(order[:count]))
        return sorted(order[:most])

    def places(self, count: int) -> list[int]:
        alone = self.alone()
        asked = evenly(self.total, count)
        return sorted(
            {next((at for at in alone if at >= place), alone[-1]) for place in asked if alone}
        )


def pruned(table: list[dict[str, Any]], names: set[str]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name in names} for row in table]


def oracle_for(
    table: list[dict[str, Any]], budget: int, keep: list[str] | None
) -> tuple[Oracle, bool]:
    """Return the oracle for the step of the ladder that is reached, and whether all rows fit there."""
    columns = {name for row in table for name in row}
    whole = Oracle(table, len(table), 0, budget)
    everything = list(range(len(table)))
    kept = columns & set(keep) if keep else columns
    if whole.fits(everything) or kept == columns:
        return whole, whole.fits(everything)
    fewer = Oracle(pruned(table, kept), len(table), len(columns - kept), budget)
    return fewer, fewer.fits(everything)


keeps = st.one_of(st.none(), st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=3))
limits = st.one_of(st.integers(64, 300), st.integers(64, 4_000))


def is_there(table, keep):
    columns = {name for row in table for name in row}
    return keep is None or not columns or columns & set(keep)


def rows_at(oracle: Oracle, indices: list[int]) -> str:
    """Return rows as text, because 1 == True in Python. Sort keys, because pruning reorders them."""
    return canonical([oracle.rows[index] for index in indices])


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def rank(value: Any) -> tuple[int, Any]:
    if isinstance(value, int):
        return 0, value
    return (1, value) if isinstance(value, str) else (2, 0)


def ranking(table: list[dict[str, Any]], choose: str) -> list[int]:
    order: list[int] = []
    for kind in range(3):
        found = [at for at, row in enumerate(table) if rank(row.get("value"))[0] == kind]
        is_ranked = choose == "largest" and kind < 2
        order += sorted(found, key=lambda at: rank(table[at].get("value"))[1], reverse=is_ranked)
    return order


@given(tables(), limits, keeps, st.sampled_from(("first", "largest", "smallest")))
@HALF
def test_the_most_that_fit_are_kept(table, budget, keep, choose):
    has_value = any("value" in row for row in table)
    if not is_there(table, keep) or (choose != "first" and not has_value):
        return
    oracle, all_fit = oracle_for(table, budget, keep)
    order = list(range(len(table))) if choose == "first" else ranking(table, choose)
    expected = list(range(len(table))) if all_fit else oracle.beginning(order)
    by = None if choose == "first" else "value"
    fitted = fit_rows(table, budget, keep=keep, choose=choose, by=by)
    assert canonical(fitted.rows) == rows_at(oracle, expected)
    assert len(fitted.dropped) == oracle.dropped
    assert fitted.size == length(fitted.json.decode()) <= budget
    assert fitted.truncated == len(table) - len(expected)


@given(tables(), limits, keeps)
@HALF
def test_spread_keeps_what_it_says(table, budget, keep):
    if not is_there(table, keep):
        return
    oracle, all_fit = oracle_for(table, budget, keep)
    fitted = fit_rows(table, budget, keep=keep, choose="spread")
    assert fitted.size <= budget
    kept = canonical(fitted.rows)
    alone = oracle.alone()
    if all_fit or oracle.fits(alone):
        assert kept == rows_at(oracle, list(range(len(table))) if all_fit else alone)
        return
    assert any(
        kept == rows_at(oracle, oracle.places(count))
        and oracle.fits(oracle.places(count))
        and not oracle.fits(oracle.places(count + 1))
        for count in range(1, len(table))
    )


@given(tables(), budgets(), st.sampled_from(("first", "spread")))
@SELDOM
def test_every_limit_of_a_budget_holds(table, budget, choose):
    fitted = fit_rows(table, budget, choose=choose)
    assert budget.admits(fitted.json, EXACT)
    assert budget.chars is None or fitted.size <= budget.chars
    if fitted.rows or not table:
        return
    for row in table:
        counts = {"truncated": len(table) - 1, "columns_dropped": 0}
        alone = spelled({"rows": [row]} | counts)
        assert not budget.admits(alone.encode(), EXACT) or length(alone) > budget.chars
