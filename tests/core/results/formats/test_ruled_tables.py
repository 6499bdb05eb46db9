"""Tables with bars and rules: pipe tables, boxes of databases, grids of libraries."""

from __future__ import annotations

import io
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text
from text_table_reading import near_miss, read, rows_in

from penstock.core.results.formats import recognise

# Written by psql 16.2 with `border 1`, `border 2` and `linestyle unicode`. Blanks at the ends of
# lines are left out, as many servers do.
PSQL = """\
 id | name  | note
----+-------+------
  1 | plain | a|b
  2 | two  +| x
    | lines |
  3 | C++   | p   +
    |       |     +
    |       | q
  4 | 日本  | e+
  5 |       | z
  6 | é    +|
    | 日    |
(6 rows)
"""
PSQL_BOX = """\
+----+-------+------+
| id | name  | note |
+----+-------+------+
|  1 | plain | a|b  |
|  2 | two  +| x    |
|    | lines |      |
|  3 | C++   | p   +|
|    |       |     +|
|    |       | q    |
|  4 | 日本  | e+   |
|  5 |       | z    |
|  6 | é    +|      |
|    | 日    |      |
+----+-------+------+
(6 rows)
"""
PSQL_DRAWN = """\
 id │ name  │ note
────┼───────┼──────
  1 │ plain │ a|b
  2 │ two  ↵│ x
    │ lines │
  3 │ C++   │ p   ↵
    │       │     ↵
    │       │ q
  4 │ 日本  │ e+
  5 │       │ z
  6 │ é    ↵│
    │ 日    │
(6 rows)
"""
PSQL_ROWS = [
    {"id": 1, "name": "plain", "note": "a|b"},
    {"id": 2, "name": "two\nlines", "note": "x"},
    {"id": 3, "name": "C++", "note": "p\n\nq"},
    {"id": 4, "name": "日本", "note": "e+"},
    {"id": 5, "name": None, "note": "z"},
    {"id": 6, "name": "é\n日", "note": None},
]
# Written by the client of MySQL.
MYSQL = """\
+----+-------+--------+
| id | name  | weight |
+----+-------+--------+
|  1 | Ann   |   1.50 |
|  2 | Bob|2 |   NULL |
+----+-------+--------+
2 rows in set (0.00 sec)
"""
# Written by tabulate 0.9, as "grid" and "fancy_grid".
GRID = """\
+------+---------+
|   id | text    |
+======+=========+
|    1 | one     |
|      | and two |
+------+---------+
|    2 | three   |
+------+---------+
"""
FANCY_GRID = """\
╒══════╤═════════╕
│   id │ text    │
╞══════╪═════════╡
│    1 │ one     │
│      │ and two │
├──────┼─────────┤
│    2 │ three   │
╘══════╧═════════╛
"""
# Written by polars 2.1.
POLARS = """\
shape: (2, 2)
┌─────┬──────┐
│ a   ┆ b    │
│ --- ┆ ---  │
│ i64 ┆ str  │
╞═════╪══════╡
│ 1   ┆ x y  │
│ 2   ┆ null │
└─────┴──────┘
"""
PIPES = "| id | name | note |\n| --- | :-: | ---: |\n| 1 | a\\|b |  |\n| 2 | `c` | -- |\n"


# -- real programs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [PSQL, PSQL_BOX, PSQL_DRAWN])
def test_psql_marks_rows_of_several_lines(text):
    assert rows_in(text) == PSQL_ROWS
    document, _ = read("Line style is set.\n" + text)
    assert document.frame.text_before == b"Line style is set.\n"
    assert document.frame.text_after == b"(6 rows)\n"


def test_the_one_column_of_psql_needs_its_count():
    text = " name  \n-------\n plain\n C++\n \n(3 rows)\n\n"
    assert [row["name"] for row in rows_in(text)] == ["plain", "C++", None]
    assert not read(text.replace("3", "4"))[0].format
    assert not read(text.replace("(3 rows)", ""))[0].format


def test_a_count_that_differs_is_told():
    assert "has 6 rows, and the line below them tells 7" in near_miss(PSQL.replace("(6", "(7"))


def test_mysql_and_what_it_says_below():
    document, _ = read(MYSQL)
    assert rows_in(MYSQL) == [
        {"id": 1, "name": "Ann", "weight": 1.5},
        {"id": 2, "name": "Bob|2", "weight": None},
    ]
    assert document.frame.text_after == b"2 rows in set (0.00 sec)\n"
    assert document.notices == (
        "In columns of numbers, NULL is null.",
        "The lines in text_after are not among the rows.",
    )


