"""The explorer's looks on every store and both gates, and on stores that fail."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from dataclasses import replace

import pytest

from penstock import AsyncGate, Call, Gate, Policy, Principal, open_store
from penstock.core.browsing.order import SLOTS
from penstock.core.results.packing import CHUNK_ROWS, chunks_of_rows, pack, pick_rows
from penstock.errors import EntryCorrupt, StoreError, StoreFull
from penstock.stores.memory import MemoryStore

NOW = time.time()  # the real time, because a Redis server has its own clock
ROWS = [
    {"id": n, "text": "é" * (n % 40), "big": 10**20 + n, "in": {"x": [n]}} for n in range(3_500)
]
CALL = Call("tool", principal=Principal("ann"), server="srv", reader="read", browser="browse")
LOOKS = [
    {},
    {"start": 3_400, "count": 1_000},
    {"columns": ["id", "in"], "start": 999, "count": 3},
    {"path": "/7/in"},
    {"raw": True, "offset": 70},
    {"sort": {"column": "id", "descending": True}, "count": 700},
    {"find": "149", "where": [{"column": "id", "op": "more", "value": 1_000}]},
    {"chart": {"x": "id", "y": None}},
    {"chart": {"x": "nope"}},
    {"path": "/nowhere"},
    {"count": -1},
]


def counted():
    """Return a source of secrets that are the same in every run."""
    numbers = itertools.count()
    return lambda size: next(numbers).to_bytes(size, "big")


def gate_of(kind, store):
    return kind(Policy(), store, clock=lambda: NOW, random=counted())


def conversation(value):
    """Yield the requests to a gate: the name of a method and its arguments."""
    reply = yield "offer", (CALL, value)
    token = reply.value["continuation_token"]
    yield "show", (replace(CALL, arguments={"continuation_token": token}),)
    for look in LOOKS:
        given = {"continuation_token": token, **look}
        reply = yield "browse", (replace(CALL, arguments=given),)
        order = reply.structured_content.get("order")
        if order:
            for start in (5, 2**53):
                given = {"continuation_token": token, "order": order, "start": start, "count": 300}
                yield "browse", (replace(CALL, arguments=given),)


def run(gate, value=ROWS):
    steps, replies, reply = conversation(value), [], None
    while True:
        try:
            name, given = steps.send(reply)
        except StopIteration:
            gate.close()
            return replies
        reply = getattr(gate, name)(*given)
        replies.append(reply.wire())


def run_async(store, value=ROWS):
    async def scenario():
        gate = gate_of(AsyncGate, store)
        steps, replies, reply = conversation(value), [], None
        while True:
            try:
                name, given = steps.send(reply)
            except StopIteration:
                await gate.close()
                return replies
            reply = await getattr(gate, name)(*given)
            replies.append(reply.wire())

    return asyncio.run(scenario())


def test_all_stores_and_both_gates_agree_to_the_byte(tmp_path, redis_url):
    redis = pytest.importorskip("redis")
    expected = run(gate_of(Gate, MemoryStore()))
    assert len(expected) == len(LOOKS) + 6
    assert run_async(MemoryStore()) == expected
    assert run(gate_of(Gate, open_store(f"sqlite:{tmp_path}/a.db"))) == expected
    assert run_async(open_store(f"sqlite:{tmp_path}/b.db")) == expected
    assert run(gate_of(Gate, open_store(redis_url))) == expected
    redis.Redis.from_url(redis_url).flushall()
    assert run_async(open_store(redis_url)) == expected


# -- picked rows --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, CHUNK_ROWS, CHUNK_ROWS + 1, 4_500])
def test_rows_are_picked_in_any_order(size):
    rows = [b'{"id":%d}' % n for n in range(size)]
    packed = pack(iter([rows]))
    draw = random.Random(size)
    numbers = [draw.randrange(size) for _ in range(50)] + [0, size - 1, 0]
    needed = chunks_of_rows(packed.index, numbers)
    assert needed == sorted({number // CHUNK_ROWS for number in numbers})
    chunks = {number: packed.chunks[number] for number in needed}
    assert pick_rows(packed.index, chunks, numbers) == [rows[number] for number in numbers]


def test_no_rows_need_no_chunks():
    packed = pack(iter([[b"1", b"2"]]))
    assert chunks_of_rows(packed.index, []) == []
    assert pick_rows(packed.index, {}, []) == []


def test_a_page_of_an_order_reads_only_the_chunks_of_its_rows():
    class Watched(MemoryStore):
        asked = ()

        def read(self, key, numbers):
            self.asked = (*self.asked, *numbers)
            return super().read(key, numbers)

    store = Watched()
    gate = gate_of(Gate, store)
    token = gate.offer(CALL, ROWS).value["continuation_token"]
    given = {
        "continuation_token": token,
        "where": [{"column": "id", "op": "equals", "value": 3_000}],
    }
    order = gate.browse(replace(CALL, arguments=given)).structured_content["order"]
    store.asked = ()
    page = gate.browse(replace(CALL, arguments={"continuation_token": token, "order": order}))
    assert page.structured_content["numbers"] == [3_000]
    # The order came with its head in one read: by a second read, another order may have its place.
    assert len(store.asked) == 1
    gate.close()


# -- how many orders are kept -------------------------------------------------------------------


@pytest.fixture
def desk():
    """Return an app with one store."""
    gate = gate_of(Gate, MemoryStore())
    yield Desk(gate)
    gate.close()


class Desk:
    def __init__(self, gate):
        self.gate, self.store = gate, gate.store
        self.token = gate.offer(CALL, ROWS).value["continuation_token"]

    def reply(self, **arguments):
        given = {"continuation_token": self.token, **arguments}
        return self.gate.browse(replace(CALL, arguments=given))

    def browse(self, **arguments):
        reply = self.reply(**arguments)
        assert not reply.is_error, reply.text
        return reply.structured_content

    def entries(self):
        return self.store.stats().entries


def test_the_same_order_is_stored_once(desk):
    first = desk.browse(sort={"column": "id", "descending": True}, count=3)
    entries = desk.entries()
    for start in range(0, 400, 10):
        again = desk.browse(sort={"column": "id", "descending": True}, count=3, start=start)
        assert again["order"] == first["order"]
        assert again["rows"] == ROWS[::-1][start : start + 3]
    assert desk.entries() == entries == 2
    assert desk.browse(sort={"column": "id", "descending": True}, count=3) == first


def test_other_questions_have_other_orders(desk):
    asked = [
        {"sort": {"column": "id"}},
        {"sort": {"column": "id", "descending": True}},
        {"find": "149"},
        {"find": "149", "sort": {"column": "id"}},
        {"where": [{"column": "id", "op": "equals", "value": "149"}]},
        {"where": [{"column": "id", "op": "equals", "value": 149}]},
        {"find": "149", "path": "/149"},
    ]
    orders = [desk.browse(**arguments)["order"] for arguments in asked]
    assert len(set(orders)) == len(asked)


def test_many_orders_leave_room_for_results(desk):
    """An order whose place was taken is refused: it never shows other rows."""
    made = {n: desk.browse(find=f"{n}")["order"] for n in range(1_000, 1_060)}
    assert desk.entries() <= 1 + SLOTS
    kept = 0
    for number, order in made.items():
        reply = desk.reply(order=order)
        if reply.is_error:
            assert "no longer kept in this order" in reply.structured_content["error"]
            assert reply.structured_content["gone"] is False
        else:
            kept += 1
            assert number in reply.structured_content["numbers"]
        # The order's token alone is refused too, or works too.
        alone = desk.reply(continuation_token=order)
        assert alone.is_error is reply.is_error
    assert 1 <= kept <= SLOTS


def test_an_order_that_lost_its_place_is_made_anew(desk):
    first = desk.browse(find="1000")
    for number in range(1_001, 1_100):
        desk.browse(find=f"{number}")
    assert desk.reply(order=first["order"]).is_error
    assert desk.browse(find="1000") == first
    assert desk.browse(order=first["order"])["numbers"] == first["numbers"]


# -- stores that fail ---------------------------------------------------------------------------


class Failing(MemoryStore):
    """A store that fails in some methods."""

    failing = ()
    error: Exception = StoreError("The disk is on fire.")

    def _check(self, name):
        if name in self.failing:
            raise self.error

    def put(self, *args, **kwargs):
        self._check("put")
        return super().put(*args, **kwargs)

    def read(self, *args, **kwargs):
        self._check("read")
        return super().read(*args, **kwargs)

    def load(self, *args, **kwargs):
        self._check("load")
        return super().load(*args, **kwargs)

    def touch(self, *args, **kwargs):
        self._check("touch")
        return super().touch(*args, **kwargs)


@pytest.fixture
def store():
    return Failing()


@pytest.fixture(params=["sync", "async"])
def agent(open_agent, store, request):
    return open_agent(kind=request.param, store=store, call={"reader": "r", "browser": "b"})


def looked(agent, store, name, **arguments):
    call = replace(agent.template, arguments=arguments)
    reply = getattr(agent.gate, name)(call)
    store.failing = ()
    return reply


SORT = {"sort": {"column": "id"}}


@pytest.mark.parametrize(
    ("failing", "arguments"),
    [
        ("load", {}),
        ("read", {"start": 2_000}),
        ("read", SORT),
    ],
)
def test_a_store_that_fails(agent, store, failing, arguments):
    token = agent.offer(ROWS).value["continuation_token"]
    store.failing = (failing,)
    reply = looked(agent, store, "browse", continuation_token=token, **arguments)
    assert reply.is_error
    told = reply.structured_content
    assert told["gone"] is False
    assert told["error"]
    assert told["next_step"]
    assert "fire" not in reply.text  # the cause is for the log
    again = looked(agent, store, "browse", continuation_token=token, **arguments)
    assert not again.is_error, again.text


def test_a_store_that_fails_while_an_order_is_paged(agent, store):
    token = agent.offer(ROWS).value["continuation_token"]
    order = looked(agent, store, "browse", continuation_token=token, **SORT).structured_content[
        "order"
    ]
    store.failing = ("read",)
    reply = looked(agent, store, "browse", continuation_token=token, order=order, start=1_500)
    assert (reply.is_error, reply.structured_content["gone"]) == (True, False)


@pytest.mark.parametrize("error", [StoreError("On fire."), StoreFull(), ZeroDivisionError("what")])
def test_an_order_that_no_store_takes_is_shown_all_the_same(agent, store, error):
    """This holds whatever a custom store raises."""
    token = agent.offer(ROWS).value["continuation_token"]
    asked = {"continuation_token": token, "sort": {"column": "id", "descending": True}}
    for start in (0, 2_000):
        store.failing, store.error = ("put",), error
        page = looked(agent, store, "browse", **asked, start=start).structured_content
        assert page["numbers"][0] == 3_499 - start
        assert page["rows"][0] == ROWS[3_499 - start]
        assert (page["total"], page["unfiltered"]) == (3_500, 3_500)
        assert "order" not in page
        assert "could not be kept in this order" in page["notice"]
    page = looked(agent, store, "browse", **asked).structured_content
    assert page["order"]
    assert "notice" not in page


def test_a_store_that_cannot_prolong_is_still_read(agent, store, clock):
    token = agent.offer(ROWS).value["continuation_token"]
    clock.pass_by(200)
    store.failing = ("touch",)
    reply = looked(agent, store, "show", continuation_token=token)
    assert reply.structured_content["result"]["expires_in"] == 100


def test_damaged_rows_are_an_error_and_no_exception(agent, store):
    token = agent.offer(ROWS).value["continuation_token"]
    store.failing, store.error = ("read",), EntryCorrupt()
    reply = looked(agent, store, "browse", continuation_token=token, start=2_000)
    assert reply.is_error
    assert reply.structured_content["next_step"]
