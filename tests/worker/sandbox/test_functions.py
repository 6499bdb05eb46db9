"""The functions of SQL beyond SQLite's own, compared with those of Python's standard library."""

from __future__ import annotations

import json
import math
import re
import statistics
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.model.questions import Failure, Limits, WorkerAnswer
from penstock.worker.sandbox.functions import ADDED
from penstock.worker.sandbox.sql import Table

NUMBERS = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(-1e150, 1e150).filter(lambda number: number == 0 or abs(number) > 1e-150),
    st.floats(-1000, 1000).map(lambda number: round(number, 2)),
)
EXACT_SPREADS = {
    "stddev": statistics.stdev,
    "stddev_samp": statistics.stdev,
    "stddev_pop": statistics.pstdev,
    "variance": statistics.variance,
    "var_samp": statistics.variance,
    "var_pop": statistics.pvariance,
}


def asked(statement, rows=()):
    return Table([json.dumps(row).encode() for row in rows], "rows").answer(statement, Limits())


def answered(statement, rows=()):
    outcome = asked(statement, rows)
    assert isinstance(outcome, WorkerAnswer), outcome
    return [[*json.loads(row).values()] for row in outcome.rows]


def over_result(expression):
    return f"SELECT {expression} FROM result"  # noqa: S608 - our own expressions


def value(expression, *cells):
    """Return the value of an expression over a table whose column is `x`."""
    [[only]] = answered(over_result(expression), [{"x": cell} for cell in cells])
    return only


def refused(expression, *cells):
    outcome = asked(over_result(expression), [{"x": cell} for cell in cells])
    assert isinstance(outcome, Failure), outcome
    assert outcome.next_step
    return outcome


# -- aggregates


@given(st.lists(st.none() | NUMBERS, min_size=1))
def test_median_is_that_of_statistics(cells):
    numbers = [cell for cell in cells if cell is not None]
    got = value("median(x)", *cells)
    if not numbers:
        assert got is None
        return
    # The median of two equal integers is that integer; `statistics` gives a float.
    assert float(got) == float(statistics.median(numbers))


@given(st.lists(st.floats(-1e6, 1e6), min_size=2), st.integers(1, 9))
def test_quantile_is_that_of_statistics(numbers, tenth):
    expected = statistics.quantiles(numbers, n=10, method="inclusive")[tenth - 1]
    for name in ("quantile", "quantile_cont", "percentile_cont"):
        got = value(f"{name}(x, {tenth / 10})", *numbers)
        assert math.isclose(got, expected, rel_tol=1e-9, abs_tol=1e-6)


@pytest.mark.parametrize("name", EXACT_SPREADS)
@given(cells=st.lists(st.none() | NUMBERS, min_size=1))
def test_spreads_are_those_of_statistics(name, cells):
    numbers = [cell for cell in cells if cell is not None]
    if len(numbers) < (1 if name.endswith("pop") else 2):
        assert value(f"{name}(x)", *cells) is None
        return
    expected = EXACT_SPREADS[name](numbers)
    assert math.isclose(value(f"{name}(x)", *cells), expected, rel_tol=1e-9)


@given(st.lists(st.integers(0, 9), min_size=2))
def test_values_that_differ_only_in_their_last_digits(digits):
    numbers = [10**15 + digit / 8 for digit in digits]
    assert math.isclose(value("stddev(x)", *numbers), statistics.stdev(numbers), rel_tol=1e-9)


def test_ends_of_quantiles():
    assert value("quantile(x, 0)", 3, 1, 2) == 1
    assert value("quantile(x, 1)", 3, 1, 2) == 3
    assert value("quantile(x, 0.25)", 7) == 7


def test_groups_have_values_of_their_own():
    rows = [{"g": "a", "x": 1}, {"g": "a", "x": 4}, {"g": "b", "x": 7}, {"g": "c", "x": None}]
    statement = "SELECT g, median(x), stddev(x) FROM result GROUP BY g ORDER BY g"
    assert answered(statement, rows) == [
        ["a", 2.5, statistics.stdev([1, 4])],
        ["b", 7, None],
        ["c", None, None],
    ]
    assert answered("SELECT median(x) FROM result WHERE x > 100", rows) == [[None]]