@pytest.mark.parametrize("text", [GRID, FANCY_GRID])
def test_lines_between_rules_are_one_row(text):
    assert rows_in(text) == [{"id": 1, "text": "one\nand two"}, {"id": 2, "text": "three"}]


def test_polars_tells_types_below_names():
    assert rows_in(POLARS) == [{"a": 1, "b": "x y"}, {"a": 2, "b": "null"}]


def test_bars_with_a_backslash_are_in_cells():
    assert rows_in(PIPES) == [
        {"id": 1, "name": "a|b", "note": None},
        {"id": 2, "name": "`c`", "note": "--"},
    ]


def test_escapes_of_names_are_those_of_cells():
    text = "| order\\_id | path |\n|---|---|\n| 1 | a\\_b |\n"
    assert rows_in(text) == [{"order_id": 1, "path": "a_b"}]
    assert rows_in(text.replace("\\_id", "")) == [{"order": 1, "path": "a\\_b"}]


@pytest.mark.skipif(not shutil.which("sqlite3"), reason="without the command of SQLite")
@pytest.mark.parametrize("mode", ["box", "table", "column", "markdown"])
def test_the_modes_of_sqlite(mode):
    rows = [(1, "x y", None), (2, "é | q", 3.5), (30, "日本", -1)]
    query = "SELECT 1 AS a, 'x y' AS b, NULL AS c UNION ALL VALUES (2,'é | q',3.5),(30,'日本',-1)"
    told = ("sqlite3", ":memory:", f".mode {mode}", ".headers on", query)
    text = subprocess.run(told, capture_output=True, check=True, encoding="utf-8").stdout
    assert [tuple(row.values()) for row in rows_in(text)] == rows


# -- names and types ---------------------------------------------------------------------------------


def test_names_that_are_empty_or_come_again_are_numbered():
    assert rows_in("|  | id | ID |\n|---|---|---|\n| 1 | 2 | 3 |\n") == [
        {"c1": 1, "id": 2, "ID_2": 3}
    ]


def test_a_number_loses_nothing_and_quotes_are_part_of_a_text():
    (row,) = rows_in('| a | b | c | d |\n|---|---|---|---|\n| 007 | "5" | 1.50 | <none> |\n')
    assert row == {"a": "007", "b": '"5"', "c": 1.5, "d": "<none>"}


def test_one_late_text_makes_a_column_of_texts():
    cells = [f"| {n} | {n} |\n" for n in range(5_000)]
    cells[4_321] = "| 4321 | none |\n"
    rows = rows_in("| id | n |\n|---|---|\n" + "".join(cells))
    assert (rows[0], rows[4_321]["n"]) == ({"id": 0, "n": "0"}, "none")


def test_a_box_without_names():
    text = "+---+---+\n| a | 1 |\n| b | 2 |\n+---+---+\n"
    assert rows_in(text) == [{"c1": "a", "c2": 1}, {"c1": "b", "c2": 2}]


def test_rules_that_are_all_alike_need_names_above_numbers():
    text = "+----+---+\n| id | n |\n+----+---+\n| a  | 1 |\n+----+---+\n| b  | 2 |\n+----+---+\n"
    assert rows_in(text) == [{"id": "a", "n": 1}, {"id": "b", "n": 2}]
    assert "first row may be the names" in near_miss(text.replace("1", "x").replace("2", "y"))
    assert rows_in(text.replace(" n ", " 0 "))[0] == {"c1": "id", "c2": 0}


def test_lines_between_rules_that_may_be_rows_are_told():
    text = GRID.replace("=", "-").replace("|      | and", "|    3 | and")
    assert rows_in(text)[1] == {"id": 3, "text": "and two"}
    words = text.replace("1", "x").replace("3", "y").replace("2", "z").replace("|   id", "|   12")
    assert "may be the names" in near_miss(words)
    sections = text.replace("------+---------+\n|    1", "======+=========+\n|    x").replace(
        "3", "y"
    )
    assert rows_in(sections)[0] == {"id": "x\ny", "text": "one\nand two"}


def test_rows_that_may_go_on_with_the_row_above_are_told():
    text = "+---+------+\n| a | b    |\n+---+------+\n| 1 | one  |\n|   | more |\n+---+------+\n"
    document, _ = read(text)
    assert document.notices == (
        "The first cell is empty in 1 rows, which may go on with the row above.",
    )
    assert rows_in(text)[1] == {"a": None, "b": "more"}


