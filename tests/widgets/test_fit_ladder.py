"""Rows for a widget: whole, else with fewer columns, else fewer rows, and never too many."""

import json

import pytest

from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import default_meter
from penstock.errors import InvalidResult, InvalidSetting, PenstockError
from penstock.widgets import Fitted, fit_rows

SPEC = {"mark": "bar", "encoding": {"x": {"field": "day"}, "y": {"field": "amount"}}}


def length(text):
    """Return the length that JavaScript gives a text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def kept(fitted: Fitted, budget=130_000):
    """Return the rows that fit, after checking every other field of `fitted`."""
    payload = json.loads(fitted.json)
    assert payload == fitted.payload
    assert list(payload) == ["rows", "truncated", "columns_dropped"]
    assert payload["rows"] == fitted.rows
    assert payload["truncated"] == fitted.truncated == fitted.total - len(fitted.rows)
    assert payload["columns_dropped"] == len(fitted.dropped)
    assert not set(fitted.columns) & set(fitted.dropped)
    assert {name for row in fitted.rows for name in row} <= set(fitted.columns)
    assert fitted.size == length(fitted.json.decode())
    assert not isinstance(budget, int) or fitted.size <= budget
    assert bool(fitted.note) == bool(fitted.truncated or fitted.dropped)
    assert len(fitted.skipped) <= fitted.truncated
    assert ("skipped" in fitted.note) == bool(fitted.skipped and fitted.rows)
    return fitted.rows


def sales(count, **more):
    return [
        {"id": at, "day": f"2026-01-{at % 28 + 1:02}", "amount": at} | more for at in range(count)
    ]


# -- the three steps ---------------------------------------------------------------------------


def test_rows_that_fit_are_whole():
    rows = sales(50)
    fitted = fit_rows(rows, spec=SPEC)
    assert kept(fitted) == rows
    assert fitted.columns == ("id", "day", "amount")
    assert (fitted.dropped, fitted.truncated, fitted.missing, fitted.note) == ((), 0, (), "")


def test_columns_go_before_rows():
    fitted = fit_rows(sales(500, text="x" * 1_000), spec=SPEC)
    assert kept(fitted) == [{"day": row["day"], "amount": row["amount"]} for row in sales(500)]
    assert fitted.columns == ("day", "amount")
    assert fitted.dropped == ("id", "text")
    assert fitted.note == "2 of 4 columns."


def test_rows_go_last_and_are_counted():
    fitted = fit_rows(sales(100_000, text="x"), spec=SPEC)
    rows = kept(fitted)
    assert rows == [{"day": row["day"], "amount": row["amount"]} for row in sales(len(rows))]
    assert fitted.total == 100_000
    assert fitted.note == f"{len(rows):,} of 100,000 rows and 2 of 4 columns."


def test_without_spec_and_keep_no_column_is_dropped():
    fitted = fit_rows(sales(100_000))
    assert kept(fitted) == sales(len(fitted.rows))
    assert fitted.dropped == ()


@pytest.mark.parametrize("text", ["x", "é", "水", "😀", ",", '"', "\n", "\ud800"])
def test_one_more_never_fits(text):
    rows = [{"text": text * (at % 7)} for at in range(105)]
    for budget in range(200, 330):
        count = len(kept(fit_rows(rows, budget), budget))
        more = {"rows": rows[: count + 1], "truncated": 104 - count, "columns_dropped": 0}
        said = json.dumps(more, ensure_ascii=False, separators=(",", ":"))
        assert length(said.encode("utf-8", "backslashreplace").decode()) > budget


def test_the_budget_is_used_to_the_last_character():
    rows = [{"a": 1}, {"a": 2}, {"a": 3}]
    whole = fit_rows(rows)
    assert fit_rows(rows, max(64, whole.size)).truncated == 0
    padded = [{"a": "x" * 30}, {"a": "y" * 30}]
    exact = fit_rows(padded).size
    assert fit_rows(padded, exact).truncated == 0
    assert fit_rows(padded, exact - 1).truncated == 1


def test_what_keep_names_is_added_to_what_the_spec_refers_to():
    fitted = fit_rows(sales(500, text="x" * 1_000), spec=SPEC, keep=["id"])
    assert kept(fitted)[0] == {"id": 0, "day": "2026-01-01", "amount": 0}
    assert fitted.dropped == ("text",)


def test_keep_alone():
    fitted = fit_rows(sales(500, text="x" * 1_000), keep=("amount", "id"))
    assert fitted.columns == ("id", "amount")
    assert kept(fitted)[3] == {"id": 3, "amount": 3}


def test_nothing_that_was_given_is_changed():
    rows = sales(3_000, nested={"a": [1, 2]})
    copy = json.loads(json.dumps(rows))
    fitted = fit_rows(rows, spec=SPEC)
    fitted.rows[0]["day"] = "changed"
    assert rows == copy


# -- sizes that mislead --------------------------------------------------------------------------


def test_a_small_first_row_says_nothing_about_the_others():
    rows = [{"text": ""}, *({"text": "x" * 3_000} for _ in range(1_000))]
    assert len(kept(fit_rows(rows))) == 1 + 43


def test_a_fat_first_row_is_passed_over():
    rows = [{"text": "x" * 200_000}, *sales(10)]
    fitted = fit_rows(rows)
    assert kept(fitted) == sales(10)
    assert fitted.truncated == 1
    assert fitted.columns == ("text", "id", "day", "amount")


@pytest.mark.parametrize("choose", ["first", "spread", "largest"])
def test_a_row_that_is_skipped_is_reported(choose):
    rows = [{"text": "x" * 200_000, "id": 99}, *sales(10)]
    fitted = fit_rows(rows, choose=choose, by="id" if choose == "largest" else None)
    assert kept(fitted) == sales(10)
    assert fitted.skipped == (0,)
    assert fitted.note == (
        "10 of 11 rows. rows[0] was skipped: it alone takes 200,019 characters, "
        "and the budget is 130,000 characters."
    )


def test_rows_that_are_skipped_are_counted():
    rows = [{"text": "x" * (3_000 + at if at % 4 == 1 else 300)} for at in range(40)]
    fitted = fit_rows(rows, 2_000)
    assert len(kept(fitted, 2_000)) == 6
    assert fitted.skipped == (1, 5)
    assert fitted.note == (
        "6 of 40 rows. 2 rows, the first of them rows[1], were skipped: the smallest alone takes "
        "3,012 characters, and the budget is 2,000 characters."
    )


def test_spread_skips_its_first_and_last_place():
    rows = [{"text": "x" * (3_000 if at in (0, 39) else 300)} for at in range(40)]
    fitted = fit_rows(rows, 2_000, choose="spread")
    assert len(kept(fitted, 2_000)) > 3
    assert fitted.skipped == (0, 39)


def test_a_row_after_the_last_that_fits_is_not_skipped():
    rows = [{"text": "x" * 700}] * 8 + [{"text": "x" * 5_000}]
    fitted = fit_rows(rows, 2_000)
    assert (len(kept(fitted, 2_000)), fitted.skipped) == (2, ())
    assert fitted.note == "2 of 9 rows."


def test_a_row_that_fits_with_fewer_columns_is_not_skipped():
    rows = [{"text": "x" * 200_000, "id": 99}, *sales(10)]
    fitted = fit_rows(rows, keep=["id"])
    assert fitted.skipped == ()
    assert kept(fitted)[0] == {"id": 99}


def test_a_fat_first_row_that_fits_is_kept():
    rows = [{"text": "x" * 129_930}, *sales(10)]
    assert kept(fit_rows(rows)) == rows[:1]


def test_commas_in_texts_are_not_ends_of_rows():
    rows = [{"text": '},{"text":' * 20, "list": ",,,,"} for _ in range(2_000)]
    assert kept(fit_rows(rows)) == rows[: len(fit_rows(rows).rows)]


@pytest.mark.parametrize(
    ("text", "units"), [("水", 1), ("é", 1), ("😀", 2), ("\u2028", 1), ("\x7f", 1), ("\n", 2)]
)
def test_characters_are_those_of_javascript(text, units):
    rows = [{"text": text * 10_000} for _ in range(40)]
    fitted = fit_rows(rows)
    assert len(kept(fitted)) == 129_950 // (units * 10_000 + 12)


# -- nothing fits --------------------------------------------------------------------------------


def test_one_row_over_the_cap_says_so():
    fitted = fit_rows([{"text": "x" * 4_000_000}] * 5)
    assert kept(fitted) == []
    assert fitted.payload == {"rows": [], "truncated": 5, "columns_dropped": 0}
    assert fitted.note == (
        "0 of 5 rows: the smallest alone takes 4,000,011 characters, "
        "and the budget is 130,000 characters."
    )


@pytest.mark.parametrize("choose", ["first", "spread", "largest", "smallest"])
def test_no_row_fits_whatever_is_chosen(choose):
    by = "id" if choose in ("largest", "smallest") else None
    rows = sales(40, text="😀" * 500)
    fitted = fit_rows(rows, 900, choose=choose, by=by)
    assert kept(fitted, 900) == []
    assert "1,0" in fitted.note


def test_a_budget_below_one_row():
    assert kept(fit_rows(sales(3), 64), 64) == []


def test_zero_rows():
    fitted = fit_rows([], spec=SPEC, keep=["id"], choose="largest", by="amount")
    assert kept(fitted) == []
    assert fitted.json == b'{"rows":[],"truncated":0,"columns_dropped":0}'
    assert (fitted.total, fitted.columns, fitted.missing) == (0, (), ("id",))


def test_rows_without_columns():
    assert kept(fit_rows([{}, {}], keep=["a"])) == [{}, {}]


# -- columns that are not there ------------------------------------------------------------------


def test_rows_with_different_keys():
    rows = [{"b": 1}, {"a": 2, "b": 3}, {}, {"c": "x" * 900}]
    assert fit_rows(rows).columns == ("b", "a", "c")
    fitted = fit_rows(rows, 200, keep=["a", "b"])
    assert kept(fitted, 200) == [{"b": 1}, {"a": 2, "b": 3}, {}, {}]
    assert fitted.columns == ("b", "a")
    assert fitted.dropped == ("c",)


def test_a_spec_without_fields_drops_nothing():
    for spec in (
        {"mark": "bar", "encoding": {"y": {"aggregate": "count"}}},
        {"mark": "bar", "encoding": {"x": {"field": "nowhere"}}},
    ):
        fitted = fit_rows(sales(100_000), spec=spec)
        assert fitted.dropped == ()
        assert kept(fitted) == sales(len(fitted.rows))


def test_a_field_that_is_not_there_is_ordinary():
    spec = {"mark": "bar", "encoding": {"x": {"field": "day"}, "y": {"field": "made_later"}}}
    assert fit_rows(sales(100_000), spec=spec).columns == ("day",)


def test_a_spec_that_needs_everything_drops_nothing():
    spec = SPEC | {"mark": {"type": "bar", "tooltip": {"content": "data"}}}
    assert fit_rows(sales(100_000), spec=spec, keep=["id"]).dropped == ()


def test_a_huge_spec():
    layers = [{"mark": "line", "encoding": {"y": {"field": "amount"}}} for _ in range(20_000)]
    assert fit_rows(sales(100_000), spec={"layer": layers}).columns == ("amount",)


@pytest.mark.parametrize("count", [0, 3, 100_000])
@pytest.mark.parametrize("spec", [7, {"a": 1}, [], "bar"])
def test_a_spec_that_is_none_is_refused_whatever_the_rows(spec, count):
    with pytest.raises(InvalidSetting, match="spec"):
        fit_rows(sales(count), spec=spec)


def test_a_name_in_keep_that_is_not_there_is_told():
    assert fit_rows(sales(3), keep=["id", "amuont"]).missing == ("amuont",)


@pytest.mark.parametrize("count", [3, 100_000])
def test_names_in_keep_of_which_none_is_there_are_refused(count):
    with pytest.raises(InvalidSetting, match="There are: 'id', 'day', 'amount'") as caught:
        fit_rows(sales(count), keep=["amuont"])
    assert caught.value.setting == "keep"


@pytest.mark.parametrize("keep", ["id", 7, [1], b"id", {"id": 1, 2: 3}])
def test_keep_is_a_list_of_names(keep):
    with pytest.raises(InvalidSetting, match="Give a list of names"):
        fit_rows(sales(3), keep=keep)


# -- budgets -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "budget",
    [
        Budget(bytes=5_000),
        Budget(tokens=1_500),
        Budget(tokens=1_500, bytes=3_000),
        Budget(chars=3_000, lines=40),
        Budget(chars=2_500, bytes=3_000),
        Budget(chars=50_000, tokens=2_500, safety=1.2),
    ],
    ids=str,
)
@pytest.mark.parametrize("choose", ["first", "spread", "largest"])
@pytest.mark.parametrize("text", ["word and word", "水は門で止まる", "😀", "a\nb\\n"])
def test_every_limit_of_a_budget_holds_and_is_used(budget, choose, text):
    rows = [{"at": at, "text": text * (at * 7 % 5)} for at in range(3_000)]
    by = "at" if choose == "largest" else None
    fitted = fit_rows(rows, budget, choose=choose, by=by)
    assert len(kept(fitted, budget)) > 1
    assert budget.admits(fitted.json, default_meter())
    assert budget.chars is None or fitted.size <= budget.chars
    assert fit_rows(rows, str(budget), choose=choose, by=by) == fitted
    if choose == "first":
        more = fitted.payload | {"rows": rows[: len(fitted.rows) + 1]}
        said = json.dumps(more, ensure_ascii=False, separators=(",", ":"))
        limit = budget.chars or 10**9
        assert not budget.admits(said.encode(), default_meter()) or length(said) > limit


def test_characters_of_a_budget_are_those_of_javascript_too():
    rows = [{"text": "😀" * 100} for _ in range(100)]
    assert len(kept(fit_rows(rows, "2kch"))) == len(kept(fit_rows(rows, 2_000))) == 9


@pytest.mark.parametrize("host", ["claude", "Claude Desktop", "claude-code", "codex"])
def test_the_name_of_a_host_is_its_cap(host):
    fitted = fit_rows(sales(100_000), host)
    assert fitted.truncated
    assert fitted.size <= 150_000
    if host.startswith("claude-code"):
        assert fitted.size <= 50_000


@pytest.mark.parametrize(
    "budget",
    [0, -1, 63, 1.5, True, None, "", "much", "12 parsecs", "10lines", [], {"chars": 5_000}],
)
def test_a_bad_budget_is_refused_and_says_what_to_give(budget):
    with pytest.raises(InvalidSetting, match=r"(?i)(give|write) a number") as caught:
        fit_rows(sales(3), budget)
    assert caught.value.setting.startswith("budget")


def test_a_number_that_is_too_small_is_told_the_least():
    with pytest.raises(InvalidSetting, match="at least 64"):
        fit_rows([], 63)


# -- depth ---------------------------------------------------------------------------------------


def test_a_row_that_nests_deep_can_be_sent():
    value: list = []
    for _ in range(5_000):
        value = [value]
    fitted = fit_rows([{"a": value}])
    assert fitted.size == len(fitted.json) == 45 + 6 + 2 * 5_001
    with pytest.raises(PenstockError, match="Send `json` as it is"):
        fitted.payload  # noqa: B018 (the property decodes)


def test_a_row_that_contains_itself_is_refused():
    row: dict = {"a": 1}
    row["self"] = [row]
    with pytest.raises(InvalidResult, match="contains itself"):
        fit_rows([row])
