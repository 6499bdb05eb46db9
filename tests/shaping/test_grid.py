"""A grid's summary holds the best of it, and its full form every feasible cell."""

from __future__ import annotations

import math
import sqlite3
import subprocess
import sys
import typing
from collections import UserDict
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

import attrs
import msgspec
import numpy as np
import pandas as pd
import pydantic
import pytest

from penstock.core.budget.measure import default_meter
from penstock.core.json.encoding import encode
from penstock.errors import InvalidResult, InvalidSetting
from penstock.shaping import SUMMARY_TOKENS, Grid, Shaper

NAN, INF = math.nan, math.inf


@dataclass
class Transfer:
    dv: float
    note: str = ""


class Model(pydantic.BaseModel):
    dv: float


@attrs.define
class Attrs:
    dv: float


class Struct(msgspec.Struct):
    dv: float


class Named(typing.NamedTuple):
    dv: float


class Renamed(msgspec.Struct, rename={"speed": "dv"}):
    speed: float

    @classmethod
    def of(cls, dv):
        return cls(dv)


def database_row(dv):
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    row = connection.execute("SELECT ? AS dv", (dv,)).fetchone()
    connection.close()
    return row


def tokens(payload):
    return default_meter().count(encode(payload).decode())


def values(grid):
    return [cell["value"] for cell in grid.summary()["top_cells"]]


def test_it_is_a_shaper_and_takes_a_parameter():
    assert isinstance(Grid([[1]]), Shaper)
    assert typing.get_args(Grid[Transfer]) == (Transfer,)


def test_summary_and_full_of_a_small_grid():
    grid = Grid([[3, 1], [None, 2]], rows=["a", "b"], columns=[10, 20], row_name="from")
    best = {"from": "a", "column": 20, "value": 1}
    summary = grid.summary()
    assert summary.pop("ascii_summary") == grid.full()["ascii_summary"]
    assert summary == {
        "output": "summary",
        "best": best,
        "top_cells": [
            best,
            {"from": "b", "column": 20, "value": 2},
            {"from": "a", "column": 10, "value": 3},
        ],
        "total": 4,
        "feasible": 3,
        "returned": 3,
        "omitted": 0,
    }
    full = grid.full()
    assert full["output"] == "full"
    assert full["total"] == 4
    assert full["best"] == best
    assert [cell["value"] for cell in full["grid"]] == [3, 1, 2]


@pytest.mark.parametrize(
    "kind", [Transfer, Model, Attrs, Struct, dict, UserDict, Named, Renamed.of, database_row]
)
def test_cells_of_every_kind(kind):
    cells = [[kind(dv=2.5), None, kind(dv=1.5)]]
    for grid in (Grid(cells, rank_by="dv"), Grid([[*cells[0], {"dv": 4}]], rank_by="dv")):
        assert grid.summary()["best"]["dv"] == 1.5
        assert [cell["dv"] for cell in grid.full()["grid"]][:2] == [2.5, 1.5]
    with pytest.raises(InvalidSetting, match=r"no such field\. There are: dv"):
        Grid(cells, rank_by="price")


@pytest.mark.parametrize("kind", [Named, Renamed.of, database_row, Model])
def test_the_only_field_of_a_cell_ranks_it(kind):
    assert Grid([[kind(dv=2), kind(dv=1)]]).summary()["best"]["dv"] == 1


def test_cells_of_several_kinds_together():
    grid = Grid([[Transfer(3), {"dv": 2}], [None, Model(dv=1)]], rank_by="dv")
    assert [cell["dv"] for cell in grid.summary()["top_cells"]] == [1, 2, 3]


