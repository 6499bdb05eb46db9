"""One contract for both gates: the tool, the store and the worker may each fail."""

from __future__ import annotations

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from msgspec.structs import replace
from shown_rows import shown_rows

from penstock import AsyncGate, Call, Gate, LiveRows, Principal, Result
from penstock.core.model.continuation import parse
from penstock.core.model.stored import Head
from penstock.core.model.values import Refusal
from penstock.errors import EntryCorrupt, StoreFull, StoreUnavailable
from penstock.stores.memory import MemoryStore

ROWS = [{"id": n, "name": f"name {n}"} for n in range(2_000)]
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "path": {"type": "string"}},
    "required": ["city"],
}


class Failing(MemoryStore):
    """A store that fails in the methods that `failing` names."""

    def __init__(self, error=StoreUnavailable):
        super().__init__()
        self.failing = set()
        self.error = error

    def _maybe(self, name):
        if name in self.failing:
            raise self.error

    def put(self, key, record, *, now):
        self._maybe("put")
        super().put(key, record, now=now)

    def load(self, key, *, now, rows=None):
        self._maybe("load")
        return super().load(key, now=now)

    def read(self, key, numbers):
        self._maybe("read")
        return super().read(key, numbers)

    def touch(self, key, *, expires):
        self._maybe("touch")
        super().touch(key, expires=expires)


@pytest.fixture(params=["sync", "async"])
def kind(request):
    return request.param


@pytest.fixture
def opened(open_agent, kind):
    return lambda **options: open_agent(kind=kind, **options)


# -- the tool ----------------------------------------------------------------------------------


def test_a_tool_runs_once_and_never_with_a_token(opened):
    agent = opened()
    probe = agent.call(lambda _: ROWS, city="Bern").value
    page = agent.look(probe["continuation_token"])
    agent.look(page["next"])
    agent.look(probe["continuation_token"], mode="summary")
    agent.refused("pen_" + "1" * 39)
    assert agent.runs == [{"city": "Bern"}]


@pytest.mark.parametrize(
    "error",
    [ValueError("mine"), KeyError("k"), StopIteration(), StoreUnavailable("the tool's own")],
)
def test_what_a_tool_raises_comes_out_and_nothing_is_stored(opened, error):
    store = MemoryStore()
    agent = opened(store=store)

    def run(_arguments):
        raise error

    # A coroutine cannot raise StopIteration: Python makes a RuntimeError of it.
    expected = (StopIteration, RuntimeError) if isinstance(error, StopIteration) else type(error)
    with pytest.raises(expected):
        agent.call(run)
    assert store.stats().entries == 0
    assert agent.call(lambda _: "still works").value == "still works"


def test_required_arguments_are_enforced_on_the_first_call_only(opened):
    agent = opened(call={"schema": SCHEMA})
    reply = agent.call(lambda _: ROWS)
    assert reply.is_error
    assert "city" in reply.value["error"]
    assert agent.runs == []
    probe = agent.call(lambda _: ROWS, city="Bern", path="tool's own").value
    assert agent.runs == [{"city": "Bern", "path": "tool's own"}]
    assert agent.look(probe["continuation_token"], path="/3", mode="full") == ROWS[3]


