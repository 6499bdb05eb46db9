"""Frames of pandas and polars become lists of rows anywhere in a value."""

import json
import math
from collections import namedtuple

import numpy as np
import pandas as pd
import polars as pl
import pytest

from penstock.core.json.encoding import encode
from penstock.core.json.frames import read_frame
from penstock.core.results.document import read_value
from penstock.errors import InvalidResult

COLUMNS = {"id": [1, 2], "x": [0.5, math.nan], "name": ["a", None]}
ROWS = [{"id": 1, "x": 0.5, "name": "a"}, {"id": 2, "x": None, "name": None}]
Pair = namedtuple("Pair", "x y")  # noqa: PYI024 (tools return these too)


class Own(pd.DataFrame):
    """A subclass of a frame."""


FRAMES = {
    "pandas": pd.DataFrame(COLUMNS),
    "derived": Own(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
    "lazy": pl.LazyFrame(COLUMNS),
}


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("beside", [0, "\ud800"], ids=["fast", "slow"])
def test_a_frame_is_a_list_of_rows(name, beside):
    frame = FRAMES[name]
    assert json.loads(encode(frame)) == ROWS
    nested = {"frames": [frame, beside], "more": {"deep": frame}}
    assert json.loads(encode(nested)) == {"frames": [ROWS, beside], "more": {"deep": ROWS}}


def test_the_levels_of_an_index_come_first():
    frame = pd.DataFrame({"a": [1]}, index=pd.Index(["x"], name="label"))
    assert encode(frame) == b'[{"label":"x","a":1}]'
    assert encode(frame.rename_axis(None)) == b'[{"index":"x","a":1}]'
    assert encode(frame.rename_axis("a")) == b'[{"a_2":"x","a":1}]'
    assert encode(frame.reset_index(drop=True)) == b'[{"a":1}]'
    assert encode(frame.reset_index(drop=True).rename_axis("n")) == b'[{"n":0,"a":1}]'


@pytest.mark.parametrize(
    ("names", "shown"),
    [(["k", "k"], ["k", "k_2"]), ([None, None], ["level_0", "level_1"]), (["k", 7], ["k", "7"])],
)
def test_every_level_of_an_index_is_kept(names, shown):
    index = pd.MultiIndex.from_tuples([("x", 1)], names=names)
    assert json.loads(encode(pd.DataFrame({"a": [2]}, index=index))) == [
        {shown[0]: "x", shown[1]: 1, "a": 2}
    ]


GROUPED = pd.DataFrame({"k": ["x", "x", "y"], "v": [1, 2, 3]})
LABELLED = {
    "groups": (GROUPED.groupby("k").v.sum(), {"x": 3, "y": 3}),
    "row": (GROUPED.iloc[2], {"k": "y", "v": 3}),
    "numbers": (GROUPED.v[[2, 0, 1]], {"2": 3, "0": 1, "1": 2}),
    "labels twice": (
        GROUPED.set_index("k").v,
        [{"k": "x", "v": 1}, {"k": "x", "v": 2}, {"k": "y", "v": 3}],
    ),
    "twice in JSON": (
        pd.Series([1, 2], index=["1", 1]),
        [{"index": "1", "value": 1}, {"index": 1, "value": 2}],
    ),
    "two levels": (
        GROUPED.groupby(["k", "v"]).v.count().rename("n").tail(1),
        [{"k": "y", "v": 3, "n": 1}],
    ),
}


@pytest.mark.parametrize("name", LABELLED)
def test_the_labels_of_a_column_are_kept(name):
    column, expected = LABELLED[name]
    assert json.loads(encode(column)) == expected
    assert whole(read_value(column)) == expected
    assert whole(read_value({"about": "it", "it": column})) == {"about": "it", "it": expected}


def whole(document):
    rows = [row for block in document.blocks for row in block]
    return json.loads(document.prefix + document.joint.join(rows) + document.suffix)


def test_columns_that_are_no_texts():
    frame = pd.DataFrame([[1, 2]], columns=[2025, pd.Timestamp("2026-01-02")])
    assert json.loads(encode(frame)) == [{"2025": 1, "2026-01-02T00:00:00": 2}]


def test_records_in_cells():
    frame = pd.DataFrame({"a": [Pair(1, [np.int8(2)])]})
    assert json.loads(encode(frame)) == [{"a": [1, [2]]}]


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        (["a", "a"], ["a", "a_2"]),
        (["1", 1], ["1", "1_2"]),
        (["a", "a_2", "a"], ["a", "a_2", "a_3"]),
        ([None, object], ["null", "<class 'object'>"]),
        (pd.MultiIndex.from_tuples([("a", "b"), ("a", 2), ("c", "")]), ["a.b", "a.2", "c"]),
        (pd.MultiIndex.from_tuples([("a.b", "c"), ("a", "b.c")]), ["a.b.c", "a.b.c_2"]),
    ],
)
def test_every_column_is_kept_under_a_name_of_its_own(columns, names):
    values = list(range(len(names)))
    expected = dict(zip(names, values, strict=True))
    frame = pd.DataFrame([values], columns=columns, dtype=object)
    assert json.loads(encode(frame)) == [expected]
    assert read_frame(frame).columns == tuple(names)