@pytest.mark.parametrize(
    "cells",
    [
        np.array([[2.5, 0.5], [1.5, np.nan]]),
        np.array([[2.5, 0.5], [1.5, np.inf]], dtype=np.float32),
        np.array([[2.5, 0.5], [1.5, -np.inf]], dtype=np.longdouble),
        np.ma.array([[2.5, 0.5], [1.5, 9.0]], mask=[[0, 0], [0, 1]]),
        np.array([[2.5, 0.5], [1.5, None]], dtype=object),
        [np.array([2.5, 0.5]), (1.5, None)],
        {"value": np.array([[2.5, 0.5], [1.5, np.nan]])},
        {"value": [[2.5, 0.5], [1.5, None]]},
        np.array([[(2.5,), (0.5,)], [(1.5,), (np.nan,)]], dtype=[("value", float)]),
        [[np.float32(2.5), np.float64(0.5)], [np.float16(1.5), np.float64("nan")]],
        [[Decimal("2.5"), 0.5], [1.5, Decimal("NaN")]],
    ],
)
def test_numbers_of_every_kind(cells):
    grid = Grid(cells)
    assert [float(value) for value in values(grid)] == [0.5, 1.5, 2.5]
    assert grid.summary()["feasible"] == 3
    assert len(grid.full()["grid"]) == 3
    assert [float(value) for value in values(Grid(cells, better="higher"))] == [2.5, 1.5, 0.5]


def test_fields_of_arrays_make_cells():
    grid = Grid(
        {
            "dv": np.array([[2.0, 1.0]]),
            "at": np.array([["2026-01-01", "NaT"]], dtype="datetime64[ns]"),
            "r": np.arange(6).reshape(1, 2, 3),
            "ok": np.array([[True, False]]),
        },
        rank_by="dv",
    )
    assert grid.full()["grid"] == [
        {"row": 0, "column": 0, "dv": 2.0, "at": "2026-01-01T00:00:00.000000000", "r": [0, 1, 2], "ok": True},
        {"row": 0, "column": 1, "dv": 1.0, "at": None, "r": [3, 4, 5], "ok": False},
    ]  # fmt: skip


def test_numpy_inside_objects():
    cell = {
        "dv": np.int64(1),
        "r": np.arange(3),
        "at": np.datetime64("2026-01-01"),
        "z": [np.bool_(1)],
    }
    grid = Grid([[cell, Transfer(np.float32(2), "x")]], rank_by="dv")
    assert grid.full()["grid"] == [
        {"row": 0, "column": 0, "dv": 1, "r": [0, 1, 2], "at": "2026-01-01", "z": [True]},
        {"row": 0, "column": 1, "dv": 2.0, "note": "x"},
    ]


def test_pandas_inside_objects():
    at = pd.Timestamp("2026-01-02T03:04:05Z")
    grid = Grid([[{"dv": np.int8(2), "at": at}, {"dv": pd.NA, "at": pd.NaT}]], rank_by="dv")
    assert grid.full()["grid"] == [{"row": 0, "column": 0, "dv": 2, "at": "2026-01-02T03:04:05Z"}]


def test_a_dotted_path_reaches_inside():
    assert Grid([[{"cost": Named(2)}, {"cost": Named(1)}]], rank_by="cost.dv").summary()["best"] == {
        "row": 0, "column": 1, "cost": {"dv": 1}
    }  # fmt: skip
    cells = [[{"cost": {"dv": 2}}, {"cost": {"dv": 1}}, {"cost": None}]]
    assert Grid(cells, rank_by="cost.dv").summary()["best"]["cost"] == {"dv": 1}
    nested = [[{"cost": Transfer(2)}, {"cost": Transfer(1)}]]
    assert Grid(nested, rank_by="cost.dv").summary()["best"]["cost"]["dv"] == 1
    assert Grid({"cost": [[{"dv": 2}, {"dv": 1}]]}, rank_by="cost.dv").summary()["feasible"] == 2
    assert Grid([[{"a.b": 2}, {"a.b": 1}]], rank_by="a.b").summary()["best"]["a.b"] == 1


def test_the_fields_of_a_cell_win_over_labels():
    assert Grid([[{"row": "own", "dv": 1}]], rank_by="dv").summary()["best"]["row"] == "own"


def test_labels_of_every_kind():
    day = date(2026, 1, 1)
    grid = Grid(
        [[1, 2]], rows=[day], columns=np.array(["2026-01-02", "2026-01-03"], "datetime64[D]")
    )
    assert grid.summary()["best"] == {"row": "2026-01-01", "column": "2026-01-02", "value": 1}
    assert Grid([[1, 2]], columns=np.array([0.5, 1.5])).summary()["best"]["column"] == 0.5
    assert Grid([[1]], rows=(timedelta(days=x) for x in range(1))).full()["grid"][0]["row"] == "P0D"