@given(st.lists(st.none() | st.integers(-100, 100), min_size=1, max_size=30))
def test_windows(cells):
    statement = """SELECT median(x) OVER three, stddev_pop(x) OVER three, quantile(x, 1) OVER ()
        FROM result WINDOW three AS (ORDER BY rowid ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"""
    everything = [cell for cell in cells if cell is not None]
    rows = answered(statement, [{"x": cell} for cell in cells])
    for at, (median, stddev, most) in enumerate(rows):
        frame = [cell for cell in cells[max(0, at - 2) : at + 1] if cell is not None]
        assert median == (statistics.median(frame) if frame else None)
        if frame:
            assert math.isclose(stddev, statistics.pstdev(frame), abs_tol=1e-9)
        assert most == max(everything, default=None)


def test_a_text_that_is_a_number_counts_as_it_does_in_sum():
    cells = [" 2.5", "1e1", "+7", ".5", "007", 1]
    assert value("sum(x)", *cells) == 28
    assert value("median(x)", *cells) == 4.75
    assert value("median(x)", "9" * 30, 1, "8" * 30) == 8.888888888888889e29


@pytest.mark.parametrize("text", ["abc", "", "1,5", "2.5x", "nan", "inf", "1_000", "0x10", "1e400"])
@pytest.mark.parametrize("function", ["median(x)", "quantile(x, 0.5)", "variance(x)"])
def test_any_other_text_is_refused_and_not_zero(text, function):
    refusal = refused(function, 1, text)
    assert refusal.error.startswith(f"{function.split('(')[0]}: {text!r} is not a number")


def test_blobs_and_distances_beyond_floats_are_refused():
    assert "is not a number" in refused("median(x'00ff')", 1).error
    for numbers in ([1.7e308, -1.7e308], [-1.7e308, *[1.7e308] * 3], [1e308, *[-7e307] * 9]):
        assert "too large for a float" in refused("variance(x)", *numbers).error
    assert value("stddev_pop(x)", 1e308, 0) == 5e307
    assert value("median(x)", 1.7e308, 1.7e308, 1.6e308, 1.7e308) == 1.7e308
    assert value("median(x)", 1.7e308, 1.5e308) == 1.6e308


@pytest.mark.parametrize(("share", "said"), [("50", "50"), ("NULL", "None"), ("'x'", "'x'")])
def test_a_share_is_from_0_to_1(share, said):
    refusal = refused(f"quantile(x, {share})", 1)
    assert f"the second argument is {said}, and not a share" in refusal.error
    assert "quantile(column, 0.9)" in refusal.next_step


def test_a_share_is_the_same_for_all_rows():
    assert "differs" in refused("quantile(x, x)", 0, 1).error


# -- patterns

TEXTS = st.text("ab1 \n\\é", max_size=20)
PATTERNS = st.sampled_from(["a+", "(a)(b)?", "(?P<d>\\d)", "", "^", "(?i)A", "[^a]", "\\s+(.)"])


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


@given(TEXTS, PATTERNS)
def test_extract_is_that_of_re(text, pattern):
    match = re.search(pattern, text)
    arguments = f"{quoted(text)}, {quoted(pattern)}"
    assert value(f"regexp_extract({arguments})", 1) == (match[0] if match else None)
    for group in range(re.compile(pattern).groups + 1):
        expected = match[group] if match else None
        assert value(f"regexp_extract({arguments}, {group})", 1) == expected


@given(TEXTS, PATTERNS, st.sampled_from(["", "x", r"<\g<0>>", r"\\", "$1", "é"]))
def test_replace_is_that_of_re(text, pattern, replacement):
    arguments = ", ".join(map(quoted, (text, pattern, replacement)))
    assert value(f"regexp_replace({arguments})", 1) == re.sub(pattern, replacement, text)


def test_replace_is_the_same_for_long_texts():
    text = "ab" * 10_000
    assert value(r"regexp_replace(x, '(a)b', '\1-')", text) == "a-" * 10_000


def test_extract_by_name_and_numbers_as_text():
    assert value("regexp_extract(x, '(?P<year>\\d{4})', 'year')", "in 2026") == "2026"
    assert value("regexp_extract(x, '^..')", 1234) == "12"


@pytest.mark.parametrize(
    "expression",
    [
        "regexp_extract(NULL, 'a')",
        "regexp_extract('a', NULL)",
        "regexp_extract('a', 'a', NULL)",
        "regexp_replace(NULL, 'a', 'b')",
        "regexp_replace('a', NULL, 'b')",
        "regexp_replace('a', 'a', NULL)",
        "date_trunc('day', NULL)",
    ],
)
def test_null_gives_null(expression):
    assert value(expression, 1) is None


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("regexp_extract(x, '[')", "'[' is not a regular expression"),
        ("regexp_replace(x, '[', '')", "'[' is not a regular expression"),
        ("regexp_extract(x, 'a', 1)", "'a' has no group 1"),
        ("regexp_extract(x, 'a', -1)", "'a' has no group -1"),
        ("regexp_extract(x, 'a', 'n')", "'a' has no group n"),
        ("regexp_extract(x)", "regexp_extract takes a text, a pattern"),
        (r"regexp_replace(x, 'a', '\1')", r"'\\1' is not a replacement"),
        (r"regexp_replace(x, 'a', '\g<n>')", "is not a replacement"),
    ],
)
def test_bad_patterns_groups_and_replacements(expression, said):
    assert said in refused(expression, "abc").error


