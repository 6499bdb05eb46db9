"""Filtered and sorted rows, through the gate and a real worker."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from penstock import Policy, Principal
from penstock.core.model.continuation import parse
from penstock.core.model.questions import Failure, Limits
from penstock.core.model.values import Call
from penstock.gate.gate import Gate
from penstock.stores.memory import MemoryStore
from penstock.worker import failures
from penstock.worker.frames import OUT_OF_MEMORY
from penstock.worker.sandbox.sql import Table

ROWS = [{"id": n, "kind": "abc"[n % 3], "at": {"x": n / 4}} for n in range(2_500)]
CALL = Call("tool", principal=Principal("ann"), server="srv")
DOWN = {"column": "id", "descending": True}


class Desk:
    """A gate, used as an app uses it."""

    def __init__(self, **settings):
        self.now = 1_000_000.0
        self.store = MemoryStore()
        self.gate = Gate(Policy(**settings), self.store, clock=lambda: self.now)

    def stored(self, value, call=CALL):
        return self.gate.offer(replace(call, essence={}), value).value["continuation_token"]

    def reply(self, token, call=CALL, **arguments):
        given = {"continuation_token": token, **arguments}
        return self.gate.browse(replace(call, arguments=given))

    def browse(self, token, **arguments):
        reply = self.reply(token, **arguments)
        assert not reply.is_error, reply.text
        return reply.structured_content

    def refused(self, token, **arguments):
        reply = self.reply(token, **arguments)
        assert reply.is_error
        told = reply.structured_content
        assert {"error": told["error"], "next_step": told["next_step"]} == reply.value
        return told


@pytest.fixture(scope="module")
def shared():
    """Share one desk between tests that only ask: a worker takes a while to start."""
    desk = Desk()
    yield desk
    desk.gate.close()


@pytest.fixture
def desk():
    desk = Desk()
    yield desk
    desk.gate.close()


@pytest.fixture(scope="module")
def token(shared):
    return shared.stored(ROWS)


# -- orders -------------------------------------------------------------------------------------


def test_sorted_rows(shared, token):
    page = shared.browse(token, sort=DOWN, count=3)
    assert page.pop("order").startswith("pen_")
    assert page == {
        "shape": "rows",
        "path": "",
        "total": 2_500,
        "unfiltered": 2_500,
        "start": 0,
        "rows": ROWS[:-4:-1],
        "numbers": [2_499, 2_498, 2_497],
    }


def test_the_columns_are_told_once_whatever_a_filter_leaves(shared):
    rows = [{"a": {"b": 1}}] * 400 + [{"a.b": 2}] * 400
    token = shared.stored(rows)
    assert shared.browse(token)["columns"] == [
        {"name": "a.b", "type": "int", "path": ["a", "b"]},
        {"name": "a.b_2", "type": "int", "path": ["a.b"]},
    ]
    filtered = shared.browse(token, where=[{"column": ["a.b"], "op": "not_null"}])
    assert (filtered["total"], filtered["rows"][0]) == (400, {"a.b": 2})
    assert "columns" not in filtered


def test_walking_an_order_sees_every_row_once(shared, token):
    where = [{"column": "kind", "op": "not_equals", "value": "b"}]
    page = shared.browse(token, where=where, find="1", sort=DOWN)
    expected = [row for row in reversed(ROWS) if row["kind"] != "b" and _has_a_one(row)]
    assert (page["total"], page["unfiltered"]) == (len(expected), 2_500)
    rows, numbers = page["rows"], page["numbers"]
    while len(rows) < page["total"]:
        page = shared.browse(token, order=page["order"], start=len(rows), count=170)
        assert "columns" not in page
        assert page["rows"]
        rows, numbers = rows + page["rows"], numbers + page["numbers"]
    assert rows == expected
    assert [ROWS[number] for number in numbers] == expected


def _has_a_one(row):
    return "1" in str(row["id"]) or "1" in str(row["at"]["x"])


def test_an_order_without_rows(shared, token):
    page = shared.browse(token, find="no such text")
    assert (page["total"], page["unfiltered"], page["rows"], page["numbers"]) == (0, 2_500, [], [])
    again = shared.browse(token, order=page["order"], start=5)
    assert (again["total"], again["rows"]) == (0, [])


def test_chosen_columns_of_an_order(shared, token):
    page = shared.browse(token, sort=DOWN, columns=["kind"], count=2)
    assert page["rows"] == [{"kind": "a"}, {"kind": "c"}]


def test_orders_of_entries_lines_and_parts(shared):
    entries = shared.stored({f"k{n}": {"n": -n} for n in range(300)})
    page = shared.browse(entries, sort={"column": "n"}, count=2)
    assert page["rows"][0] == {"key": "k299", "value": {"n": -299}}
    page = shared.browse(entries, sort={"column": "key", "descending": True}, count=1)
    assert page["rows"][0]["key"] == "k99"
    lines = shared.stored("\n".join(f"line {n}" for n in range(3_000)))
    page = shared.browse(lines, find="LINE 29", count=3)
    assert (page["shape"], page["rows"]) == ("lines", ["line 29", "line 290", "line 291"])
    assert (page["numbers"], page["total"]) == ([29, 290, 291], 111)
    nested = shared.stored({"a": {"list": ROWS}, "b": ROWS[:10]})
    page = shared.browse(nested, path="/a/list", sort=DOWN, count=1)
    assert page["rows"] == ROWS[-1:]
    assert shared.browse(nested, path="/b", sort=DOWN, count=1)["rows"] == [ROWS[9]]
    assert shared.browse(nested, path="/b/3", find="kind")["total"] == 1


def test_a_part_under_a_name_that_is_no_utf8(shared):
    nested = shared.stored('{"\\ud800":[{"a":1},{"a":2}],"b":[{"a":3}],"p":"' + "p" * 300 + '"}')
    page = shared.browse(nested, path="/\ud800", find="2")
    assert (page["numbers"], page["total"]) == ([1], 1)
    assert shared.browse(nested, path="/\ud800", chart={"x": "a"})["chart"]["rows"] == 2


def test_a_single_text_or_number_can_be_asked_too(shared):
    number = shared.stored("7" * 300)
    assert shared.browse(number, find="77")["total"] == 1
    assert shared.browse(number, find="8")["rows"] == []


def test_beside_one_list_the_numbers_are_of_that_list(shared):
    token = shared.stored({"title": "all", "items": ROWS})
    page = shared.browse(token, sort=DOWN, count=2)
    assert page["numbers"] == [2_499, 2_498]
    again = shared.browse(token, order=page["order"], start=2, count=1)
    assert again["rows"] == [ROWS[2_497]]


# -- whose an order is, and how long ------------------------------------------------------------


def test_an_order_is_of_its_result_and_part(shared, token):
    order = shared.browse(token, sort=DOWN)["order"]
    other = shared.stored(ROWS)
    nested = shared.stored({"a": ROWS, "b": ROWS})
    of_a = shared.browse(nested, path="/a", sort=DOWN)["order"]
    for refused in (
        shared.refused(other, order=order),
        shared.refused(token, order=order, path="/1"),
        shared.refused(nested, order=of_a, path="/b"),
        shared.refused(nested, order=of_a),
        shared.refused(token, order=of_a, path="/a"),
    ):
        assert "no longer kept in this order" in refused["error"]
        assert refused["gone"] is False
    assert shared.browse(nested, order=of_a, path="/a", count=1)["rows"] == ROWS[-1:]


@pytest.mark.parametrize(
    "call", [replace(CALL, principal=Principal("bob")), replace(CALL, server="x")]
)
def test_an_order_is_of_its_owner(shared, token, call):
    order = shared.browse(token, sort=DOWN)["order"]
    theirs = shared.stored(ROWS, call)
    reply = shared.reply(theirs, call, order=order)
    assert "no longer kept" in reply.value["error"]


@pytest.mark.parametrize("order", ["", "nonsense", "pen_" + "1" * 39, "x" * 5_000, "\ud800"])
def test_what_is_no_order(shared, token, order):
    reply = shared.reply(token, order=order)
    assert reply.is_error is bool(order)


def test_the_token_of_a_result_is_no_order(shared, token):
    assert "no longer kept" in shared.refused(token, order=token)["error"]


def test_something_that_only_looks_like_an_order_does_no_harm(shared, token):
    """An agent can make a result of exactly this form."""
    pytest.importorskip("jq")
    rows = '[3,"x",-1,2500,99999999999999999999,1.5,null,4]'
    query = {"mode": "query", "query": f'{{path:"", rows:{rows}}}'}
    call = replace(CALL, arguments={"continuation_token": token, **query})
    made = shared.gate.read(call).value["continuation_token"]
    page = shared.browse(token, order=made)
    assert page["numbers"] == [3, 4]
    assert page["rows"] == [ROWS[3], ROWS[4]]


def test_an_order_as_a_token_shows_numbers_and_nothing_else(shared, token):
    order = shared.browse(token, sort=DOWN)["order"]
    assert shared.browse(order, count=2)["rows"] == [2_499, 2_498]


def test_orders_expire_with_their_result(desk):
    token = desk.stored(ROWS)
    order = desk.browse(token, sort=DOWN)["order"]
    for _ in range(10):  # reading keeps both alive
        desk.now += 200
        assert desk.browse(token, order=order, count=1)["rows"] == ROWS[-1:]
    desk.now += 301
    assert desk.refused(token, order=order)["gone"] is True


def test_an_order_whose_result_was_deleted(desk):
    token = desk.stored(ROWS)
    order = desk.browse(token, sort=DOWN)["order"]
    desk.store.delete(parse(token).key)
    assert desk.refused(token, order=order)["gone"] is True
    assert desk.refused(order)["gone"] is True


def test_an_order_that_was_dropped(desk):
    token = desk.stored(ROWS)
    order = desk.browse(token, sort=DOWN)["order"]
    desk.store.delete(parse(order).key)
    assert desk.refused(token, order=order)["gone"] is False
    assert desk.browse(token, count=1)["rows"] == ROWS[:1]


# -- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"sort": {"column": "nope"}}, "no column 'nope' to sort by"),
        ({"where": [{"column": "nope", "op": "is_null"}]}, "no column 'nope' to filter by"),
        ({"chart": {"x": "nope"}}, "no column 'nope' to draw by"),
        ({"where": [{"column": "kind", "op": "matches", "value": "(["}]}, "regular expression"),
        ({"where": [{"column": "kind", "op": "contains"}]}, "contains needs a value"),
        ({"where": [{"column": "id", "op": "less", "value": 10**5_000}]}, "too many digits"),
        ({"find": "x", "path": "/0/nope"}, "Nothing at path"),
        ({"find": "x" * 10_000, "sort": {"column": "y" * 500}}, "characters"),
        ({"chart": {"x": "kind"}, "find": "no such text"}, "No row is left by the filters"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_asked(shared, token, arguments, said):
    refused = shared.refused(token, **arguments)
    assert said in refused["error"]
    assert refused["next_step"]
    assert refused["gone"] is False


def test_a_pattern_that_takes_too_long_is_ended():
    desk = Desk(query_seconds=1)
    token = desk.stored([{"t": "a" * 40 + "!"}] * 20)
    where = [{"column": "t", "op": "matches", "value": "(a|a)*$"}]
    assert "longer than 1 s" in desk.refused(token, where=where)["error"]
    desk.gate.close()


# Words that help an agent, but not a user who clicks.
AGENTS_WORDS = ("program", "jq", "SELECT", "statement", "quote", "mode", "query", "narrow", "`")


def _is_for_a_person(refused):
    told = f"{refused['error']} {refused['next_step']}"
    return not [word for word in AGENTS_WORDS if word.lower() in told.lower()]


def test_what_is_too_slow_is_said_to_a_person():
    desk = Desk(query_seconds=1)
    token = desk.stored([{"t": "a" * 40 + "!"}] * 20)
    where = [{"column": "t", "op": "matches", "value": "(a|a)*$"}]
    slow = desk.refused(token, where=where)
    assert slow["error"] == "Sorting or filtering took longer than 1 s."
    drawing = desk.refused(token, where=where, chart={"x": "t"})
    assert drawing["error"] == "Drawing the chart took longer than 1 s."
    for refused in (slow, drawing):
        assert _is_for_a_person(refused), refused
    desk.gate.close()


def test_what_is_too_long_or_unknown_is_said_to_a_person():
    desk = Desk()
    token = desk.stored([{"t": "a" * 40 + "!"}] * 20)
    long = desk.refused(token, find="x" * 9_990)
    assert "10000 are allowed" in long["error"]
    pattern = desk.refused(token, where=[{"column": "t", "op": "matches", "value": "(["}])
    unknown = desk.refused(token, sort={"column": "nope"})
    for refused in (long, pattern, unknown):
        assert _is_for_a_person(refused), refused
    desk.gate.close()


def test_what_takes_too_much_memory_is_said_to_a_person():
    limits = Limits()
    for language in ("order", "chart"):
        for failure in (
            failures.died(OUT_OF_MEMORY, limits, language),
            failures.died(1, limits, language),
            failures.too_large(limits, language),
            failures.not_started(language),
            failures.too_slow_to_start(language),
        ):
            assert _is_for_a_person({"error": failure.error, "next_step": failure.next_step})
    assert "program" in failures.died(OUT_OF_MEMORY, limits, "sql").error


def test_an_error_of_sqlite_is_said_to_a_person():
    """The name of the column is too long for a statement."""
    loaded = Table([b'{"' + b"n" * 60_000 + b'":"a"}'], "rows")
    chart = {"chart": {"x": "n" * 60_000, "y": "n" * 60_000}}
    failure = loaded.answer(json.dumps(chart), Limits(), "chart")
    assert isinstance(failure, Failure)
    assert "SQLite" in failure.error
    assert "statement" not in failure.next_step
    assert "quotes" not in failure.next_step


def test_large_numbers_and_letters_in_a_worker(shared):
    """A sandboxed child can import nothing, so it has loaded before all that comparisons need."""
    rows = [
        {"n": 10**25 - n, "price": f"{n}.50", "ok": n % 2 == 0, "t": ["é😀", "Łódź é"[n % 2 :]]}
        for n in range(200)
    ]
    token = shared.stored(rows)
    assert shared.browse(token, sort={"column": "n"}, count=2)["numbers"] == [199, 198]
    price = {"column": "price", "descending": True}
    assert shared.browse(token, sort=price, count=1)["numbers"] == [199]
    where = [{"column": "n", "op": "less", "value": str(10**25 - 197)}]
    assert shared.browse(token, where=where)["numbers"] == [198, 199]
    assert shared.browse(token, find="TRUE")["total"] == 100
    assert shared.browse(token, find="ŁÓDŹ")["total"] == 100
    assert shared.browse(token, find="é😀")["total"] == 200
    by_text = shared.browse(token, sort={"column": "t"}, count=1)
    assert by_text["numbers"] == [1]  # ódź, then Łódź
    escaped = shared.stored(json.dumps(rows))
    assert shared.browse(escaped, find="łódź")["total"] == 100
    assert shared.browse(escaped, find="É😀")["total"] == 200


def test_without_sql_there_are_only_pages():
    desk = Desk(modes=["paginated", "full"])
    token = desk.stored(ROWS)
    for arguments in ({"sort": DOWN}, {"find": "x"}, {"chart": {"x": "id"}}, {"order": "pen_x"}):
        assert "switched off" in desk.refused(token, **arguments)["error"]
    assert desk.browse(token, start=7, count=1)["rows"] == [ROWS[7]]
    desk.gate.close()