@pytest.mark.parametrize("better", ["lower", "higher"])
@pytest.mark.parametrize("wrap", [list, np.array])
def test_of_equals_the_first_in_row_major_order_leads(better, wrap):
    grid = Grid(wrap([[7] * 30] * 30), better=better)
    assert [(cell["row"], cell["column"]) for cell in grid.summary()["top_cells"]] == [
        (0, column) for column in range(5)
    ]


def test_arrays_and_lists_agree():
    draw = np.random.default_rng(5)
    for shape in ((1, 700), (700, 1), (37, 41), (64, 90)):
        array = draw.integers(0, 40, shape).astype(float)
        array[draw.random(shape) < 0.2] = np.nan
        for better in ("lower", "higher"):
            ours = Grid(array, better=better)
            assert ours.summary() == Grid(array.tolist(), better=better).summary()
            assert ours.full() == Grid(array.tolist(), better=better).full()


def test_large_integers_are_told_apart():
    big = 10**29
    grid = Grid([[big + 2, big + 1, big + 3]])
    assert values(grid) == [big + 1, big + 2, big + 3]
    near = np.array([[2**62 + 1, 2**62]])
    assert values(Grid(near)) == [2**62, 2**62 + 1]
    assert values(Grid(near, better="higher", feasible=[[False, True]])) == [2**62]


def test_a_measure_may_be_larger_than_any_float():
    assert values(Grid([[10**400, 10**399]])) == [10**399, 10**400]
    assert values(Grid([[1e308] * 30, [1e307] * 30]))[0] == 1e307
    assert values(Grid([[-1e308] * 30, [-1e307] * 30]))[0] == -1e308


@pytest.mark.parametrize(
    "feasible",
    ["ok", lambda cell: cell["ok"], [[True, False, False]], np.array([[True, False, False]])],
)
def test_what_is_feasible_is_said_in_three_ways(feasible):
    cells = [[{"dv": 3, "ok": True}, {"dv": 1, "ok": False}, {"dv": 2, "ok": None}]]
    grid = Grid(cells, rank_by="dv", feasible=feasible)
    assert grid.summary()["feasible"] == 1
    assert [cell["dv"] for cell in grid.full()["grid"]] == [3]
    arrays = {"dv": np.array([[3, 1, 2]]), "ok": np.array([[True, False, False]])}
    assert Grid(arrays, rank_by="dv", feasible=feasible).summary()["best"]["dv"] == 3


def test_a_function_gets_a_number_as_a_number():
    assert values(Grid(np.array([[1.0, 2.0]]), feasible=lambda value: value > 1.5)) == [2.0]


@pytest.mark.parametrize("cells", [[], [[]], [[], []], np.empty((0, 3)), {}, {"dv": []}])
def test_a_grid_without_cells(cells):
    grid = Grid(cells, columns=[1, 2, 3])
    assert grid.summary()["best"] is None
    assert grid.summary()["total"] == 0
    assert grid.full()["grid"] == []


@pytest.mark.parametrize(
    "cells", [[[None] * 3] * 2, [[NAN, INF, -INF]] * 2, np.full((2, 3), np.nan)]
)
def test_nothing_feasible(cells):
    summary = Grid(cells).summary()
    assert summary["best"] is None
    assert summary["top_cells"] == []
    assert (summary["total"], summary["feasible"], summary["omitted"]) == (6, 0, 0)
    assert "no feasible cell" in summary["ascii_summary"]
    assert Grid(cells).full()["grid"] == []


def test_nothing_feasible_is_no_missing_field():
    assert Grid([[{"dv": None}, None]], rank_by="dv").summary()["feasible"] == 0


def test_one_cell():
    assert Grid([[{"dv": 1}]]).summary()["best"] == {"row": 0, "column": 0, "dv": 1}


def test_other_fields_that_are_not_numbers_become_null():
    grid = Grid([[{"dv": 1, "x": NAN, "d": Decimal("0.10")}]], rank_by="dv")
    assert grid.full()["grid"] == [grid.summary()["best"]]
    assert grid.summary()["best"] == {"row": 0, "column": 0, "dv": 1, "x": None, "d": "0.10"}


