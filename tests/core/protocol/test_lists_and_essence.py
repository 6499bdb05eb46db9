"""Replies in place of a probe: the first page of a list, and the essence of a record."""

from __future__ import annotations

import pytest

from penstock import LiveRows, LiveWindow, Result
from penstock.stores.memory import MemoryStore

ROWS = [{"id": n, "name": f"name {n}"} for n in range(2_000)]
RECORD = {"id": 7, "name": "pump", "notes": "n" * 500}


# -- a list that was read whole -------------------------------------------------------------------


@pytest.fixture
def listing(open_agent):
    return open_agent(call={"pages_first": True})


def test_a_list_answers_with_its_first_page(listing):
    page = listing.offer(ROWS).value
    assert page == {
        "count": 2_000,
        "data_size": page["data_size"],
        "next": page["next"],
        "previous": None,
        "results": ROWS[:20],
        "continuation_token": page["continuation_token"],
        "available_modes": ["sql", "query", "search", "summary", "filtered", "paginated", "full"],
        "next_step": page["next_step"],
    }
    seen = page["results"]
    while page["next"]:
        page = listing.look(page["next"])
        seen += page["items"]
    assert seen == ROWS


def test_what_stands_beside_the_list_is_told(listing):
    page = listing.offer({"title": "all of them", "rows": ROWS}).value
    assert page["envelope"] == {"title": "all of them"}
    assert page["count"] == 2_000


@pytest.mark.parametrize(
    "value",
    [{"a": "x" * 40_000, "b": 1}, "line\n" * 9_000, Result(structured=ROWS, is_error=True)],
    ids=["dict", "text", "error"],
)
def test_what_is_no_list_is_probed(listing, value):
    assert "preview" in listing.offer(value).value


def test_a_part_of_a_list_states_no_count(open_agent):
    agent = open_agent(call={"is_part": True})
    for value in ({"notice": "page 1", "page": {"results": ROWS}}, ROWS):
        told = agent.offer(value).value
        assert "preview" in told
        assert "count" not in told


def test_a_small_list_passes_as_it_is(listing):
    assert listing.offer(ROWS[:3]).value == ROWS[:3]


def test_a_list_that_could_not_be_stored(open_agent):
    agent = open_agent(store=MemoryStore(capacity=1_000), call={"pages_first": True})
    page = agent.offer(ROWS).value
    assert page["stored"] is False
    assert page["items"] == ROWS[:20]


# -- the essence of a record ----------------------------------------------------------------------


@pytest.fixture
def writing(open_agent):
    return open_agent(call={"essence": {"id": 7, "status": 201}})


def test_the_essence_stands_for_the_record(writing):
    told = writing.offer(RECORD).value
    assert told == {
        "id": 7,
        "status": 201,
        "data_size": told["data_size"],
        "continuation_token": told["continuation_token"],
    }
    assert writing.look(told["continuation_token"], mode="full") == RECORD


def test_a_record_that_is_smaller_than_its_essence_passes(writing):
    assert writing.offer({"id": 7}).value == {"id": 7}


def test_an_essence_that_is_too_large_is_a_probe(open_agent):
    agent = open_agent(budget="1kB", call={"essence": {"ids": list(range(500))}})
    assert "preview" in agent.offer(RECORD | {"notes": "n" * 5_000}).value


# -- where a result came from ---------------------------------------------------------------------


def test_who_authorizes_sees_the_origin(open_agent):
    asked = []

    def authorize(tool, origin):
        asked.append((tool, origin))
        return True

    agent = open_agent(hooks={"authorize": authorize}, call={"origin": {"path": "/a/1"}})
    token = agent.offer(ROWS).value["continuation_token"]
    derived = agent.look(token, mode="sql", query="SELECT id FROM result")
    agent.look(derived["continuation_token"])
    assert asked == [(agent.template.tool, {"path": "/a/1"})] * 2


# -- live lists that change -----------------------------------------------------------------------


@pytest.mark.parametrize("now", [80, 120, 30, 0])
def test_a_live_list_that_has_changed_says_so(open_agent, now):
    def rows(_reference, start, stop):
        return LiveWindow([b"%d" % n for n in range(start, min(stop, now))], now)

    agent = open_agent(hooks={"live_rows": rows})
    page = agent.offer(LiveRows("ref", 100, [b"%d" % n for n in range(20)], 300)).value
    second = agent.look(page["continuation_token"], page=3)
    assert (second["total"], second["count_was"]) == (now, 100)
    assert second["items"] == list(range(40, min(60, now)))
    assert second["has_more"] is (now > 60)
    assert "changed" in second["notice"]


def test_a_live_list_that_has_not_changed_says_nothing(open_agent):
    def rows(_reference, start, stop):
        return LiveWindow([b"%d" % n for n in range(start, stop)], 100)

    agent = open_agent(hooks={"live_rows": rows})
    page = agent.offer(LiveRows("ref", 100, [b"%d" % n for n in range(20)], 300)).value
    assert "count_was" not in agent.look(page["next"])


def test_one_reading_of_a_live_list_serves_many_questions(open_agent, clock):
    reads = []
    there = [100]

    def rows(_reference, start, stop):
        reads.append((start, stop))
        return LiveWindow([b'{"n":%d}' % n for n in range(start, min(stop, there[0]))], there[0])

    agent = open_agent(hooks={"live_rows": rows})
    page = agent.offer(LiveRows("ref", 100, [b'{"n":%d}' % n for n in range(20)], 300)).value

    def count():
        reads.clear()
        told = agent.look(
            page["continuation_token"], mode="sql", query="SELECT count(*) AS n FROM result"
        )
        return told["items"][0]["n"], (0, 100) in reads or (0, there[0]) in reads, told

    assert count()[:2] == (100, True)
    clock.pass_by(30)
    counted, is_read, told = count()
    assert (counted, is_read, told["read_seconds_ago"]) == (100, False, 30)
    there[0] = 90  # the list has changed, so the copy must not serve again
    assert count()[:2] == (90, True)
    clock.pass_by(61)
    assert count()[:2] == (90, True)
