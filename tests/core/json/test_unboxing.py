"""Values of numpy, pandas and polars: alone, nested, as keys, and in the count of nulls."""

import json
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from penstock.core.json.encoding import encode
from penstock.core.json.non_finite import count_non_finite
from penstock.errors import InvalidResult

NAN, INF = float("nan"), float("inf")
LONE = "\ud800"  # only the slow way accepts it

RECORD_TYPE = [("id", "i4"), ("at", "M8[s]")]


class Stamp(pd.Timestamp):
    """A subclass of a pandas type."""


SCALARS = {
    "int": (np.int64(-7), -7),
    "large int": (np.uint64(2**64 - 1), 2**64 - 1),
    "float16": (np.float16(0.5), 0.5),
    "float32": (np.float32(0.5), 0.5),
    "float64": (np.float64(0.1), 0.1),
    "longdouble": (np.longdouble(0.5), 0.5),
    "not a number": (np.float32("nan"), None),
    "infinity": (np.float64("inf"), None),
    "bool": (np.True_, True),
    "str": (np.str_("é"), "é"),
    "bytes": (np.bytes_(b"\xff"), "/w=="),
    "day": (np.datetime64("2026-01-02"), "2026-01-02"),
    "moment": (np.datetime64("2026-01-02T03:04:05.123456789"), "2026-01-02T03:04:05.123456789"),
    "no moment": (np.datetime64("NaT"), None),
    "span": (np.timedelta64(90, "s"), "PT90S"),
    "span in nanoseconds": (np.timedelta64(1_500_000_000, "ns"), "PT1.5S"),
    "fine span": (np.timedelta64(7, "ns"), "7 nanoseconds"),
    "span of months": (np.timedelta64(7, "M"), "7 months"),
    "no span": (np.timedelta64("NaT"), None),
    "record": (np.array([(1, "2026-01-02")], RECORD_TYPE)[0], {"id": 1, "at": "2026-01-02T00:00:00"}),
    "masked": (np.ma.masked, None),
    "Timestamp": (pd.Timestamp("2026-01-02T03:04:05Z"), "2026-01-02T03:04:05Z"),
    "zoned": (pd.Timestamp("2026-01-02", tz="Europe/Paris"), "2026-01-02T00:00:00+01:00"),
    "fine": (pd.Timestamp("2026-01-02T03:04:05.123456789"), "2026-01-02T03:04:05.123456789"),
    "far": (pd.Timestamp(np.datetime64("20000-01-02", "s")), "20000-01-02T00:00:00"),
    "derived": (Stamp("2026-01-02"), "2026-01-02T00:00:00"),
    "NaT": (pd.NaT, None),
    "NA": (pd.NA, None),
    "Timedelta": (pd.Timedelta(days=1, seconds=3.5), "P1DT3.5S"),
    "fine Timedelta": (pd.Timedelta(7, "ns"), "P0DT0H0M0.000000007S"),
    "far Timedelta": (pd.Timedelta(np.timedelta64(10**15, "s")), "P11574074074DT1H46M40S"),
    "Period": (pd.Period("2026-01", "M"), "2026-01"),
    "Interval": (pd.Interval(0, 1), "(0, 1]"),
}  # fmt: skip
LISTS = {
    "vector": (np.arange(3), [0, 1, 2]),
    "matrix": (np.arange(4.0).reshape(2, 2), [[0.0, 1.0], [2.0, 3.0]]),
    "cube": (np.zeros((1, 2, 1), dtype=np.float32), [[[0.0], [0.0]]]),
    "none": (np.zeros((0, 3)), []),
    "days": (np.array([["2026-01-02", "NaT"]], "M8[D]"), [["2026-01-02", None]]),
    "texts": (np.array(["a", "b"]), ["a", "b"]),
    "long floats": (np.array([0.5], np.longdouble), [0.5]),
    "objects": (np.array([np.int8(1), {"a": pd.NA}], object), [1, {"a": None}]),
    "masked numbers": (np.ma.array([1, 2], mask=[0, 1]), [1, None]),
    "masked days": (np.ma.array(["2026-01-02"] * 2, "M8[D]", mask=[1, 0]), [None, "2026-01-02"]),
    "records": (np.array([(1, "NaT")], RECORD_TYPE), [{"id": 1, "at": None}]),
    "masked records": (np.ma.array([(1, 2)], mask=[(0, 1)], dtype=[("a", int), ("b", int)]), [{"a": 1, "b": None}]),
    "pandas Series": (pd.Series([1.5, None, INF]), [1.5, None, None]),
    "Index": (pd.Index(["a", "b"]), ["a", "b"]),
    "DatetimeIndex": (pd.to_datetime(["2026-01-02", None]), ["2026-01-02T00:00:00", None]),
    "Categorical": (pd.Categorical(["x", None]), ["x", None]),
    "nullable": (pd.array([1, None], dtype="Int64"), [1, None]),
    "polars Series": (pl.Series([Decimal("1.50"), None]), ["1.50", None]),
    "no dimension": (np.array(7), 7),
    "no dimension, a day": (np.array("2026-01-02", "M8[D]"), "2026-01-02"),
}  # fmt: skip


