"""The summary of a series: a few of its entries, with the first and the last."""

from __future__ import annotations

import math
import sys
import tracemalloc
import typing
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import msgspec
import numpy as np
import pandas as pd
import polars as pl
import pydantic
import pytest

from penstock.core.budget.measure import default_meter
from penstock.core.json.encoding import encode
from penstock.errors import InvalidResult, InvalidSetting, MissingExtra
from penstock.shaping import SUMMARY_TOKENS, Series, Shaper

START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class State:
    epoch: datetime
    position: list[float]
    altitude: float


def states(count):
    return [
        State(START + timedelta(minutes=n), [n / 7, -n / 3, 6_700.123456789], 400 + 20 * math.sin(n / 30))
        for n in range(count)
    ]  # fmt: skip


def tokens(payload):
    return default_meter().count(encode(payload).decode())


def test_it_is_a_shaper_and_takes_a_parameter():
    assert isinstance(Series([1]), Shaper)
    assert typing.get_args(Series[State]) == (State,)


@pytest.mark.parametrize("sampling", ["even", "lttb", "minmax"])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 11, 12, 13, 40, 1_440])
def test_a_summary_is_a_part_of_the_whole(sampling, count):
    series = Series(states(count), axis="epoch", name="states", sampling=sampling)
    summary, full = series.summary(), series.full()
    indices = summary["indices"]
    assert summary["states"] == [full["states"][index] for index in indices]
    assert all(one < other for one, other in pairwise(indices))
    assert len(indices) <= 12
    if count:
        assert (indices[0], indices[-1]) == (0, count - 1)
    assert summary["total"] == full["total"] == len(full["states"]) == count
    assert summary["returned"] == len(indices)
    assert summary["omitted"] == count - len(indices)
    assert tokens(summary) <= SUMMARY_TOKENS


@pytest.mark.parametrize("library", [pd, pl])
def test_the_rows_of_a_frame_are_entries(library):
    columns = {
        "t": [START + timedelta(days=n) for n in range(200)],
        "h": [n / 4 for n in range(200)],
    }
    rows = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
    options = {"axis": "t", "value": "h", "sampling": "lttb"}
    made = Series(library.DataFrame(columns), **options)
    assert made.summary() == Series(rows, **options).summary()
    assert made.full() == Series(rows, **options).full()


def test_a_frame_with_gaps_and_a_named_index():
    days = pd.Index(pd.to_datetime(["2026-01-02", None]), name="day")
    frame = pd.DataFrame({"n": pd.array([1, None], dtype="Int64")}, index=days)
    assert Series(frame, axis="day").full()["entries"] == [
        {"day": "2026-01-02T00:00:00", "n": 1},
        {"day": None, "n": None},
    ]


class Listed(msgspec.Struct, array_like=True):
    t: int
    h: float


class Root(pydantic.RootModel[list[int]]):
    pass


def test_entries_that_json_shows_as_lists():
    """The values in such a list are not names of fields."""
    drawn = Series([Listed(t=n, h=n / 2) for n in range(3)], axis="t").summary()["ascii_summary"]
    assert drawn.startswith("h\n")
    assert Series([Root([7])], value="h").summary()["ascii_summary"].startswith("h: no numbers")


def test_even_means_evenly_spaced():
    assert Series(range(23)).summary()["indices"] == list(range(0, 23, 2))
    gaps = {b - a for a, b in pairwise(Series(range(1_000)).summary()["indices"])}
    assert max(gaps) - min(gaps) <= 1


@pytest.mark.parametrize("sampling", ["lttb", "minmax"])
def test_sampling_by_form_finds_a_spike(sampling):
    heights = np.zeros(100_000)
    heights[54_321] = 1
    for entries in (heights, {"t": np.arange(100_000.0), "h": heights}, heights.tolist()):
        axis = "t" if isinstance(entries, dict) else None
        assert 54_321 in Series(entries, sampling=sampling, axis=axis).summary()["indices"]


