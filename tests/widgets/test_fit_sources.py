"""The sources of rows: objects of many libraries, generators, frames; and what is refused."""

import datetime as dt
import json
import math
import sqlite3
import subprocess
import sys
import uuid
from collections import OrderedDict, namedtuple
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from types import MappingProxyType

import attrs
import msgspec
import numpy as np
import pandas as pd
import polars as pl
import pydantic
import pytest

from penstock.core.json.encoding import encode
from penstock.errors import InvalidResult, InvalidSetting
from penstock.widgets import fit_rows


@dataclass
class Plain:
    id: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Slotted:
    id: int
    amount: Decimal


@attrs.define
class Attrs:
    id: int
    amount: Decimal
    _hidden: int = 3


class Struct(msgspec.Struct):
    id: int
    amount: Decimal


class Model(pydantic.BaseModel):
    id: int
    amount: Decimal


Named = namedtuple("Named", "id amount")  # noqa: PYI024 (this kind is meant)


@pytest.mark.parametrize(
    "kind",
    [Plain, Slotted, Attrs, Struct, Model, Named, dict, OrderedDict,
     lambda **row: MappingProxyType(row)],
)  # fmt: skip
def test_objects_are_rows(kind):
    rows = [kind(id=at, amount=Decimal(at) / 4) for at in range(5_000)]
    fitted = fit_rows(rows[:3])
    assert fitted.rows == [
        {"id": 0, "amount": "0"},
        {"id": 1, "amount": "0.25"},
        {"id": 2, "amount": "0.5"},
    ]
    assert fitted.columns == ("id", "amount")
    pruned = fit_rows(rows, 2_000, keep=["id"], choose="largest", by="amount")
    assert pruned.rows[-1] == {"id": 4_999}
    assert pruned.dropped == ("amount",)


def test_objects_of_many_kinds_together():
    rows = [Plain(1, Decimal(2)), {"id": 3, "more": 4}, Model(id=5, amount=6)]
    assert fit_rows(rows).rows == [
        {"id": 1, "amount": "2"},
        {"id": 3, "more": 4},
        {"id": 5, "amount": "6"},
    ]


def test_fields_with_another_name_in_json():
    class Renamed(msgspec.Struct, rename="camel"):
        first_name: str

    assert fit_rows([Renamed("Ada")]).rows == [{"firstName": "Ada"}]


def test_a_model_with_types_that_only_pydantic_knows():
    class Site(pydantic.BaseModel):
        url: pydantic.AnyUrl
        secret: str

    rows = [Site(url="https://example.org/", secret="x" * 200) for _ in range(20)]
    assert fit_rows(rows).rows[0] == {"url": "https://example.org/", "secret": "x" * 200}
    assert fit_rows(rows, 1_500, keep=["url"]).rows == [{"url": "https://example.org/"}] * 20


def test_rows_of_a_database():
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    assert fit_rows(connection.execute("SELECT 1 AS a, 'x' AS b")).rows == [{"a": 1, "b": "x"}]
    connection.close()


def test_a_generator_is_read_once():
    def rows():
        yield {"a": 1}
        yield {"a": 2}

    given = rows()
    assert fit_rows(given).rows == [{"a": 1}, {"a": 2}]
    assert list(given) == []


@pytest.mark.parametrize("given", [({"a": 1},), {"x": {"a": 1}}.values(), iter([{"a": 1}])])
def test_any_iterable_will_do(given):
    assert fit_rows(given).rows == [{"a": 1}]


# -- values --------------------------------------------------------------------------------------


class Colour(Enum):
    RED = "red"


VALUES = {
    "datetime": dt.datetime(2026, 1, 2, 3, 4, 5, tzinfo=dt.UTC),
    "date": dt.date(2026, 1, 2),
    "time": dt.time(3, 4),
    "span": dt.timedelta(days=1),
    "decimal": Decimal("1.50"),
    "uuid": uuid.UUID(int=7),
    "enum": Colour.RED,
    "bytes": b"\x00\xff",
    "set": {1},
    "nan": math.nan,
    "infinity": -math.inf,
    "decimal nan": Decimal("NaN"),
    "decimal infinity": [Decimal("-Infinity"), {"a": Decimal("sNaN12")}],
    "long": 10**30,
    "float": 1e300,
    "nested": {"a": [1, {"b": None}]},
    "lone": "\ud800",
    "model": Plain(1, Decimal(2)),
}