def test_a_replacement_that_grows_beyond_all_bounds():
    text = "y" * 10_000
    for pattern, replacement in (
        ("''", "x"),
        ("'.*'", r"replace(printf('%.*c', 6000, 'z'), 'z', '\g<0>')"),
    ):
        outcome = refused(f"regexp_replace(x, {pattern}, {replacement})", text)
        assert "more than 50,000,000 characters" in outcome.error


# -- dates

UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=st.none() | ZONES)  # noqa: DTZ001


def truncated(unit, moment):
    utc = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    if unit in ("hour", "minute", "second"):
        return utc.replace(tzinfo=None).isoformat(" ", {"hour": "hours"}.get(unit, f"{unit}s"))
    day = utc.date()
    if unit == "week":
        return str(day - timedelta(days=day.weekday()))
    if unit == "quarter":
        return str(day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1))
    return str(day.replace(**{"year": {"month": 1, "day": 1}, "month": {"day": 1}}.get(unit, {})))


@given(MOMENTS, st.sampled_from(UNITS), st.sampled_from(["T", " "]))
def test_date_trunc_is_that_of_datetime(moment, unit, between):
    got = value(f"date_trunc('{unit}', x)", moment.isoformat(between))
    assert got.ljust(19, "0").startswith(truncated(unit, moment))
    assert len(got) == (19 if unit in ("hour", "minute", "second") else 10)


@given(MOMENTS)
def test_date_trunc_agrees_with_sqlite(moment):
    text = moment.isoformat()
    assert value("date_trunc('day', x) = date(x)", text) == 1
    assert value("date_trunc('minute', x) = strftime('%Y-%m-%d %H:%M:00', x)", text) == 1


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-01-02T03:04:05+02:00", "2026-01-02 01:00:00"),
        ("2026-01-02T03:04:05Z", "2026-01-02 03:00:00"),
        ("2026-01-02T03:04:05.123456789z", "2026-01-02 03:00:00"),
        ("2026-01-02 03:04:05 +02:00", "2026-01-02 01:00:00"),
        ("2026-01-02T03:04:05+0200", "2026-01-02 01:00:00"),
        ("2026-01-02T03:04:05,5-05", "2026-01-02 08:00:00"),
        ("2026-01-02 03:04:05 UTC", "2026-01-02 03:00:00"),
        ("2026-01-02T03:04Z", "2026-01-02 03:00:00"),
        ("2026-01-02", "2026-01-02 00:00:00"),
        ("2026-02-31", None),
        ("yesterday", None),
        ("", None),
        ("2026-01", None),
        ("0001-01-01T00:00+05:00", None),
    ],
)
def test_forms_of_dates(text, hour):
    assert value("date_trunc('HOUR', x)", text) == hour


def test_units_and_numbers_that_are_refused():
    refusal = refused("date_trunc('fortnight', x)", "2026-01-02")
    assert "'fortnight' is not a unit" in refusal.error
    assert "year, quarter, month, week, day, hour, minute, second" in refusal.next_step
    assert "unixepoch" in refused("date_trunc('day', x)", 1767315845).next_step


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-02T03:04:05+02:00", "2026-01-02 01:04:05.000"),
        ("2026-01-02T03:04:05.250Z", "2026-01-02 03:04:05.250"),
    ],
)
def test_strftime_of_sqlite_reads_zones(text, expected):
    assert value("strftime('%Y-%m-%d %H:%M:%f', x)", text) == expected


# -- errors


def test_an_unknown_function_names_those_that_were_added():
    refusal = refused("mode(x)", 1)
    assert refusal.error == "SQLite: no such function: mode."
    assert all(name in refusal.next_step for name in ADDED)


def test_a_failure_is_not_told_twice():
    loaded = Table([b'{"x":"abc"}'], "rows")
    assert "not a number" in loaded.answer("SELECT median(x) FROM result", Limits()).error
    assert "syntax error" in loaded.answer("SELEC", Limits()).error