def test_a_tool_with_a_token_of_its_own_is_left_alone(opened):
    schema = {"type": "object", "properties": {"continuation_token": {"type": "string"}}}
    agent = opened(call={"schema": schema})
    probe = agent.call(lambda _: ROWS, continuation_token="theirs").value  # noqa: S106 (no secret)
    assert agent.runs == [{"continuation_token": "theirs"}]
    reader = agent.but(tool="read_result", is_reader=True, schema=None)
    assert reader.look(probe["continuation_token"])["total"] == 2_000


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"a": [object()]}, "/a/0"),
        ({"a": {"b": object()}, "c": [1]}, "/a/b"),
        ({"x": [1], "y/z": [{"b": object()}]}, "/y~1z/0/b"),
        ([*range(1_234), {"b": object()}], "/1234/b"),
        (object(), "the top"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_unusable_result_is_a_clear_error(opened, given, path):
    agent = opened()
    reply = agent.call(lambda _: given)
    assert reply.is_error
    assert f"at {path} has" in reply.value["error"]
    assert reply.value["next_step"]
    assert "Traceback" not in reply.text


# -- the store ---------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [StoreUnavailable, StoreFull])
def test_a_result_that_cannot_be_stored_comes_with_its_first_page(opened, error, caplog):
    store = Failing(error)
    store.failing = {"put"}
    agent = opened(store=store)
    given = Result(content=[IMAGE], structured=ROWS, meta={"io.modelcontextprotocol/x": 1})
    reply = agent.call(lambda _: given)
    page = reply.value
    assert page["items"] == ROWS[:20]
    assert page["total"] == 2_000
    assert page["stored"] is False
    assert "has run" in page["notice"]
    assert page["next"] is None
    assert "continuation_token" not in page
    assert not reply.is_error
    [warned] = [record for record in caplog.records if record.levelname == "WARNING"]
    told = warned.getMessage()
    assert told.startswith("a result of the tool tool was not stored (")
    assert " bytes): the agent has only the part in its reply. " in told
    assert error().message in told
    assert IMAGE in reply.content
    assert reply.meta == {"io.modelcontextprotocol/x": 1}
    assert len(agent.runs) == 1


def test_nor_are_its_notices_lost(opened):
    store = Failing()
    store.failing = {"put"}
    reply = opened(store=store).offer([{"x": float("nan")}] * 5_000)
    assert "5000 NaN" in reply.value["notice"]


@pytest.mark.parametrize(
    "value",
    [{"a": "x" * 90_000, "b": []}, "line\n" * 9_000, "x" * 90_000],
    ids=["dict", "text", "line"],
)
def test_any_result_that_cannot_be_stored_is_within_the_budget(opened, value):
    store = Failing()
    store.failing = {"put"}
    reply = opened(store=store, budget="2kB").offer(value)
    assert reply.value["stored"] is False
    assert len(reply.wire()) <= 2_000


def test_a_live_list_that_cannot_be_stored(opened):
    store = Failing()
    store.failing = {"put"}
    page = opened(store=store).offer(LiveRows("ref", 100, [b"1"] * 20, 500)).value
    assert page["results"] == [1] * 20
    assert (page["stored"], page["next"], page["available_modes"]) == (False, None, [])
    assert "continuation_token" not in page


def test_a_small_result_does_not_need_the_store(opened):
    store = Failing()
    store.failing = {"put", "load", "read"}
    assert opened(store=store).offer([1, 2]).value == [1, 2]


@pytest.mark.parametrize("broken", ["load", "read"])
@pytest.mark.parametrize("error", [StoreUnavailable, EntryCorrupt])
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"mode": "summary"},
        {"mode": "full"},
        {"mode": "search", "query": "x"},
        {"path": "/1"},
        {"mode": "sql", "query": "SELECT 1"},
    ],
    ids=str,
)
def test_a_store_that_fails_later_is_a_clear_error(opened, broken, error, fields):
    store = Failing(error)
    agent = opened(store=store)
    token = agent.offer(ROWS).value["continuation_token"]
    store.failing = {broken}
    refusal = agent.refused(token, **fields)
    if error is EntryCorrupt and broken == "load":  # nobody can tell any more whose entry it was
        assert refusal["error"].startswith("Continuation token expired or not found.")
    else:
        assert refusal == {"error": error.__doc__, "next_step": error.next_step}
    store.failing = set()
    assert agent.look(token)["total"] == 2_000


@pytest.mark.parametrize("broken", ["load", "read"])
def test_a_store_that_fails_under_a_reference_does_not_run_the_tool(opened, broken):
    store = Failing()
    agent = opened(store=store)
    token = agent.offer(ROWS).value["continuation_token"]
    store.failing = {broken}
    reply = agent.call(lambda _: "done", rows=f"@result:{token}")
    assert reply.is_error
    assert reply.value["next_step"]
    assert agent.runs == []


def test_a_store_that_fails_under_a_resource_is_a_refusal(opened):
    store = Failing()
    agent = opened(store=store, ceiling="1kB")
    token = agent.offer(ROWS).value["continuation_token"]
    uri = agent.reply(token, mode="full").content[1]["uri"]
    store.failing = {"load"}
    found = agent.gate.read_resource(agent.template, uri)
    assert isinstance(found, Refusal)
    assert found.next_step


