"""Rows with more columns than SQLite allows: the probe and the error say where the others are."""

from __future__ import annotations

import pytest
from shown_rows import shown_rows

from penstock.core.model.questions import SQL_COLUMNS

NOTICE = "SQL has the first 1,900 columns; the other {} are JSON in _rest."
WIDE = {f"c{number}": number for number in range(SQL_COLUMNS + 5)}
NESTED = {f"g{group}": {f"c{number}": group for number in range(40)} for group in range(50)}
DEEP = {"a": {"b": {"c": {f"c{number}": 1 for number in range(SQL_COLUMNS + 7)}}}}
SPARSE = [{"id": n, "tags": {f"t{n}_{tag}": tag for tag in range(30)}} for n in range(90)]


@pytest.mark.parametrize(
    ("value", "over"),
    [
        ([WIDE] * 3, 5),
        ([NESTED] * 3, 100),
        ([DEEP] * 3, 7),
        (SPARSE, 90 * 30 + 1 - SQL_COLUMNS),
        ({f"k{number}": NESTED for number in range(4)}, 100),
    ],
    ids=["flat", "nested", "deep", "sparse", "alike"],
)
def test_the_probe_names_the_column_of_the_rest(agent, value, over):
    probe = agent.offer(value).value
    assert probe["notices"] == [NOTICE.format(over)]
    token = probe["continuation_token"]
    found = agent.look(token, mode="sql", query="SELECT count(_rest) AS n FROM result")
    assert shown_rows(found)[0]["n"] > 0


@pytest.mark.parametrize(
    "value",
    [
        [{f"c{number}": number for number in range(SQL_COLUMNS)}] * 3,
        [{"a": {f"c{number}": number for number in range(SQL_COLUMNS)}}] * 3,
        [{"a": {"b": number, "c": [{"d": 1}]}, "pad": "x" * 99} for number in range(900)],
    ],
)
def test_rows_that_fit_have_no_notice(agent, value):
    probe = agent.offer(value).value
    assert "notices" not in probe
    told = agent.refused(probe["continuation_token"], mode="sql", query="SELECT _rest FROM result")
    assert "no such column: _rest" in told["error"]


def test_the_error_says_how_to_read_a_column_of_the_rest(agent):
    token = agent.offer([NESTED] * 3).value["continuation_token"]
    told = agent.refused(token, mode="sql", query='SELECT "g49.c39" FROM result')
    assert "It is one of those in the JSON column _rest of result." in told["error"]
    query = (
        "SELECT (SELECT value FROM json_each(_rest) WHERE key = 'g49.c39') AS v FROM result LIMIT 1"
    )
    assert query.split("(", 1)[1].split(") AS", maxsplit=1)[0] in told["next_step"]
    assert shown_rows(agent.look(token, mode="sql", query=query)) == [{"v": 49}]
