"""Rows that are loaded by the fast way give the same table as by the careful way."""

from __future__ import annotations

import json
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.json.alike_rows import decode_alike
from penstock.core.model.questions import SQL_COLUMNS
from penstock.worker.sandbox import table
from penstock.worker.sandbox.cells import read_plain
from penstock.worker.sandbox.table import fill

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
)
KEYS = st.sampled_from(["a", "A", "b", "", "a.b", "key", "value", 'q"', "数", "rowid"])
ROWS = st.lists(
    st.dictionaries(KEYS, SCALARS | st.lists(SCALARS, max_size=2) | st.just({"n": 1}), max_size=4),
    min_size=1,
    max_size=6,
)
ALIKE = st.tuples(st.lists(KEYS, unique=True, min_size=1, max_size=4), st.integers(1, 5)).flatmap(
    lambda shape: st.lists(
        st.tuples(*[SCALARS] * len(shape[0])).map(
            lambda cells: dict(zip(shape[0], cells, strict=True))
        ),
        min_size=shape[1],
        max_size=shape[1],
    )
)


def loaded(rows, reader=read_plain):
    """Return the table: names of columns, cells, and which columns hold only true and false."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table, "read_plain", reader)
        patch.setattr(table, "BATCH", 3)
        columns = fill(
            db, [json.dumps(row, separators=(",", ":")).encode() for row in rows], "rows"
        )
    cells = db.execute("SELECT * FROM result").fetchall()
    kinds = [[type(cell) for cell in row] for row in cells]
    booleans = [
        name
        for key, name in zip(columns.keys, columns.names, strict=True)
        if columns.is_boolean(key)
    ]
    return columns.names, cells, kinds, booleans


@given(ROWS | ALIKE)
def test_both_ways_give_the_same_table(rows):
    assert loaded(rows) == loaded(rows, reader=lambda _: None)


def test_ordinary_rows_take_the_fast_way():
    rows = [b'{"id":%d,"name":"n","level":1.5,"on":true,"at":null}' % n for n in range(10)]
    plain = read_plain(rows)
    assert plain is not None
    assert plain.names == ("id", "name", "level", "on", "at")
    assert plain.rows[7] == (7, "n", 1.5, True, None)


@pytest.mark.parametrize(
    "odd",
    [
        b'{"id":[1]}',
        b'{"id":{"a":1}}',
        b'{"id":9223372036854775808}',
        b'{"id":1e400}',
        b'{"id":"\\ud800"}',
        b'{"id":1,"more":2}',
        b'{"other":1}',
        b"{}",
        b"7",
        b'{"id":%s}' % (b"9" * 5_000),
    ],
)
def test_one_odd_row_takes_all_of_its_batch_the_careful_way(odd):
    rows = [b'{"id":%d}' % number for number in range(5)]
    assert read_plain([*rows, odd]) is None
    assert read_plain([odd, *rows]) is None


def test_the_limit_of_columns_holds_for_the_fast_way_too():
    wide = [{f"a{number}": 1 for number in range(400)} for _ in range(3)]
    rows = [row for at in range(6) for row in [{f"{key}_{at}": at for key in wide[0]}] * 3]
    names, _, _, _ = loaded(rows)
    assert len(names) == SQL_COLUMNS + 1
    assert names[-1] == "_rest"
    assert loaded(rows) == loaded(rows, reader=lambda _: None)


def test_keys_that_no_struct_can_have_are_left_to_the_careful_way():
    for key in ('a"b', "a\\b", "a\nb"):
        row = json.dumps({key: 1}).encode()
        assert decode_alike(row, row) is None
    many = json.dumps({str(number): 1 for number in range(600)}).encode()
    assert decode_alike(many, many) is None