def test_values_are_those_of_every_result():
    fitted = fit_rows([VALUES])
    assert fitted.json.startswith(b'{"rows":[' + encode(VALUES) + b"]")
    assert fitted.rows[0] == json.loads(encode(VALUES))
    assert fitted.rows[0]["nan"] is None
    assert fitted.rows[0]["infinity"] is None
    assert fitted.rows[0]["decimal nan"] is None
    assert fitted.rows[0]["decimal infinity"] == [None, {"a": None}]
    assert fitted.rows[0]["long"] == 10**30


@pytest.mark.parametrize(
    "kind",
    [Plain, Slotted, Attrs, Struct, Model.model_construct, Named, dict, OrderedDict,
     lambda **row: MappingProxyType(row), lambda **row: pd.Series(row)],
)  # fmt: skip
@pytest.mark.parametrize("value", ["NaN", "sNaN", "-NaN7", "Infinity", "-Infinity"])
def test_a_decimal_that_is_no_number_is_null(kind, value):
    rows = [kind(id=7, amount=Decimal(value)), kind(id=8, amount=Decimal(1))]
    assert fit_rows(rows).rows == [
        {"id": 7, "amount": None},
        {"id": 8, "amount": "1"},
    ]


def test_a_decimal_of_a_frame_that_is_no_number_is_null():
    frame = pd.DataFrame({"a": [Decimal("NaN"), Decimal("1.5")], "b": ["NaN", "Infinity"]})
    assert fit_rows(frame).rows == [{"a": None, "b": "NaN"}, {"a": "1.5", "b": "Infinity"}]


def test_values_of_numpy_and_pandas_in_plain_rows():
    row = {
        "int": np.int64(7),
        "float": np.float32(0.5),
        "nan": np.float64("nan"),
        "bool": np.True_,
        "day": np.datetime64("2026-01-02"),
        "array": np.array([[1, 2], [3, 4]]),
        "nested": {"a": [np.int8(1), pd.NA, (np.int8(2),)]},
        "moment": pd.Timestamp("2026-01-02T03:04:05Z"),
        "fine": pd.Timestamp("2026-01-02T03:04:05.123456789"),
        "span": pd.Timedelta(days=1),
        "no moment": pd.NaT,
        "month": pd.Period("2026-01", "M"),
        "range": pd.Interval(0, 1),
        "series": pd.Series([1, 2]),
        np.int64(3): "key",
    }
    assert fit_rows([row]).rows == [
        {
            "int": 7,
            "float": 0.5,
            "nan": None,
            "bool": True,
            "day": "2026-01-02",
            "array": [[1, 2], [3, 4]],
            "nested": {"a": [1, None, [2]]},
            "moment": "2026-01-02T03:04:05Z",
            "fine": "2026-01-02T03:04:05.123456789",
            "span": "P1D",
            "no moment": None,
            "month": "2026-01",
            "range": "(0, 1]",
            "series": [1, 2],
            "3": "key",
        }
    ]


def test_keys_that_are_no_texts_are_named_as_json_names_them():
    rows = [{2024: 1, 2025: at, None: "x" * 200, "other": 3} for at in range(500)]
    assert fit_rows(rows[:1]).columns == ("2024", "2025", "null", "other")
    fitted = fit_rows(rows, 700, keep=["2025"], choose="largest", by="2025")
    assert fitted.rows[-1] == {"2025": 499}


@pytest.mark.parametrize("kind", [list, pd.DataFrame])
def test_a_value_without_a_json_form_is_named_by_its_place(kind):
    rows = kind([{"a": 1}, {"a": {"b": object()}}])
    with pytest.raises(InvalidResult, match="object at /1/a/b") as caught:
        fit_rows(rows)
    assert caught.value.path == "/1/a/b"


def test_named_tuples_in_cells_are_lists():
    rows = [{"a": [Named(1, Decimal("1.5"))]}]
    assert fit_rows(rows).rows == [{"a": [[1, "1.5"]]}]


def test_a_key_without_a_json_form_is_refused():
    with pytest.raises(InvalidResult, match="key of type tuple"):
        fit_rows([{(1, 2): 3}])


# -- frames --------------------------------------------------------------------------------------


