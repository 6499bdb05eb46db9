"""The rows of a SELECT, and what a statement may not do."""

from __future__ import annotations

import json

import pytest

from penstock.core.model.questions import SQL_COLUMNS, Failure, Limits, WorkerAnswer
from penstock.worker.sandbox.sql import Table, TableRows


def table(*rows):
    return Table([json.dumps(row).encode() for row in rows], "rows")


def selected(loaded, statement="SELECT * FROM result"):
    outcome = loaded.answer(statement, Limits())
    assert isinstance(outcome, WorkerAnswer), outcome
    return [json.loads(row) for row in outcome.rows]


def refused(loaded, statement):
    outcome = loaded.answer(statement, Limits())
    assert isinstance(outcome, Failure), outcome
    assert outcome.next_step
    return outcome


def test_duplicate_names_blobs_and_infinities():
    statement = "SELECT 1 AS a, 2 AS a, x'00ff' AS b, 1e999 AS i, CAST(x'ff' AS TEXT) AS t"
    assert selected(table(), statement) == [
        {"a": 1, "a_2": 2, "b": "AP8=", "i": None, "t": "\ufffd"}
    ]


def test_stops_at_the_limit_and_says_so():
    loaded = table(1, 2, 3)
    rows = (b'{"value":1}', b'{"value":2}', b'{"value":3}')
    statement = "SELECT * FROM result"
    assert loaded.answer(statement, Limits(rows=3)) == WorkerAnswer(
        rows, single=False, truncated=False
    )
    assert loaded.answer(statement, Limits(rows=2)) == WorkerAnswer(
        rows[:2], single=False, truncated=True
    )


def test_stops_at_the_bytes_and_says_so():
    loaded = table(1, 2, 3)
    rows = (b'{"value":1}', b'{"value":2}', b'{"value":3}')
    statement = "SELECT * FROM result"
    told = loaded.answer(statement, Limits(answer_bytes=33))
    assert told == WorkerAnswer(rows, single=False, truncated=False)
    told = loaded.answer(statement, Limits(answer_bytes=32))
    assert told == WorkerAnswer(rows[:2], single=False, truncated=True)
    assert isinstance(loaded.answer(statement, Limits(answer_bytes=10)), Failure)


@pytest.mark.parametrize(
    "statement",
    [
        "WITH q AS (SELECT id FROM result) SELECT count(*) AS n FROM q",
        "WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM q LIMIT 9) SELECT count(*) FROM q",
        "VALUES (1), (2)",
        "SELECT sum(id) OVER () FROM (SELECT id FROM result)",
        "SELECT id FROM result WHERE id REGEXP '^1$';",
        "SELECT id FROM result -- a comment",
        "SELECT * FROM json_tree('{\"a\":1}')",
        "SELECT upper('a') LIKE 'A', json_extract('{}', '$.a'), strftime('%Y', 0)",
    ],
)
def test_reads(statement):
    assert selected(table({"id": 1}), statement)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO result VALUES (1)",
        "WITH q AS (SELECT 1) DELETE FROM result",
        "UPDATE result SET id = 2",
        "DROP TABLE result",
        "CREATE TABLE other (a)",
        "CREATE TEMP TABLE other (a)",
        "CREATE VIRTUAL TABLE f USING fts5(a)",
        "ALTER TABLE result ADD COLUMN z",
        "ATTACH '/tmp/x.db' AS x",
        "DETACH main",
        "PRAGMA table_info(result)",
        "PRAGMA query_only=OFF",
        "SELECT * FROM pragma_table_info('result')",
        "VACUUM",
        "VACUUM INTO '/tmp/x.db'",
        "BEGIN",
        "SAVEPOINT s",
        "ANALYZE",
        "REINDEX",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE result",
        "-- nothing",
        "EXPLAIN DELETE FROM result",
    ],
)
def test_only_one_select(statement):
    loaded = table({"id": 1})
    refusal = refused(loaded, statement)
    assert refusal.error == "Only one SELECT is allowed. The only table is result."
    assert "Columns of result: id." in refusal.next_step
    assert selected(loaded) == [{"id": 1}]


OTHERS = ["sqlite_master", "sqlite_schema", "sqlite_temp_master", "other"]


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("what", ["*", "count(*)"])
def test_only_the_tables_that_were_given(name, what):
    statement = f"SELECT {what} FROM {name}"  # noqa: S608 - that is what is tested
    assert "result" in refused(table({"id": 1}), statement).error
    error = refused(with_cities({"id": 1}), statement).error
    assert "result" in error
    assert "cities" in error


def with_cities(*rows):
    cities = TableRows([b'{"city":"Oslo"}', b'{"city":"Bergen"}'], "rows", "cities")
    return Table([json.dumps(row).encode() for row in rows], "rows", [cities])


def test_further_tables_are_read_and_stay_apart():
    loaded = with_cities({"id": 1}, {"id": 2})
    assert selected(loaded, "SELECT id, city FROM result, cities WHERE id = 2 ORDER BY city") == [
        {"id": 2, "city": "Bergen"},
        {"id": 2, "city": "Oslo"},
    ]
    assert loaded.columns == ("id",)
    assert "no such column: city" in refused(loaded, "SELECT city FROM result").error


