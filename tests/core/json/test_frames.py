"""Frames of pandas and polars as lists of rows, wherever they stand in a value."""

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
    """A class of one's own."""


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


def test_named_levels_of_an_index_come_first():
    frame = pd.DataFrame({"a": [1]}, index=pd.Index(["x"], name="label"))
    assert encode(frame) == b'[{"label":"x","a":1}]'
    assert encode(frame.rename_axis(None)) == b'[{"a":1}]'


def test_columns_that_are_no_texts():
    frame = pd.DataFrame([[1, 2]], columns=[2025, pd.Timestamp("2026-01-02")])
    assert json.loads(encode(frame)) == [{"2025": 1, "2026-01-02T00:00:00": 2}]


def test_records_in_cells():
    frame = pd.DataFrame({"a": [Pair(1, [np.int8(2)])]})
    assert json.loads(encode(frame)) == [{"a": {"x": 1, "y": [2]}}]


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "Two columns are called 'a'"),
        (pd.DataFrame([[1, 2]], columns=["1", 1]), "Two columns are called '1'"),
        (pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])), "one level"),
        (pd.DataFrame({"a": [1, object()]}), "object at /frame/1/a"),
    ],
    ids=["twice", "twice in JSON", "levels", "cell"],
)
def test_what_has_no_form(frame, why):
    with pytest.raises(InvalidResult, match=why):
        encode({"frame": frame})


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