def test_a_frame_of_pandas():
    frame = pd.DataFrame(
        {
            "int": [1, 2],
            "float": [0.5, None],
            "nullable": pd.array([1, None], dtype="Int64"),
            "truth": pd.array([True, None], dtype="boolean"),
            "text": ["a", None],
            "kind": pd.Categorical(["x", None]),
            "moment": pd.to_datetime(["2026-01-02T03:04:05", None]),
            "zoned": pd.to_datetime(["2026-01-02", None]).tz_localize("Europe/Paris"),
            "span": pd.to_timedelta([1, None], unit="D"),
            "month": pd.period_range("2026-01", periods=2, freq="M"),
            "decimal": [Decimal("1.5"), None],
            "mixed": [np.int64(3), [np.float32(1), {"a": pd.NaT}]],
            7: [math.inf, 1.0],
        }
    )
    fitted = fit_rows(frame)
    assert fitted.columns == tuple(str(name) for name in frame)
    assert fitted.rows == [
        {
            "int": 1, "float": 0.5, "nullable": 1, "truth": True, "text": "a", "kind": "x",
            "moment": "2026-01-02T03:04:05", "zoned": "2026-01-02T00:00:00+01:00", "span": "P1D",
            "month": "2026-01", "decimal": "1.5", "mixed": 3, "7": None,
        },
        {
            "int": 2, "float": None, "nullable": None, "truth": None, "text": None, "kind": None,
            "moment": None, "zoned": None, "span": None,
            "month": "2026-02", "decimal": None, "mixed": [1.0, {"a": None}], "7": 1.0,
        },
    ]  # fmt: skip


def test_a_frame_of_polars():
    frame = pl.DataFrame(
        {
            "int": [1, None],
            "float": [math.nan, 0.5],
            "text": ["水", None],
            "kind": pl.Series(["x", None], dtype=pl.Categorical),
            "moment": [dt.datetime(2026, 1, 2, tzinfo=dt.UTC), None],
            "day": [dt.date(2026, 1, 2), None],
            "span": [dt.timedelta(1), None],
            "decimal": [Decimal("1.5"), None],
            "list": [[1, None], []],
            "object": [{"a": 1}, {"a": None}],
            "bytes": [b"\x00", None],
        }
    )
    expected = [
        {
            "int": 1, "float": None, "text": "水", "kind": "x", "moment": "2026-01-02T00:00:00Z",
            "day": "2026-01-02", "span": "P1D", "decimal": "1.5", "list": [1, None],
            "object": {"a": 1}, "bytes": "AA==",
        },
        {
            "int": None, "float": 0.5, "text": None, "kind": None, "moment": None,
            "day": None, "span": None, "decimal": None, "list": [], "object": {"a": None}, "bytes": None,
        },
    ]  # fmt: skip
    assert fit_rows(frame).rows == expected
    assert fit_rows(frame.lazy()).rows == expected


@pytest.mark.parametrize("choose", ["first", "spread", "largest", "smallest"])
@pytest.mark.parametrize("keep", [None, ["id", "day"]])
@pytest.mark.parametrize("budget", [300, 5_000, "2kB"])
def test_a_frame_is_fitted_as_its_rows_are(choose, keep, budget):
    rows = [
        {
            "id": at,
            "value": None if at % 9 == 0 else (at * 7_919) % 1_009 / 4,
            "day": dt.datetime(2026, 1, 1) + dt.timedelta(hours=at),  # noqa: DTZ001 (as frames have them)
            "text": "水" * (at % 50),
        }
        for at in range(2_000)
    ]
    options = {"keep": keep, "choose": choose, "by": "value" if "est" in choose else None}
    fitted = fit_rows(rows, budget, **options)
    assert fitted.truncated
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows)):
        assert fit_rows(frame, budget, **options) == fitted


def test_an_index_is_data_unless_it_counts_the_rows():
    frame = pd.DataFrame({"a": [1, 2]}, index=["x", "y"])
    assert fit_rows(frame).rows == [{"index": "x", "a": 1}, {"index": "y", "a": 2}]
    assert fit_rows(frame.reset_index(drop=True)).rows == [{"a": 1}, {"a": 2}]
    assert fit_rows(frame.rename_axis("label")).rows == [
        {"label": "x", "a": 1},
        {"label": "y", "a": 2},
    ]
    levels = pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["label", None])
    assert fit_rows(frame.set_index(levels)).rows == [
        {"label": "x", "level_1": 1, "a": 1},
        {"label": "y", "level_1": 2, "a": 2},
    ]
    assert fit_rows(frame.set_index("a", drop=False)).rows == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize(
    ("part", "labels"),
    [
        (slice(2, 4), [2, 3]),
        (slice(None, None, 2), [0, 2, 4]),
        (slice(None, None, -1), [4, 3, 2, 1, 0]),
        (slice(4, 5), [4]),
    ],
)
def test_the_index_of_a_slice_is_data(part, labels):
    """The index says which rows these are, as with `reset_index`."""
    frame = pd.DataFrame({"a": list("vwxyz")}).iloc[part]
    assert type(frame.index) is pd.RangeIndex
    assert fit_rows(frame).rows == [{"index": at, "a": "vwxyz"[at]} for at in labels]
    assert fit_rows(frame).rows == fit_rows(frame.reset_index()).rows