def test_dangerous_functions():
    assert "load_extension" in refused(table(), "SELECT load_extension('x')").error


def test_an_unknown_table_names_the_table_and_its_columns():
    refusal = refused(table({"id": 1, "a": {"b": 2}}), "SELECT * FROM other")
    assert refusal.error == "SQLite: no such table: other. The only table is result."
    assert 'Columns of result: id, "a.b".' in refusal.next_step


def test_unknown_column_lists_the_columns():
    loaded = table({f"k{number}": 1 for number in range(50)} | {"x" * 1_000: 1})
    refusal = refused(loaded, "SELECT nope FROM result")
    assert refusal.error == "SQLite: no such column: nope."
    assert "Columns of result: k0, k1," in refusal.next_step
    assert "k39 and 11 more." in refusal.next_step


def test_the_list_of_columns_is_cut_to_a_length():
    loaded = table({f"{number}{'x' * 50}": 1 for number in range(100, 150)})
    refusal = refused(loaded, "SELECT nope FROM result")
    assert len(refusal.next_step) < 1_000
    assert " and 36 more." in refusal.next_step


def test_names_in_errors_are_written_as_a_statement_needs_them():
    words = "order group index to values key text line rowid action default it's a\"b a-b 1st é"
    names = [*words.split(), "two words", "a.b"]
    loaded = table(dict.fromkeys(names, 1))
    told = refused(loaded, "SELECT nope FROM result").next_step
    shown = told.removeprefix("Columns of result: ").partition(". A column")[0].split(", ")
    assert len(shown) == len(names)
    for written in shown:
        assert selected(loaded, f"SELECT {written} AS x FROM result") == [{"x": 1}]  # noqa: S608


@pytest.mark.parametrize("asked", ["mag", "r.mag", "properties.mag", "propertiesMag", "MAG"])
def test_columns_like_the_one_asked_for_come_first(asked):
    row = {f"k{number}": 1 for number in range(50)} | {"properties": {"mag": 5}}
    refusal = refused(table(row), f"SELECT {asked} FROM result r")  # noqa: S608 - our own names
    assert 'Columns of result: "properties.mag", k0, k1,' in refusal.next_step


@pytest.mark.parametrize("asked", ["over", "OVER_ONE", "r.over_one", '"it\'s.""here"""'])
def test_a_column_beyond_the_limit_is_found_in_rest(asked):
    first = {f"k{number}": number for number in range(SQL_COLUMNS)}
    row = first | {"over": 1, "over_one": 1, "it's": {'"here"': 1}}
    refusal = refused(table(row), f"SELECT {asked} FROM result r")  # noqa: S608 - our own names
    assert "in the JSON column _rest of result" in refusal.error
    way = refusal.next_step.removeprefix("Write ").removesuffix(".")
    [found] = selected(table(row), f"SELECT {way} AS value FROM result")  # noqa: S608 - as told
    assert found == {"value": 1}


@pytest.mark.parametrize(
    "statement",
    [
        'SELECT "nope" FROM result',
        'SELECT count(*) FROM result WHERE "a.c" = 1',
        """SELECT "no""pe" FROM result WHERE 'x"y' = 'x"y' -- "id\n""",
    ],
)
def test_a_quoted_typo_is_no_text(statement):
    assert "no such column" in refused(table({"id": 1, "a.b": 2}), statement).error


@pytest.mark.parametrize(
    ("statement", "value"),
    [
        ('SELECT "a.b" FROM result', 2),
        ('SELECT "a.b" AS "it is" FROM result ORDER BY "it is"', 2),
        ("""SELECT 'say "a.b"' FROM result""", 'say "a.b"'),
        ('SELECT /* "x" */ id FROM result -- "y"', 1),
    ],
)
def test_names_in_quotes_are_names_and_texts_stay_texts(statement, value):
    (row,) = selected(table({"id": 1, "a.b": 2}), statement)
    assert [*row.values()] == [value]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("SELEC 1", 'near "SELEC": syntax error'),
        ("SELECT randomblob(1000000000)", "too big"),
        ("SELECT zeroblob(1e9)", "too big"),
        ("SELECT ?", "variable"),
        ("SELECT nope(1)", "no such function: nope"),
        ("SELECT 1 WHERE 'a' REGEXP '['", "'[' is not a regular expression"),
        ("SELECT " + "(" * 2_000 + "1" + ")" * 2_000, ""),
        (" UNION ALL ".join(["SELECT 1"] * 200), "compound"),
    ],
)
def test_errors_quote_sqlite(statement, said):
    assert said in refused(table(), statement).error


def test_a_regexp_error_is_not_told_twice():
    loaded = table()
    refused(loaded, "SELECT 1 WHERE 'a' REGEXP '['")
    assert "syntax error" in refused(loaded, "SELEC").error
    assert selected(loaded, "SELECT NULL REGEXP 'a' AS x") == [{"x": None}]


def test_a_column_that_is_a_word_of_sql_is_named_in_the_error():
    failure = refused(table({"commit": "a", "Order": 1}), "SELECT commit FROM result")
    assert 'write the name in quotes, "commit"' in failure.next_step
    failure = refused(table({"commit": "a", "Order": 1}), "SELECT order FROM result")
    assert 'write the name in quotes, "order"' in failure.next_step