@pytest.mark.parametrize("sampling", ["lttb", "minmax"])
def test_sampling_by_form_takes_any_axis_and_gaps(sampling):
    count = 200
    heights = [math.nan if n % 3 == 0 or n == count - 1 else math.sin(n) for n in range(count)]
    axes = (
        list(range(count)),
        [START + timedelta(days=n) for n in range(count)],
        [(START + timedelta(days=n)).date() for n in range(count)],
        np.arange("2026-01-01", "2026-07-20", dtype="datetime64[D]")[:count],
        [f"step {n}" for n in range(count)],
        list(range(count, 0, -1)),
    )
    for axis in axes:
        series = Series({"t": axis, "h": heights}, axis="t", value="h", sampling=sampling)
        indices = series.summary()["indices"]
        assert (indices[0], indices[-1]) == (0, count - 1)
        assert 3 <= len(indices) <= 12


@pytest.mark.parametrize("value", [math.nan, math.inf, None])
def test_nothing_to_go_by(value):
    for sampling in ("even", "lttb", "minmax"):
        series = Series({"h": [value] * 50}, value="h", sampling=sampling)
        assert len(series.summary()["indices"]) == 12
        assert "no numbers" in series.summary()["ascii_summary"]
        assert series.full()["entries"] == [{"h": None}] * 50


@pytest.mark.parametrize(
    "entries",
    [
        [1.5, 2.5, 3.5],
        (1.5, 2.5, 3.5),
        deque([1.5, 2.5, 3.5]),
        (n + 0.5 for n in (1, 2, 3)),
        np.array([1.5, 2.5, 3.5], np.float32),
        np.array([1.5, 2.5, 3.5], object),
        {"value": [1.5, 2.5, 3.5]},
        {"value": np.array([1.5, 2.5, 3.5])},
        np.array([(1.5,), (2.5,), (3.5,)], dtype=[("value", float)]),
        [np.float64(1.5), np.float32(2.5), np.float16(3.5)],
    ],
)
def test_numbers_of_every_kind(entries):
    series = Series(entries)
    assert series.full()["entries"] == [{"value": 1.5}, {"value": 2.5}, {"value": 3.5}]
    assert series.summary()["entries"] == series.full()["entries"]


def test_arrays_of_vectors_are_fields():
    series = Series({"t": np.arange(3), "r": np.arange(6).reshape(3, 2)}, axis="t")
    assert series.full()["entries"][1] == {"t": 1, "r": [2, 3]}
    assert "without a number to draw" in series.summary()["ascii_summary"]


def test_none_stays_null():
    assert Series([1, None, {"value": 2}]).full()["entries"] == [{"value": 1}, None, {"value": 2}]
    assert Series([None, None]).summary()["entries"] == [None, None]


def test_what_is_drawn_is_the_first_number_that_is_not_the_axis():
    entries = [{"t": n, "name": "a", "ok": True, "v": [1.0], "h": n * 2, "x": 0} for n in range(5)]
    assert Series(entries, axis="t").summary()["ascii_summary"].startswith("h\n")
    assert Series(entries).summary()["ascii_summary"].startswith("t\n")
    nested = [{"o": {"h": n}} for n in range(5)]
    assert Series(nested, value="o.h").summary()["ascii_summary"].startswith("o.h\n")


def test_what_was_not_asked_for_need_not_be_a_number():
    assert Series([{"h": 1}, {"h": "none"}, {}]).summary()["total"] == 3
    with pytest.raises(InvalidSetting, match="in entry 1 it is a str"):
        Series([{"h": 1}, {"h": "none"}], value="h")


def test_ten_million_entries_are_not_copied():
    entries = [0.5] * 10_000_000
    tracemalloc.start()
    series = Series(entries)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000  # a fortieth of the entries at a time
    assert series.summary()["indices"][-1] == 9_999_999
    assert tokens(Series(np.zeros(10_000_000)).summary()) <= SUMMARY_TOKENS


FAT = {
    "a long text": {"t": 1.5, "text": "word " * 2_000},
    "many fields": {"t": 1.5, **{f"field_{n}": n / 7 for n in range(300)}},
    "long names": {"t": 1.5, **{"n" * 3_000 + str(n): n for n in range(20)}},
    "CJK": {"t": 1.5, "文": "数据库管理" * 500},
}