def test_every_failure_of_the_store_is_logged_once_and_without_the_token(opened, clock, caplog):
    store = Failing()
    agent = opened(store=store)
    token = agent.offer(ROWS).value["continuation_token"]
    clock.pass_by(200)
    lost = {
        "touch": "a stored result was read, but its life not extended: ",
        "load": "a stored result could not be opened: ",
        "read": "a stored result of the tool tool could not be read (",
        "put": "an answer about a result of the tool tool was not stored (",
    }
    for broken, told in lost.items():
        caplog.clear()
        store.failing = {broken}
        agent.reply(token, mode="search", query="name")
        [warned] = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
        assert warned.startswith(told)
        assert StoreUnavailable().message in warned
        assert token not in warned


def test_a_touch_that_fails_does_not_stop_the_reading(opened, clock):
    store = Failing()
    agent = opened(store=store)
    token = agent.offer(ROWS).value["continuation_token"]
    store.failing = {"touch"}
    clock.pass_by(200)
    assert agent.look(token)["total"] == 2_000


@pytest.mark.parametrize("mode", ["search", "query"])
def test_an_answer_that_cannot_be_stored_is_shown_and_says_so(opened, mode):
    store = Failing()
    agent = opened(store=store)
    token = agent.offer(ROWS).value["continuation_token"]
    store.failing = {"put"}
    answer = agent.look(token, mode=mode, query="name" if mode == "search" else ".[:500]")
    assert len(shown_rows(answer)) == 20
    assert answer["next"] is None
    assert "could not be stored" in answer["notice"]
    assert "continuation_token" not in answer


def test_a_full_without_a_link_still_has_the_way_on(opened):
    store = Failing()
    agent = opened(store=store, ceiling="1kB")
    token = agent.offer(ROWS).value["continuation_token"]
    store.failing = {"put"}
    reply = agent.reply(token, mode="full")
    assert len(reply.content) == 1
    assert agent.look(reply.value["next"])["items"]


def test_a_result_larger_than_the_quota(opened):
    agent = opened(store=MemoryStore(capacity=20_000, quota=10_000))
    rng = random.Random(1)
    rows = [{"x": rng.getrandbits(512)} for _ in range(500)]
    assert agent.offer(rows).value["stored"] is False


