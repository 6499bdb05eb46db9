"""Live lists: read again at every look, and copied for orders."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock import LiveRows, LiveWindow


class List:
    """A list in another system, which changes."""

    def __init__(self, count):
        self.rows = [{"n": n, "t": f"t{n % 7}"} for n in range(count)]
        self.reads = []
        self.is_counted = True

    def __call__(self, _reference, start, stop):
        self.reads.append((start, stop))
        rows = [
            b'{"n":%d,"t":"%s"}' % (row["n"], row["t"].encode()) for row in self.rows[start:stop]
        ]
        return LiveWindow(rows, len(self.rows) if self.is_counted else None)


@pytest.fixture
def there():
    return List(300)


@pytest.fixture
def agent(open_agent, there):
    return open_agent(hooks={"live_rows": there})


@pytest.fixture
def token(agent, there):
    first = there(None, 0, 20)
    return agent.offer(LiveRows("ref", 300, first.rows, 6_000)).value["continuation_token"]


def reply_to(agent, token, name="browse", **arguments):
    call = replace(agent.template, arguments={"continuation_token": token, **arguments})
    return getattr(agent.gate, name)(call, **agent.hooks)


def browse(agent, token, **arguments):
    reply = reply_to(agent, token, **arguments)
    assert not reply.is_error, reply.text
    return reply.structured_content


DOWN = {"column": "n", "descending": True}


# -- as it is -----------------------------------------------------------------------------------


def test_pages_are_read_where_they_are(agent, there, token):
    there.reads.clear()
    page = browse(agent, token, start=50, count=10)
    assert (page["total"], page["rows"]) == (300, there.rows[50:60])
    assert "changed" not in page
    assert there.reads == [(50, 60)]


def test_it_says_that_it_is_live(agent, token):
    told = reply_to(agent, token, "show").structured_content
    assert told["result"]["live"] is True
    assert told["page"]["columns"] == [{"name": "n", "type": "int"}, {"name": "t", "type": "str"}]


@pytest.mark.parametrize("now", [350, 299, 55, 50, 10, 0])
@pytest.mark.parametrize("is_counted", [True, False])
def test_a_list_that_has_changed_says_so(agent, there, token, now, is_counted):
    there.is_counted = is_counted
    there.rows = List(now).rows
    page = browse(agent, token, start=50, count=10)
    assert page["rows"] == there.rows[50:60]
    if is_counted and now >= 50:
        assert page["total"] == now
    # Without a count, only a page that is not full reveals the change.
    assert page.get("changed", False) is (is_counted or now < 60)


def test_walking_a_list_that_shrinks_comes_to_an_end(agent, there, token):
    seen, total = 0, 300
    while seen < total:
        page = browse(agent, token, start=seen, count=100)
        seen, total = seen + len(page["rows"]), page["total"]
        there.rows = there.rows[:150]
    assert seen == 150


def test_a_part_of_it(agent, there, token):
    assert browse(agent, token, path="/7")["rows"] == [
        {"key": "n", "value": 7},
        {"key": "t", "value": "t0"},
    ]
    assert reply_to(agent, token, path="/300").is_error


# -- orders -------------------------------------------------------------------------------------


def test_an_order_is_of_a_copy(agent, there, token):
    page = browse(agent, token, sort=DOWN, count=10)
    assert page["rows"] == there.rows[:-11:-1]
    there.reads.clear()
    was, there.rows = there.rows, List(5).rows  # the list changes, the order does not
    more = browse(agent, token, order=page["order"], start=10, count=10)
    assert more["rows"] == was[-11:-21:-1]
    assert (more["total"], more["unfiltered"]) == (300, 300)
    assert there.reads == []


def test_one_copy_serves_many_questions(agent, there, token):
    browse(agent, token, sort=DOWN)
    there.reads.clear()
    assert browse(agent, token, find="t3", count=1)["rows"] == [there.rows[3]]
    assert browse(agent, token, chart={"x": "t"})["chart"]["rows"] == 300
    assert (0, 300) not in there.reads


def test_an_order_of_a_copy_that_was_read_anew_is_refused(agent, there, token, clock):
    """The order has numbers of rows that no longer exist."""
    order = browse(agent, token, sort=DOWN)["order"]
    clock.pass_by(5)
    there.rows = List(40).rows
    assert browse(agent, token, sort=DOWN, count=1)["rows"] == [{"n": 39, "t": "t4"}]
    reply = reply_to(agent, token, order=order, start=100)
    assert reply.is_error
    assert reply.structured_content["gone"] is False
    assert "no longer kept in this order" in reply.value["error"]


def test_a_list_that_must_be_read_whole_is_not_sorted_in_part(open_agent, there):
    agent = open_agent(hooks={"live_rows": there}, query_rows=100)
    live = LiveRows("ref", 300, there(None, 0, 20).rows, 6_000, refuses_part=True)
    reply = reply_to(agent, agent.offer(live).value["continuation_token"], sort=DOWN)
    assert reply.is_error
    assert "The list has 300 rows." in reply.value["error"]


def test_the_same_order_of_one_copy_is_kept_once(agent, there, token, clock):
    first = browse(agent, token, sort=DOWN, count=1)
    clock.pass_by(5)
    assert browse(agent, token, sort=DOWN, count=1) == first
    there.rows = List(40).rows
    anew = browse(agent, token, sort=DOWN, count=1)
    assert (anew["rows"], anew["total"]) == ([{"n": 39, "t": "t4"}], 40)
    assert anew["order"] != first["order"]
    assert browse(agent, token, order=anew["order"], start=39)["rows"] == there.rows[:1]


def test_more_rows_than_are_copied(open_agent, there):
    agent = open_agent(hooks={"live_rows": there}, query_rows=120)
    first = there(None, 0, 20)
    token = agent.offer(LiveRows("ref", 300, first.rows, 6_000)).value["continuation_token"]
    page = browse(agent, token, sort=DOWN, count=1)
    assert (page["rows"], page["total"]) == ([there.rows[119]], 120)
    assert page["notice"] == "A live list of 300 rows: the first 120 were read for this."
    assert browse(agent, token, chart={"x": "n"})["notice"] == page["notice"]
    assert browse(agent, token, raw=True)["notice"] == page["notice"]
    assert "notice" not in browse(agent, token)


def test_the_json_of_all_of_it_is_that_of_a_copy(open_agent, there):
    """Its windows fit together, although the list changes between them."""
    agent = open_agent(hooks={"live_rows": there}, ceiling="2kB")
    first = there(None, 0, 20)
    token = agent.offer(LiveRows("ref", 300, first.rows, 6_000)).value["continuation_token"]
    whole = b"[" + b",".join(there(None, 0, 300).rows) + b"]"
    there.reads.clear()
    page = browse(agent, token, raw=True)
    text = page["rows"][0]
    while page["window"]["to"] < page["window"]["of"]:
        there.rows[100] = {"n": 0, "t": "changed"}
        page = browse(agent, token, raw=True, offset=page["window"]["to"])
        text += page["rows"][0]
    assert text.encode() == whole
    assert there.reads.count((0, 300)) == 1


def test_an_empty_list(open_agent):
    agent = open_agent(hooks={"live_rows": List(0)})
    token = agent.offer(LiveRows("ref", 0, [], 0)).value["continuation_token"]
    assert browse(agent, token)["rows"] == []
    assert browse(agent, token, find="x")["rows"] == []