BAD_SHAPES = {
    "Row 1 of cells has length 1, and row 0 has length 2": lambda: Grid([[1, 2], [3]]),
    "is a str, not rows": lambda: Grid("abc"),
    "is a bytes, not rows": lambda: Grid(b"abc"),
    "is a int, not rows": lambda: Grid(7),
    "Row 0 of cells is a str": lambda: Grid(["abc"]),
    "Row 0 of cells is a dict": lambda: Grid([{"dv": 1}]),
    "The first cell is a str": lambda: Grid([["a", "b"]]),
    "A cell in row 0 is a str": lambda: Grid([[1, "b"]]),
    "A cell in row 0 to 3 is a list": lambda: Grid([[{"dv": 1}], [[2]]] * 30, rank_by="dv"),
    "is a complex": lambda: Grid([[1j]]),
    "is a bool": lambda: Grid([[True]]),
    "has 2": lambda: Grid(np.zeros(3)),
    "a 2 x 2, b 2 x 3": lambda: Grid({"a": np.zeros((2, 2)), "b": np.zeros((2, 3))}),
    "The field a is a int": lambda: Grid({"a": 1}),
    "an array of 1 dimensions": lambda: Grid({"a": np.zeros(3)}),
}  # fmt: skip


@pytest.mark.parametrize("told", BAD_SHAPES)
def test_what_is_no_grid(told):
    with pytest.raises(InvalidResult) as caught:
        BAD_SHAPES[told]()
    assert told in caught.value.message
    assert "Give" in caught.value.next_step


CELL = {"dv": 1, "name": "a", "ok": True}
BAD_SETTINGS = {
    "better": lambda: Grid([[1]], better="best"),
    "rank_by = 'totl': there is no such field. There are: dv, name, ok": lambda: Grid([[CELL]], rank_by="totl"),
    "rank_by = 'x'": lambda: Grid({"dv": np.zeros((2, 2))}, rank_by="x"),
    "rank_by = None: the cells have several fields: dv, name, ok": lambda: Grid([[CELL]]),
    "in row 0, column 1 it is a str": lambda: Grid([[{"dv": 1}, {"dv": "1"}]], rank_by="dv"),
    "it is a bool": lambda: Grid([[CELL]], rank_by="ok"),
    "it is a complex128": lambda: Grid(np.zeros((1, 1), complex)),
    "it is a datetime64[D]": lambda: Grid(np.array([["2026-01-01"]], "datetime64[D]")),
    "it is a <U1": lambda: Grid(np.array([["a"]])),
    "3 labels, and 1 rows": lambda: Grid([[1]], rows=[1, 2, 3]),
    "2 labels, and 1 columns": lambda: Grid([[1]], columns=np.arange(2)),
    "not a list of labels": lambda: Grid([[1]], rows="a"),
    "rows = 'dict'": lambda: Grid([[1]], rows={"a": 1}),
    "a label cannot be a list": lambda: Grid([[1]], rows=[[1]]),
    "is the name of the columns too": lambda: Grid([[1]], row_name="x", column_name="x"),
    "row_name": lambda: Grid([[1]], row_name=""),
    "column_name": lambda: Grid([[1]], column_name=3),
    "feasible = 'fine': there is no such field": lambda: Grid([[CELL]], rank_by="dv", feasible="fine"),
    "in one cell it is a str, not a boolean": lambda: Grid([[CELL]], rank_by="dv", feasible="name"),
    "the mask has 1 x 2 values, and the grid 1 x 1": lambda: Grid([[1]], feasible=[[True, False]]),
    "feasible = 'int'": lambda: Grid([[1]], feasible=7),
}  # fmt: skip


@pytest.mark.parametrize("told", BAD_SETTINGS)
def test_what_cannot_be_used(told):
    with pytest.raises(InvalidSetting) as caught:
        BAD_SETTINGS[told]()
    assert told in caught.value.message
    assert caught.value.next_step


def test_a_value_without_a_json_form_is_named():
    with pytest.raises(InvalidResult, match="complex"):
        Grid([[{"dv": 1, "z": 1j}]], rank_by="dv").summary()