# -- what breaks a table -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PIPES + "| 3 | x |\n", "line 5 does not have the cells"),
        (PIPES + "| 3 | x | y | z |\n", "line 5 does not have the cells"),
        (PIPES + "| 3 | x", "line 5 does not have the cells"),
        (PIPES + "| --- | :-: | ---: |\n", "line 5 does not have the cells"),
        (MYSQL[: MYSQL.index("|  2")], "box is not closed after line 4"),
        (MYSQL[: MYSQL.index("|2 ")], "line 5 does not have the cells"),
        (MYSQL[MYSQL.index("| id") :], "first rule of its box is missing"),
        (POLARS[POLARS.index("╞") :], "first rule of its box is missing"),
        (POLARS[: POLARS.index("└")], "box is not closed after line 8"),
        ("| a " * 1_001 + "|\n" + "|---" * 1_001 + "|\n" + "| 1 " * 1_001 + "|\n", "it has 1,001 columns, and at most 1,000 are read"),
    ],
)  # fmt: skip
def test_the_first_place_that_breaks_a_table_is_told(text, reason):
    assert reason in near_miss(text)


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n|---|---|\n",  # names alone
        "| a " * 100_000 + "|\n" + "|---" * 100_000 + "|\n" + "| 1 " * 100_000 + "|\n",
        "| a | b |\n|---|\n| 1 | 2 |\n",
        "| a | b |\n| 1 | 2 |\n| 3 | 4 |\n",
        "a | b\n" + "-" * 10_000_000 + "\n1 | 2\n",
        "-" * 10_000_000,
        "+" + "-" * 10_000_000 + "+\n| a |\n",
        "+-" * 1_000_000,
        "+---+\n\n+---+\n",
        "Title\n-----\nText | with a bar\n",
        "x = a | b\ny = --c | d\n",
        "┌─ a tree\n├── b\n└── c\n",
        "/*----------*/\n/*| a | b |*/\n/*----------*/\n",
    ],
    ids=range(13),
)
def test_what_is_no_table_stays_lines(text):
    document, _ = read(text)
    assert not document.format


def test_a_table_in_a_long_text_is_not_all_of_it():
    prose = "A sentence that goes on.\n" * 12
    for text in (
        prose + PIPES,
        PIPES + prose,
        "Some lines\nof text\nand more\n\n" + PIPES + "\nEnd.\n",
    ):
        assert recognise(text.encode()) is None


@pytest.mark.parametrize(
    "part", [MYSQL[MYSQL.index("| id") :], POLARS[: POLARS.index("└")], PIPES + "| 3 |\n"]
)
def test_nothing_is_told_about_a_part_of_code(part):
    assert recognise((part + "def f():\n    return 1\n" * 8).encode()) is None


# -- properties --------------------------------------------------------------------------------------

BOXES = [
    box.ASCII, box.ASCII2, box.ASCII_DOUBLE_HEAD, box.SQUARE, box.SQUARE_DOUBLE_HEAD, box.ROUNDED,
    box.HEAVY, box.HEAVY_EDGE, box.HEAVY_HEAD, box.DOUBLE, box.DOUBLE_EDGE, box.MARKDOWN,
]  # fmt: skip
CELLS = st.one_of(
    st.just(""),
    st.sampled_from(
        ["1", "-2.5", "007", "x y", "a|b", "日本 語", "né", "NULL", "C++", '"q"', "--"]
    ),
    st.text("ab1é日|+- ", max_size=12),
).map(str.strip)


@given(
    st.integers(1, 5).flatmap(
        lambda width: st.lists(
            st.lists(CELLS, min_size=width, max_size=width), min_size=1, max_size=8
        )
    ),
    st.sampled_from(BOXES),
    st.sampled_from(["left", "right", "center"]),
)
def test_rows_come_back_from_the_boxes_of_rich(rows, drawn, justify):
    table = Table(box=drawn)
    for number in range(len(rows[0])):
        table.add_column(f"col {number}", justify=justify)
    for row in rows:
        table.add_row(*map(Text, row))
    made = io.StringIO()
    Console(file=made, width=300, color_system=None).print(table)
    found = [[*row.values()] for row in rows_in(made.getvalue())]
    assert len(found) == len(rows)
    for cells, row in zip(found, rows, strict=True):
        assert all(is_same(cell, text) for cell, text in zip(cells, row, strict=True)), (cells, row)


def is_same(cell, text):
    """Return whether a cell is the text, or the number that the text writes, or null for a mark."""
    if isinstance(cell, str):
        return cell == text
    return text in ("", "NULL", "-") if cell is None else float(text) == cell


@given(
    st.sampled_from([PSQL, PSQL_BOX, PSQL_DRAWN, MYSQL, GRID, FANCY_GRID, POLARS, PIPES]),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 30), st.text("|+-=\n │─x", max_size=3))),
)
def test_nothing_raises_on_damaged_tables(text, cuts):
    for at, length, put in cuts:
        text = text[:at] + put + text[at + length :]
    document, _ = read(text)
    if document.format in ("table", "tables"):
        rows_in(text, document.format)