@pytest.mark.parametrize("part", [slice(0, 3), slice(0, 1, 5), slice(0, 0), slice(3, 3)])
def test_an_index_that_counts_from_zero_is_no_column(part):
    assert fit_rows(pd.DataFrame({"a": list("vwxyz")}).iloc[part]).columns == ("a",)


def test_an_index_that_does_not_fit_is_counted():
    frame = pd.DataFrame({"a": range(9_000), "b": "x" * 90}).iloc[1_000:]
    fitted = fit_rows(frame, keep=["a"])
    assert fitted.columns == ("a",)
    assert fitted.dropped == ("index", "b")
    assert fitted.note == "1 of 3 columns."


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_without_rows_or_columns(library):
    assert fit_rows(library.DataFrame()).json == fit_rows([]).json
    empty = fit_rows(library.DataFrame({"a": []}), choose="largest", by="a")
    assert (empty.rows, empty.columns, empty.total) == ([], ("a",), 0)
    with pytest.raises(InvalidSetting, match="no row has this column"):
        fit_rows(library.DataFrame({"a": [1]}), choose="largest", by="b")


def test_rows_without_columns_of_a_frame_are_counted():
    assert fit_rows(pd.DataFrame(index=range(3))).rows == [{}, {}, {}]


def test_a_class_that_is_a_frame_underneath():
    class Own(pd.DataFrame):
        pass

    assert fit_rows(Own({"a": [1]})).rows == [{"a": 1}]


def test_columns_of_a_frame_that_share_a_name_are_all_kept():
    assert fit_rows(pd.DataFrame([[1, 2]], columns=["a", "a"])).rows == [{"a": 1, "a_2": 2}]
    assert fit_rows(pd.DataFrame([[1, 2]], columns=["1", 1])).columns == ("1", "1_2")
    levels = pd.MultiIndex.from_tuples([("a", "b")])
    assert fit_rows(pd.DataFrame([[1]], columns=levels)).rows == [{"a.b": 1}]


def test_rows_of_pandas_are_rows():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    rows = [row for _, row in frame.iterrows()]
    assert fit_rows(rows).rows == fit_rows(frame).rows


@pytest.mark.parametrize("column", [pd.Series([1]), pl.Series([1])])
def test_one_column_is_no_frame(column):
    with pytest.raises(InvalidSetting, match="to_frame"):
        fit_rows(column)


def test_neither_library_is_imported():
    report = (
        "import sys\n"
        "from penstock.widgets import fit_rows\n"
        "fit_rows([{'a': 1}] * 99_999, choose='largest', by='a')\n"
        "print([name for name in ('pandas', 'polars', 'numpy', 'pydantic') if name in sys.modules])"
    )
    command = [sys.executable, "-c", report]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- what is no row --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows", [{"a": [1, 2]}, {}, "rows", b"rows", 7, None, Plain(1, Decimal(1)), object()]
)
def test_what_is_no_list_of_rows_is_refused(rows):
    with pytest.raises(InvalidSetting, match="Give a list of rows") as caught:
        fit_rows(rows)
    assert caught.value.setting == "rows"
    assert caught.value.value == type(rows).__name__


class Root(pydantic.RootModel[list[int]]):
    pass


@pytest.mark.parametrize(
    "row", [7, None, "text", [1, 2], (1, 2), Plain, Model, Root([1]), np.int64(1), object()]
)
def test_what_is_no_row_is_refused_by_its_place(row):
    with pytest.raises(InvalidSetting, match="Give a list of rows") as caught:
        fit_rows([{"a": 1}, row])
    assert caught.value.setting == "rows[1]"


def test_names_that_are_one_in_json_are_refused():
    with pytest.raises(InvalidResult, match="Two columns are called '1'"):
        fit_rows([{1: "a", "1": "b"}])