FAT = {
    "many short values": {"dv": 1, "bits": [1, 0] * 150},
    "a long text": {"dv": 1, "text": "word " * 2_000},
    "many fields": {"dv": 1, **{f"field_{n}": n / 7 for n in range(300)}},
    "long names": {"dv": 1, **{"n" * 3_000 + str(n): n for n in range(20)}},
    "deep": {"dv": 1, "deep": [[[[["x" * 900]]]] * 5] * 5},
    "a long number": {"dv": 10**3_000, "x": 1},
    "CJK": {"dv": 1, "文": "数据库管理" * 500},
}


@pytest.mark.parametrize("what", FAT)
def test_fat_cells_are_cut_and_say_so(what):
    cell = FAT[what]
    grid = Grid([[cell] * 4] * 4, rank_by="dv")
    summary, whole = grid.summary(), grid.full()["best"]
    assert tokens(summary) <= SUMMARY_TOKENS
    best = summary["best"]
    assert best["$at"] == [0, 0]
    assert best["$size"] == len(encode(whole))
    shown = {name: value for name, value in best.items() if not name.startswith("$")}
    assert shown.items() <= whole.items()
    assert best["$omitted_count"] == len(whole) - len(shown)
    assert (summary["returned"], summary["omitted"]) == (0, 16)
    if what != "a long number":
        assert best["$measure"] == 1
        assert shown["row"] == 0


def test_a_best_that_fits_is_whole():
    lean, fat = {"dv": 1, "x": "y" * 900}, {"dv": 2, "x": "word " * 2_000}
    summary = Grid([[fat, lean, fat]], rank_by="dv").summary()
    assert summary["best"] == {"row": 0, "column": 1, **lean}
    assert summary["returned"] == 1
    assert summary["omitted"] == 2


def test_a_field_that_is_too_deep_is_text_in_both_forms():
    deep = []
    for _ in range(3_000):
        deep = [deep]
    grid = Grid([[{"dv": 1, "deep": deep, "x": 2}]], rank_by="dv")
    cell = grid.full()["grid"][0]
    assert cell["deep"] == "[" * 3_001 + "]" * 3_001
    assert cell["x"] == 2
    assert grid.summary()["best"]["x"] == 2
    assert tokens(grid.summary()) <= SUMMARY_TOKENS


@pytest.mark.parametrize("label", ["x" * 20_000, "数据" * 5_000, 'a\nb\t"c\\', "\ud800" * 400])
def test_labels_and_names_of_any_length(label):
    grid = Grid([[1, 2]], rows=[label], row_name=label + "1", column_name=label + "2")
    summary = grid.summary()
    assert tokens(summary) <= SUMMARY_TOKENS
    assert summary["ascii_summary"].isascii()
    assert len(summary["ascii_summary"]) < 500


def test_a_grid_of_four_million_cells():
    array = np.add.outer((np.arange(2_000) - 700) ** 2, (np.arange(2_000) - 1_500) ** 2)
    summary = Grid(array).summary()
    assert summary["best"] == {"row": 700, "column": 1_500, "value": 0}
    assert tokens(summary) <= SUMMARY_TOKENS


def test_it_works_without_numpy_and_pydantic():
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('numpy', 'tsdownsample', 'pydantic', 'rs_bpe')))\n"
        "from penstock.shaping import *\n"
        "grid = Grid([[{'dv': 2}, {'dv': 1}]], rank_by='dv')\n"
        "assert grid.summary()['best']['dv'] == 1 and len(grid.full()['grid']) == 2\n"
        "assert Series([1, 2, 3]).summary()['total'] == 3\n"
        "assert cell_schema(float)\n"
        "from penstock.core.budget.measure import default_meter\n"
        "from penstock.core.json.encoding import encode\n"
        "count = lambda payload: default_meter().count(encode(payload).decode())\n"
        "fat = {'dv': 1, 'text': 'word ' * 999, **{f'field{n}': n / 7 for n in range(99)}}\n"
        "noise = [[{'dv': hash((r, c)) % 997} for c in range(99)] for r in range(99)]\n"
        "assert default_meter().name == 'estimate'\n"
        "assert count(Grid([[fat] * 9] * 9, rank_by='dv').summary()) <= SUMMARY_TOKENS\n"
        "assert count(Grid(noise, rank_by='dv').summary()) <= SUMMARY_TOKENS\n"
        "assert count(Series([fat] * 99).summary()) <= SUMMARY_TOKENS\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