@pytest.mark.parametrize("part", ["head", "chunk", "cut chunk"])
def test_a_corrupt_entry_is_never_served(opened, part):
    store = MemoryStore()
    agent = opened(store=store)
    token = agent.offer(ROWS).value["continuation_token"]
    entry = store._entries[parse(token).key]
    chunks = entry.record.chunks
    changes = {
        "head": {"head": entry.record.head[:20]},
        "chunk": {"chunks": (b"rubbish", *chunks[1:])},
        "cut chunk": {"chunks": (chunks[0][: len(chunks[0]) // 2], *chunks[1:])},
    }[part]
    entry.record = replace(entry.record, **changes)
    refusal = agent.refused(token)
    expected = "Continuation token expired" if part == "head" else "damaged"
    assert expected in refusal["error"]
    assert "Call the tool" in refusal["next_step"]


def test_an_entry_of_a_newer_version_reads_as_not_there(opened):
    store = MemoryStore()
    agent = opened(store=store)
    token = agent.offer(ROWS).value["continuation_token"]
    entry = store._entries[parse(token).key]
    head = replace(msgspec.msgpack.decode(entry.record.head, type=Head), version=99)
    entry.record = replace(entry.record, head=msgspec.msgpack.encode(head))
    assert agent.reply(token).reason.endswith(": written by a newer version")


# -- many at once ------------------------------------------------------------------------------


def test_fifty_threads_at_once():
    gate = Gate()

    def one(number):
        call = Call(f"tool{number}", principal=Principal(str(number)))
        reply = gate.call(call, lambda _: [{"id": number}] * 5_000)
        token = reply.value["continuation_token"]
        fields = {
            "continuation_token": token,
            "mode": "sql",
            "query": "SELECT max(id) AS m FROM result",
        }
        page = gate.read(Call("reader", {"continuation_token": token}, Principal(str(number))))
        top = gate.read(Call("reader", fields, Principal(str(number))))
        return page.value["items"][0]["id"], top.value["items"][0]["m"]

    with ThreadPoolExecutor(50) as pool:
        assert list(pool.map(one, range(50))) == [(n, n) for n in range(50)]
    gate.close()


def test_fifty_tasks_at_once():
    async def one(gate, number):
        async def run(_arguments):
            await asyncio.sleep(0.001 * (number % 7))
            return [{"id": number}] * 5_000

        call = Call(f"tool{number}", principal=Principal(str(number)))
        reply = await gate.call(call, run)
        token = reply.value["continuation_token"]
        fields = {
            "continuation_token": token,
            "mode": "sql",
            "query": "SELECT max(id) AS m FROM result",
        }
        page = await gate.read(
            Call("reader", {"continuation_token": token}, Principal(str(number)))
        )
        top = await gate.read(Call("reader", fields, Principal(str(number))))
        return page.value["items"][0]["id"], top.value["items"][0]["m"]

    async def all_at_once():
        gate = AsyncGate()
        found = await asyncio.gather(*(one(gate, n) for n in range(50)))
        await gate.close()
        return found

    assert asyncio.run(all_at_once()) == [(n, n) for n in range(50)]


# -- live rows ---------------------------------------------------------------------------------

LIVE = [b'{"id":%d,"kind":"%s"}' % (n, b"ab"[n % 2 : n % 2 + 1]) for n in range(500)]


@pytest.fixture
def live(opened):
    """Return an agent, a token of live rows, and the reads so far."""

    def make(**settings):
        reads = []

        def rows(reference, start, stop):
            assert reference == {"model": "user"}
            reads.append((start, stop))
            return LIVE[start:stop]

        agent = opened(hooks={"live_rows": rows}, **settings)
        page = agent.offer(LiveRows({"model": "user"}, 500, LIVE[:20], 20_000)).value
        return agent, page, reads

    return make


def test_live_pages_read_only_their_rows(live):
    agent, page, reads = live()
    pages = [agent.look(page["next"])]
    while pages[-1]["next"]:
        pages.append(agent.look(pages[-1]["next"]))
    assert [row["id"] for page in pages for row in page["items"]] == list(range(20, 500))
    assert all(page["live"] for page in pages)
    assert max(stop - start for start, stop in reads) <= 20


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"mode": "sql", "query": "SELECT count(*) AS n FROM result"}, {"items": [{"n": 500}]}),
        ({"mode": "query", "query": "map(.id) | add"}, {"value": 124_750}),
        ({"mode": "summary"}, {"total": 500}),
        ({"mode": "search", "query": "499"}, {"total": 1}),
        ({"mode": "filtered", "filter_keys": ["id"]}, {"total": 500}),
        ({"path": "/7", "mode": "paginated"}, {"total": 2}),
    ],
    ids=str,
)
def test_live_rows_in_every_mode(live, fields, shown):
    agent, page, _ = live()
    told = agent.look(page["continuation_token"], **fields)
    assert {name: told[name] for name in shown} == shown
    assert "rows_not_read" not in told


@pytest.mark.parametrize(
    "fields",
    [
        {"mode": "sql", "query": "SELECT count(*) AS n FROM result"},
        {"mode": "query", "query": "length"},
        {"mode": "summary"},
        {"mode": "search", "query": "id"},
    ],
    ids=str,
)
def test_a_bounded_copy_says_what_it_did_not_read(live, fields):
    agent, page, reads = live(query_rows=100)
    told = agent.look(page["continuation_token"], **fields)
    assert told["rows_not_read"] == 400
    assert max(stop for _, stop in reads) == 100


def test_full_of_live_rows(live):
    agent, page, _ = live()
    assert [row["id"] for row in agent.look(page["continuation_token"], mode="full")] == list(
        range(500)
    )


def test_live_rows_that_a_store_cannot_give_are_a_clear_error(opened):
    def rows(_reference, _start, _stop):
        raise StoreUnavailable

    agent = opened(hooks={"live_rows": rows})
    token = agent.offer(LiveRows({"model": "user"}, 500, LIVE[:20], 20_000)).value["next"]
    assert agent.refused(token)["next_step"] == StoreUnavailable.next_step


def test_any_other_error_of_a_hook_comes_out(opened):
    def rows(_reference, _start, _stop):
        raise ZeroDivisionError

    agent = opened(hooks={"live_rows": rows})
    token = agent.offer(LiveRows({"model": "user"}, 500, LIVE[:20], 20_000)).value["next"]
    with pytest.raises(ZeroDivisionError):
        agent.reply(token)
