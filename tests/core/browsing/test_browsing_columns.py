"""The columns that the explorer shows are those of SQL, and each has its kind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.core.browsing.columns import columns_of, columns_of_all_rows
from penstock.core.json.encoding import encode
from penstock.core.model.questions import KnownColumn

NOW = 1_700_000_000


def columns(*rows, known=None, names=(), is_member=False):
    """Return name, type and path of each column."""
    found = columns_of([encode(row) for row in rows], known or {}, names, is_member=is_member)
    return [(column.name, column.type, column.path) for column in found]


def test_nested_objects_are_columns():
    rows = [{"id": 1, "p": {"mag": 1.5, "q": {"r": None}}}, {"id": 2, "p": {"mag": 2, "at": []}}]
    assert columns(*rows) == [
        ("id", "int", None),
        ("p.mag", "float|int", ("p", "mag")),
        ("p.q.r", "null", ("p", "q", "r")),
        ("p.at", "list", ("p", "at")),
    ]


@pytest.mark.parametrize("nothing", [None, {}])
def test_a_missing_object_is_no_column(nothing):
    assert columns({"p": nothing}, {"p": {"a": 1}}) == [("p.a", "int", ("p", "a"))]
    assert columns({"p": {}}) == [("p", "dict", None)]


def test_a_value_in_the_place_of_an_object_has_a_column_of_its_own():
    assert columns({"p": {"a": 1}}, {"p": "text"}) == [
        ("p.a", "int", ("p", "a")),
        ("p", "str", None),
    ]
    later = columns({"p": {"a": 1}}, known={"p": "{a}|str", "q": "{b, c}"})
    assert later == [("p.a", "int", ("p", "a")), ("p", "str", None), ("q", "dict", None)]


@pytest.mark.parametrize(
    "written",
    ["2023-03-01 10:00:00,123", "2023/03/01", "2023-03-01T10:00:00.1+0200", "2023-03-01 10:00 UTC"],
)
def test_times_are_dates_as_filters_and_charts_read_them(written):
    assert columns({"at": written}) == [("at", "date", None)]
    assert columns({"at": f"{written} or so"}) == [("at", "str", None)]


def test_later_rows_have_their_say_about_types():
    assert columns({"n": 1, "at": "2023-03-01"}, known={"n": "int|str", "at": "str"}) == [
        ("n", "int|str", None),
        ("at", "date", None),
    ]


def test_a_map_is_one_column():
    assert columns({"id": 1, "m": {f"key {n}": n for n in range(150)}}) == [
        ("id", "int", None),
        ("m", "dict", None),
    ]


def test_names_are_unlike_and_paths_tell_them_apart():
    assert columns({"a": {"b": 1}, "a.b": "x"}) == [
        ("a.b", "int", ("a", "b")),
        ("a.b_2", "str", ("a.b",)),
    ]
    assert columns({"key": 1}, is_member=True) == [("key_2", "int", ("key",))]


def test_lists_and_single_values_are_columns():
    assert columns([1, "a"], [2, "b", {"x": True}]) == [
        ("c1", "int", (0,)),
        ("c2", "str", (1,)),
        ("c3.x", "bool", (2, "x")),
    ]
    assert columns([1, "a"], names=["id", "id"]) == [("id", "int", (0,)), ("id_2", "str", (1,))]
    assert columns(1, 2.5, None) == [("value", "int|float", ())]
    assert columns([1], {"a": 2}) == [("a", "int", None)]
    assert columns(list(range(200))) == []
    assert columns() == []


@pytest.mark.parametrize(
    ("rows", "unit"),
    [
        ([{"p": {"time": NOW * 1_000}}, {"p": {"time": None}}], "milliseconds"),
        ([{"created_at": NOW}, {"created_at": NOW + 0.25}], "seconds"),
        ([{"created_at": NOW}] * 9 + [{"created_at": 0}], "seconds"),
        ([{"size": NOW}], None),
        ([{"time": NOW}, {"time": 12}], None),
        ([{"time": NOW}, {"time": NOW * 1_000}], None),
        ([{"time": None}], None),
        ([{"time": str(NOW)}, {"time": f"{NOW}.123456"}, {"time": None}], "seconds"),
        ([{"time": str(NOW)}, {"time": "soon"}], None),
        ([{"time": str(NOW)}, {"time": ""}], None),
    ],
)
def test_numbers_that_are_times(rows, unit):
    [column] = columns_of([encode(row) for row in rows], {})
    assert column.epoch == unit
    assert (column.type == "date") == (unit is not None)


def test_a_column_that_was_not_looked_at_has_no_type():
    known = [KnownColumn(("p",), ()), KnownColumn(("p", "a"), ("int",))]
    told = columns_of_all_rows(known)
    assert [(column.name, column.type) for column in told] == [("p", ""), ("p.a", "int")]


# -- through the gate ----------------------------------------------------------------------------


@pytest.fixture
def agent(open_agent):
    return open_agent(call={"essence": {}})


def token_of(agent, value):
    return agent.offer(value).value["continuation_token"]


def reply_to(agent, token, **arguments):
    call = replace(agent.template, arguments={"continuation_token": token, **arguments})
    return agent.gate.browse(call, **agent.hooks)


def browse(agent, token, **arguments):
    reply = reply_to(agent, token, **arguments)
    assert not reply.is_error, reply.text
    return reply.structured_content


def test_columns_that_the_first_rows_lack_are_found_in_later_ones(agent):
    early = {"id": 1, "closed_at": None, "seen": None, "by": None}
    late = {"id": 2, "closed_at": "2023-03-01T10:00:00Z", "seen": NOW, "by": {"name": "Ada"}}
    token = token_of(agent, [early] * 400 + [late] * 400)
    assert browse(agent, token)["columns"] == [
        {"name": "id", "type": "int"},
        {"name": "closed_at", "type": "date"},
        {"name": "seen", "type": "date", "epoch": "seconds"},
        {"name": "by.name", "type": "str", "path": ["by", "name"]},
    ]


def test_all_columns_are_told_if_asked_for_however_few_rows_have_them(agent):
    rows = [{"milestone": None, "closed": None, "p": {"a": n}} for n in range(10_000)]
    for row in rows[137::500]:
        row |= {"milestone": {"title": "v1"}, "closed": "2023-03-01", "p": {"a": 1, "b": NOW}}
    token = token_of(agent, rows)
    assert browse(agent, token, all_columns=True) == {
        "columns": [
            {"name": "closed", "type": "date"},
            {"name": "p.a", "type": "int", "path": ["p", "a"]},
            {"name": "milestone.title", "type": "str", "path": ["milestone", "title"]},
            {"name": "p.b", "type": "int", "path": ["p", "b"]},
        ]
    }
    where = {"column": ["milestone", "title"], "op": "not_null"}
    assert browse(agent, token, where=[where])["total"] == 20
    reply = reply_to(agent, token, where=[{**where, "column": "milestone"}])
    assert "no column 'milestone' to filter by: it holds objects." in reply.text


def test_a_map_is_one_column_of_all_rows_too(agent):
    rows = [{"id": n, "m": {f"key {n}": n}} for n in range(600)]
    told = browse(agent, token_of(agent, rows), all_columns=True)["columns"]
    assert told == [{"name": "id", "type": "int"}, {"name": "m", "type": "dict"}]


def test_entries_of_a_dict_have_the_columns_of_all_entries(agent):
    entries = {f"key {n}": {"a": n, **({"key": "x"} if n == 777 else {})} for n in range(900)}
    assert browse(agent, token_of(agent, entries), all_columns=True)["columns"] == [
        {"name": "a", "type": "int", "path": ["a"]},
        {"name": "key_2", "type": "str", "path": ["key"]},
    ]


SPLIT = {"columns": ["id", "name"], "rows": [[n, f"name {n}"] for n in range(900)], "more": True}
RECORDS = {"columns": [{"name": "id"}], "data": [[n] for n in range(900)]}


@pytest.mark.parametrize("form", [lambda value: value, lambda value: encode(value).decode()])
def test_columns_and_rows_are_a_table(agent, form):
    token = token_of(agent, form(SPLIT))
    page = browse(agent, token)
    assert (page["shape"], page["total"], page["rows"][0]) == ("rows", 900, [0, "name 0"])
    assert [column["name"] for column in page["columns"]] == ["id", "name"]
    assert page["envelope"] == {"columns": ["id", "name"], "more": True}
    last = browse(agent, token, sort={"column": [0], "descending": True}, count=1)
    assert last["rows"] == [[899, "name 899"]]
    assert browse(agent, token, order=last["order"], start=1, count=1)["rows"] == [
        [898, "name 898"]
    ]
    found = browse(agent, token, path=f"{page['rows_at']}/7/1")
    assert found["rows"] == ["name 7"]


def test_the_names_of_columns_may_be_in_objects(agent):
    page = browse(agent, token_of(agent, RECORDS))
    assert (page["columns"][0]["name"], page["total"]) == ("id", 900)


@pytest.mark.parametrize(
    "value",
    [
        {"columns": ["a"], "rows": [[n, n] for n in range(900)]},
        {"columns": [1], "rows": [[n] for n in range(900)]},
        {"columns": ["a"], "rows": [], "text": "x" * 30_000},
        {"columns": ["a"], "rows": [[1]], "data": [[1]], "text": "x" * 30_000},
        {"names": ["a"], "rows": [[n] for n in range(9_000)]},
    ],
)
def test_other_dicts_are_no_tables(agent, value):
    assert browse(agent, token_of(agent, value))["shape"] == "members"


def test_the_values_of_a_column(agent):
    rows = [{"p": {"kind": ("a", "A", "b")[n % 3]}, "id": n} for n in range(900)]
    token = token_of(agent, rows)
    assert browse(agent, token, values={"column": ["p", "kind"]})["values"] == {
        "few": True,
        "missing": 0,
        "items": [{"value": "a", "count": 600}, {"value": "b", "count": 300}],
    }
    assert not browse(agent, token, values={"column": "id"})["values"]["few"]
    refused = reply_to(agent, token, values={"column": "p"})
    assert refused.is_error
    assert "There is no column 'p'" in refused.text


@pytest.mark.parametrize(
    ("condition", "error"),
    [
        ({"op": "between", "values": [1]}, "between needs two values"),
        ({"op": "one_of"}, "one_of needs values"),
        ({"op": "one_of", "values": [None]}, "one_of needs values"),
        ({"op": "equals", "value": "soon", "kind": "time"}, "not a day or a time"),
        ({"op": "equals", "value": "2023-02-30", "kind": "time"}, "not a day or a time"),
        ({"op": "one_of", "values": [10**301]}, "too many digits"),
    ],
)
def test_conditions_that_cannot_be_read(agent, condition, error):
    token = token_of(agent, [{"id": n, "text": "x" * 50} for n in range(900)])
    reply = reply_to(agent, token, where=[{"column": "id", **condition}])
    assert reply.is_error
    assert error in reply.text