@pytest.mark.parametrize(
    ("dtype", "fine", "coarse"),
    [
        (pl.Datetime("ns"), "1970-01-01T00:00:00.000000001", "1970-01-01T00:00:00.000001"),
        (pl.Datetime("ns", "UTC"), "1970-01-01T00:00:00.000000001+00:00", "1970-01-01T00:00:00.000001Z"),
        (pl.Duration("ns"), "PT0.000000001S", "PT0.000001S"),
        (pl.Time, "00:00:00.000000001", "00:00:00.000001"),
    ],
)  # fmt: skip
def test_the_nanoseconds_of_polars_are_kept(dtype, fine, coarse):
    column = pl.Series("t", [1, 1_000, None]).cast(dtype)
    assert json.loads(encode(column)) == [fine, coarse, None]
    lists = pl.Series("l", [[1], None, [1_000]], dtype=pl.List(pl.Int64)).cast(pl.List(dtype))
    frame = pl.DataFrame([column, lists]).with_columns(s=pl.struct("t"))
    assert json.loads(encode(frame)) == [
        {"t": fine, "l": [fine], "s": {"t": fine}},
        {"t": coarse, "l": None, "s": {"t": coarse}},
        {"t": None, "l": [coarse], "s": {"t": None}},
    ]
    assert read_frame(frame).values("t")[0] == fine


def test_a_cell_without_a_form():
    with pytest.raises(InvalidResult, match="object at /frame/1/a"):
        encode({"frame": pd.DataFrame({"a": [1, object()]})})


@pytest.mark.parametrize("library", [pd, pl])
def test_rows_are_made_as_they_are_asked_for(library):
    frame = read_frame(library.DataFrame({"n": range(5_000)}))
    assert len(frame) == 5_000
    assert frame[10:12] == [{"n": 10}, {"n": 11}]
    assert frame[4_999:6_000] == [{"n": 4_999}]
    assert [row["n"] for row in frame] == list(range(5_000))


@pytest.mark.parametrize("library", [pd, pl])
def test_a_result_that_is_a_frame_has_its_rows(library):
    frame = library.DataFrame({"n": range(5_000), "x": [math.nan] * 5_000})
    document = read_value(frame)
    assert document.shape == "rows"
    rows = [row for block in document.blocks for row in block]
    assert rows[-1] == b'{"n":4999,"x":null}'
    assert len(rows) == 5_000
    assert document.tally.non_finite == 5_000


@pytest.mark.parametrize(
    "rows", [pd.DataFrame({"n": [1, 2]}), pl.DataFrame({"n": [1, 2]}), np.arange(2), pd.Series([1])]
)
def test_the_one_frame_or_array_of_a_dict_is_its_list(rows):
    document = read_value({"about": "them", "rows": rows})
    assert (document.shape, document.list_path) == ("rows", "/rows")
    assert [*document.blocks] == [json_rows(rows)]


def json_rows(rows):
    return [encode(row) for row in json.loads(encode(rows))]
