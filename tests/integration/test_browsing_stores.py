"""The explorer's looks on every store and both gates, and on stores that fail."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from dataclasses import replace

import pytest

from penstock import AsyncGate, Call, Gate, Policy, Principal, open_store
from penstock.errors import EntryCorrupt, StoreError
from penstock.packing import CHUNK_ROWS, chunks_of_rows, pack, pick_rows
from penstock.stores import open_async_store
from penstock.stores.memory import MemoryStore

NOW = time.time()  # of this very moment: a Redis server goes by a clock of its own
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
    """Secrets that are the same in every run."""
    numbers = itertools.count()
    return lambda size: next(numbers).to_bytes(size, "big")


def gate_of(kind, store):
    return kind(Policy(), store, clock=lambda: NOW, random=counted())


def conversation(value):
    """What is asked of a gate, step by step: a name of a method and its arguments."""
    reply = yield "offer", (CALL, value)
    token = reply.value["continuation_token"]
    yield "show", (replace(CALL, arguments={"continuation_token": token}),)
    for look in LOOKS:
        given = {"continuation_token": token, **look}
        reply = yield "browse", (replace(CALL, arguments=given),)
        order = reply.structured_content.get("order")
        if order:
            given = {"continuation_token": token, "order": order, "start": 5, "count": 300}
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
        gate = gate_of(AsyncGate, store() if callable(store) else store)
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
    assert len(expected) == len(LOOKS) + 4
    assert run_async(MemoryStore()) == expected
    assert run(gate_of(Gate, open_store(f"sqlite:{tmp_path}/a.db"))) == expected
    assert run_async(lambda: open_async_store(f"sqlite:{tmp_path}/b.db")) == expected
    assert run(gate_of(Gate, open_store(redis_url))) == expected
    redis.Redis.from_url(redis_url).flushall()
    assert run_async(lambda: open_async_store(redis_url)) == expected


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
    # One of the order itself, and one of the rows.
    assert len(store.asked) <= 2
    gate.close()


# -- stores that fail ---------------------------------------------------------------------------


class Failing(MemoryStore):
    """Fails in what it is told to."""

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


@pytest.fixture(params=["sync", "async"])
def agent(open_agent, request):
    return open_agent(kind=request.param, store=Failing(), call={"reader": "r", "browser": "b"})


def store_of(agent):
    return getattr(agent.gate, "gate", agent.gate).store


def looked(agent, store, name, **arguments):
    call = replace(agent.template, arguments=arguments)
    reply = getattr(agent.gate, name)(call)
    store.failing = ()
    return reply


@pytest.fixture
def store(agent):
    store = store_of(agent)
    return getattr(store, "_store", store) if not isinstance(store, Failing) else store


SORT = {"sort": {"column": "id"}}


@pytest.mark.parametrize(
    ("failing", "arguments"),
    [
        ("load", {}),
        ("read", {"start": 2_000}),
        ("read", SORT),
        ("put", SORT),
        ("put", {"find": "x"}),
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
    assert "fire" not in reply.text  # what the matter is, is for the log
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


def test_a_put_of_somebody_else_s_that_raises_anything(agent, store):
    token = agent.offer(ROWS).value["continuation_token"]
    store.failing, store.error = ("put",), ZeroDivisionError("what")
    reply = looked(agent, store, "browse", continuation_token=token, **SORT)
    assert reply.is_error
    assert reply.structured_content["next_step"]


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
