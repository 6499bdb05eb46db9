"""Rows as database drivers print them: dates, times, decimals and UUIDs are values."""

from __future__ import annotations

import datetime as dt
import json
import uuid
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.core.json import rawjson
from penstock.core.results import formats
from penstock.core.results.formats import NearMiss, TextCut

ZONES = st.none() | st.timedeltas(
    dt.timedelta(hours=-23), dt.timedelta(hours=23)
).map(dt.timezone)  # fmt: skip
CELLS = st.one_of(
    st.dates(),
    st.datetimes(timezones=ZONES),
    st.times(timezones=ZONES),
    st.timedeltas(),
    st.uuids(),
    st.decimals(allow_nan=False, allow_infinity=False),
    st.text(),
    st.integers(),
)
ROWS = st.lists(st.tuples(CELLS, CELLS) | st.dictionaries(st.text(), CELLS, min_size=1), min_size=2)


def recognised(text):
    found = formats.recognise(rawjson.utf8(text))
    assert found is not None
    assert found.name == "python"
    return found.cut


def rows_of(text):
    cut = recognised(text)
    assert isinstance(cut, TextCut)
    rows = [row for block in cut.blocks for row in block]
    assert cut.prefix + cut.joint.join(rows) + cut.suffix == rawjson.utf8(text)
    return [
        json.loads(rawjson.text(row), parse_float=Decimal, parse_int=Decimal)
        for row in formats.decoded("python", rows, cut.reading)
    ]


def as_sent(value):
    match value:
        case tuple():
            return [as_sent(item) for item in value]
        case dict():
            return {key: as_sent(item) for key, item in value.items()}
        case dt.timedelta() | uuid.UUID():
            return str(value)
        case dt.date() | dt.time():
            return value.isoformat()
        case int():
            return Decimal(value)
    return value


def is_short(value):
    cells = value.values() if isinstance(value, dict) else value
    return all(not isinstance(cell, Decimal) or abs(cell.adjusted()) < 40 for cell in cells)


@given(ROWS)
@example([(dt.date(2026, 1, 5), "datetime.date(2026, 1, 5)"), (Decimal("9.90"), "Decimal('")])
@example([(Decimal("1E+3"), Decimal("-0.00")), (Decimal("0E-8"), 1)])
@example([(dt.datetime(2026, 1, 5, tzinfo=dt.UTC), 1), (1, 2)])
def test_the_repr_of_rows_is_their_values(rows):
    text = repr(rows)
    if "\\ud" in text or "fold=" in text or not all(map(is_short, rows)):
        return
    assert rows_of(text) == [as_sent(row) for row in rows]


def test_numbers_that_json_cannot_hold_stay_as_they_are_written():
    assert rows_of("[(Decimal('NaN'), 1), (Decimal('1E+1000000'), 2)]") == [
        ["NaN", 1],
        ["1E+1000000", 2],
    ]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("datetime.date(2026, 13, 1)", "datetime.date(2026, 13, 1) is no date"),
        ("os.system('rm')", "os.system is not a literal"),
        ("Decimal('x')", "a Decimal has a text that is no number"),
        ("UUID('x')", "UUID has a text that is none"),
        ("datetime.date(2026)", "datetime.date(2026) is no date"),
        ("mydatetime.date(2026, 1, 1)", "mydatetime.date is not a literal"),
        ("Decimal('1' + '2')", "Decimal is not a literal"),
    ],
)
def test_any_other_call_is_a_near_miss(call, reason):
    found = recognised(f"[{{'a': 1, 'b': {call}}}, {{'a': 2, 'b': None}}]")
    assert isinstance(found, NearMiss)
    assert found.reason == reason