@pytest.mark.parametrize("what", FAT)
def test_fat_entries_are_cut_and_say_so(what):
    series = Series([FAT[what]] * 30, axis="t", name="数" * 64)
    summary, whole = series.summary(), series.full()["数" * 64][0]
    assert tokens(summary) <= SUMMARY_TOKENS
    shown = summary["数" * 64]
    assert [entry["$at"] for entry in shown] == summary["indices"]
    assert summary["indices"][0] == 0
    assert summary["indices"][-1] == 29
    assert (summary["returned"], summary["omitted"]) == (0, 30)
    for entry in shown:
        kept = {name: value for name, value in entry.items() if not name.startswith("$")}
        assert kept.items() <= whole.items()
        assert entry["$size"] == len(encode(whole))


def test_one_fat_entry_does_not_cut_the_others():
    entries = [{"t": n, "note": "x" * 30} for n in range(12)]
    entries[0]["note"] = "word " * 5_000
    summary = Series(entries, axis="t").summary()
    assert summary["returned"] == 11
    assert summary["entries"][0]["t"] == 0
    assert "$omitted" in summary["entries"][0]


BAD_SHAPES = {
    "cannot be a str": lambda: Series("abc"),
    "cannot be a bytes": lambda: Series(b"abc"),
    "cannot be a set": lambda: Series({1, 2}),
    "cannot be a int": lambda: Series(7),
    "The field a of a series cannot be a int": lambda: Series({"a": 1}),
    "The fields differ in length: a 1, b 2": lambda: Series({"a": [1], "b": np.zeros(2)}),
    "2 dimensions": lambda: Series(np.zeros((2, 2))),
    "array of complex128": lambda: Series(np.zeros(2, complex)),
    "is a single value": lambda: Series({"a": np.array(1)}),
    "is a str": lambda: Series(["a", "b"]),
    "An entry from 2 on is a str": lambda: Series([1, 2, "b"]),
    "An entry is a list": lambda: Series([{"a": "x"}, [1]]),
    "is a bool": lambda: Series([True]),
    "is a complex": lambda: Series([1j]),
}


@pytest.mark.parametrize("told", BAD_SHAPES)
def test_what_is_no_series(told):
    with pytest.raises(InvalidResult) as caught:
        BAD_SHAPES[told]()
    assert told in caught.value.message
    assert "Give" in caught.value.next_step


NO_NUMBER = [{"name": "a", "ok": True, "v": [1.0, 2.0]}] * 3
BAD_SETTINGS = {
    "sampling = 'best'": lambda: Series([1], sampling="best"),
    "axis = 'tt': there is no such field. There are: name, ok, v": lambda: Series(NO_NUMBER, axis="tt"),
    "value = 'h': there is no such field": lambda: Series({"a": np.zeros(3)}, value="h"),
    "sampling = 'lttb': needs a numeric field": lambda: Series(NO_NUMBER, sampling="lttb"),
    "in entry 0 it is a bool": lambda: Series(NO_NUMBER, value="ok"),
    "in entry 0 it is a list": lambda: Series(NO_NUMBER, value="v"),
    "in entry 0 it is a complex": lambda: Series({"z": np.zeros(2, complex)}, value="z"),
    "name = 'total': is reserved for a summary's own field": lambda: Series([1], name="total"),
    "must be a name of 1 to 64": lambda: Series([1], name="n" * 65),
    "name = \"''\"": lambda: Series([1], name=""),
    "axis = '7'": lambda: Series([1], axis=7),
}  # fmt: skip


@pytest.mark.parametrize("told", BAD_SETTINGS)
def test_what_cannot_be_used(told):
    with pytest.raises(InvalidSetting) as caught:
        BAD_SETTINGS[told]()
    assert told in caught.value.message
    assert caught.value.next_step


def test_sampling_by_form_needs_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "tsdownsample", None)
    with pytest.raises(MissingExtra, match=r'in a clone, pip install "\.\[shaping\]"'):
        Series([1, 2, 3], sampling="lttb")
