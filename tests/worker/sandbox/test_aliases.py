"""Names without quotes for dotted columns."""

from __future__ import annotations

import json

import pytest

from penstock.core.model.questions import Failure, Limits, WorkerAnswer
from penstock.worker.sandbox.sql import Table

QUAKE = {"id": "a", "properties": {"mag": 5.5, "place": "sea"}, "geometry": {"at": {"lon": 7}}}


def asked(statement, *rows):
    loaded = Table([json.dumps(row).encode() for row in rows or [QUAKE]], "rows")
    return loaded.answer(statement, Limits())


def answered(statement, *rows):
    outcome = asked(statement, *rows)
    assert isinstance(outcome, WorkerAnswer), outcome
    return [json.loads(row) for row in outcome.rows]


@pytest.mark.parametrize(
    ("statement", "row"),
    [
        ("SELECT properties_mag FROM result", {"properties.mag": 5.5}),
        ("SELECT PROPERTIES_MAG FROM result", {"properties.mag": 5.5}),
        ('SELECT "properties_mag" FROM result', {"properties.mag": 5.5}),
        ("SELECT [properties_mag] FROM result", {"properties.mag": 5.5}),
        ("SELECT geometry_at_lon FROM result", {"geometry.at.lon": 7}),
        ("SELECT r.properties_mag AS m FROM result AS r", {"m": 5.5}),
        ("SELECT r . properties_mag AS m FROM result r ORDER BY properties_mag", {"m": 5.5}),
        ("SELECT max(properties_mag) AS properties_mag FROM result", {"properties_mag": 5.5}),
        ("SELECT 'properties_mag' AS t FROM result WHERE properties_mag", {"t": "properties_mag"}),
        (
            "SELECT properties_mag AS m /* properties_mag */ FROM result -- properties_mag",
            {"m": 5.5},
        ),
        (
            "WITH q AS (SELECT properties_mag FROM result) SELECT q.properties_mag AS m FROM q",
            {"m": 5.5},
        ),
        ("SELECT properties_mag + geometry_at_lon AS s FROM result", {"s": 12.5}),
        (
            "SELECT properties_place AS p, count(*) AS n FROM result GROUP BY properties_place",
            {"p": "sea", "n": 1},
        ),
    ],
)
def test_underscores_stand_for_dots(statement, row):
    assert answered(statement) == [row]


def test_all_columns_are_shown_once():
    assert [*answered("SELECT * FROM result WHERE properties_mag > 5")[0]] == [
        "id",
        "properties.mag",
        "properties.place",
        "geometry.at.lon",
    ]


def test_a_name_that_is_not_free_keeps_its_meaning():
    row = {"a_b": 1, "a": {"b": 2}}
    assert answered("SELECT a_b FROM result", row) == [{"a_b": 1}]
    assert answered("SELECT A_B FROM result", {"A_b": 1, "a": {"b": 2}}) == [{"A_b": 1}]
    statement = "SELECT properties_mag FROM (SELECT id AS properties_mag FROM result)"
    assert answered(statement) == [{"properties_mag": "a"}]


def test_a_name_that_fits_two_columns_is_none():
    outcome = asked("SELECT a_b_c FROM result", {"a": {"b_c": 1}, "a_b": {"c": 2}})
    assert isinstance(outcome, Failure)
    assert 'Columns of result: "a.b_c", "a_b.c".' in outcome.next_step


def test_a_name_in_another_table_is_left_alone():
    statement = """WITH other AS (SELECT 1 AS properties_mag)
        SELECT o.properties_mag AS o, r.properties_mag AS r FROM other o, result r"""
    assert answered(statement) == [{"o": 1, "r": 5.5}]


def test_the_error_names_the_columns_if_another_name_is_wrong():
    outcome = asked("SELECT properties_mag, nope FROM result")
    assert isinstance(outcome, Failure)
    assert outcome.error == "SQLite: no such column: nope."
    outcome = asked("SELECT x.properties_mag FROM result")
    assert isinstance(outcome, Failure)
    assert "no such column: x.properties" in outcome.error


def test_quotes_in_the_name_of_a_column():
    assert answered("SELECT a_b AS x FROM result", {"a.b": 1}) == [{"x": 1}]
    assert isinstance(asked("SELECT a_b FROM result", {"a.b`": 1}), Failure)