@pytest.mark.parametrize("name", SCALARS | LISTS)
@pytest.mark.parametrize("beside", [None, LONE], ids=["fast", "slow"])
def test_forms(name, beside):
    value, expected = (SCALARS | LISTS)[name]
    assert json.loads(encode(value)) == expected
    nested = {"rows": [{"x": value}, (value, beside)], "more": {"deep": [value]}}
    assert json.loads(encode(nested)) == {
        "rows": [{"x": expected}, [expected, beside]],
        "more": {"deep": [expected]},
    }


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (np.int64(3), "3"),
        (np.float64(1.5), "1.5"),
        (np.str_("a"), "a"),
        (np.datetime64("2026-01-02"), "2026-01-02"),
        (np.True_, "1"),
        (pd.Timestamp("2026-01-02"), "2026-01-02T00:00:00"),
        (pd.NaT, "null"),
        (pd.Period("2026-01", "M"), "2026-01"),
        (pd.Interval(0, 1), "(0, 1]"),
    ],
    ids=str,
)
@pytest.mark.parametrize("beside", [0, LONE], ids=["fast", "slow"])
def test_keys(key, name, beside):
    assert json.loads(encode({key: beside})) == {name: beside}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (np.complex128(1j), ""),
        ({"a": np.array([1j])}, "/a/0"),
        ([np.array([1, object()])], "/0/1"),
        (pd.Series([object()]), "/0"),
        ({"a": pl.col("x")}, "/a"),
    ],
    ids=["complex", "complex array", "object array", "column", "expression"],
)
def test_what_has_no_form_is_named_by_its_path(value, path):
    with pytest.raises(InvalidResult, match="has no JSON form") as raised:
        encode(value)
    assert raised.value.path == path


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (np.float32("nan"), 1),
        ({"a": [np.float64("inf"), 1.5]}, 1),
        (np.array([[NAN, 1.0], [INF, -INF]]), 3),
        (np.array([NAN], np.float16), 1),
        (np.array([1, None], object), 0),
        (np.ma.array([1.0, NAN], mask=[1, 0]), 1),
        (pd.Series([1.0, NAN]), 1),
        ([pd.NaT, pd.NA, None, np.datetime64("NaT")], 0),
        (pl.Series([1.0, NAN, None]), 1),
        (pd.DataFrame({"a": [NAN, 1.0], "b": [INF, 2.0]}), 2),
        (pl.DataFrame({"a": [NAN, None]}), 1),
    ],
    ids=range(11),
)
def test_what_became_null_is_counted(value, count):
    assert count_non_finite(value, encode(value)) == count


def test_no_library_is_imported():
    report = (
        "import sys, datetime\n"
        "from penstock.core.json.encoding import encode\n"
        "class Day(datetime.date): pass\n"
        "encode([Day(2026, 1, 2), {1, 2}, range(3)])\n"
        "names = ('numpy', 'pandas', 'polars', 'pydantic', 'attrs', 'sqlite3')\n"
        "print([name for name in names if name in sys.modules])"
    )
    command = [sys.executable, "-c", report]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
