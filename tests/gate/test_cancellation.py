"""A call that is cancelled leaves nothing behind, and nothing running."""

from __future__ import annotations

import asyncio
import threading

import pytest

from penstock import AsyncGate, Call, Gate, Policy, Principal
from penstock.stores.memory import MemoryStore

ROWS = [{"id": n, "pad": "x" * 50} for n in range(1_000)]
CALL = Call("tool", principal=Principal("ann"))


def ask(token, **fields):
    return Call("tool", {"continuation_token": token, **fields}, Principal("ann"))


async def cancelled(coroutine, after):
    """Start a coroutine, cancel it when `after` returns, and check that it ends as cancelled."""
    task = asyncio.ensure_future(coroutine)
    await after()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def inside_a_question(gate):
    """Return a wait until a child has loaded its rows and is at work."""

    return lambda: until(lambda: any(child.keys for child in busy(gate)))


def busy(gate):
    workers = gate.gate._workers
    return set() if workers is None else set(workers._children) - set(workers._free)


async def until(condition):
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 (a child has no event to wait for)
            await asyncio.sleep(0.01)


def test_during_the_tool():
    store = MemoryStore()
    started = asyncio.Event()
    ended = []

    async def run(_arguments):
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def scenario():
        gate = AsyncGate(store=store)
        await cancelled(gate.call(CALL, run), started.wait)
        assert (await gate.call(CALL, lambda _: "next")).value == "next"
        await gate.close()

    asyncio.run(scenario())
    assert ended == ["cancelled"]


class Waiting(MemoryStore):
    """A store that waits, in one of its methods, before or after it does its work."""

    def __init__(self, method, when):
        super().__init__()
        self.place = (method, when)
        self.is_there, self.go_on = threading.Event(), threading.Event()
        self.has_gone_on = False

    def _wait(self, *place):
        if place == self.place:
            self.is_there.set()
            self.go_on.wait(30)
            self.has_gone_on = True

    def put(self, key, record, *, now):
        self._wait("put", "before")
        super().put(key, record, now=now)
        self._wait("put", "after")

    def load(self, key, *, now, rows=None):
        self._wait("load", "before")
        return super().load(key, now=now, rows=rows)

    async def arrival(self):
        await asyncio.to_thread(self.is_there.wait, 30)

    async def arrival_and_release(self):
        """Return when the thread waits. Let the thread go on in the loop's next turn."""
        await self.arrival()
        asyncio.get_running_loop().call_soon(self.go_on.set)


@pytest.mark.parametrize("when", ["before", "after"])
def test_during_the_put(when):
    """The put goes on in its thread after the cancellation; its record is deleted afterwards."""
    store = Waiting("put", when)

    async def scenario():
        async with AsyncGate(store=store) as gate:
            await cancelled(gate.offer(CALL, ROWS), store.arrival_and_release)
            assert store.stats().entries == 0

    asyncio.run(scenario())


def test_twice_during_the_put():
    """After a second cancellation nothing waits for the put; its record is still deleted."""
    store = Waiting("put", "after")

    async def scenario():
        async with AsyncGate(store=store) as gate:
            task = asyncio.ensure_future(gate.offer(CALL, ROWS))
            await store.arrival()
            for _ in range(2):
                task.cancel()
                await asyncio.sleep(0)
            with pytest.raises(asyncio.CancelledError):
                await task
            assert store.stats().entries == 1
            store.go_on.set()
            await until(lambda: store.stats().entries == 0)

    asyncio.run(scenario())


def test_after_the_last_step():
    """The result is stored and the reply is made, but the task does not have the reply yet."""
    store = Waiting("put", "after")

    async def scenario():
        gate = AsyncGate(store=store)
        task = asyncio.ensure_future(gate.offer(CALL, ROWS))
        await store.arrival()
        [threads] = gate._steps._pools.values()
        gate._steps.end()
        store.go_on.set()
        threads.shutdown(wait=True)  # this blocks the loop
        assert store.stats().entries == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert store.stats().entries == 0
        await gate.close()

    asyncio.run(scenario())


def test_a_store_that_hangs_does_not_hold_up_a_call_that_stored_nothing():
    store = Waiting("load", "before")

    async def scenario():
        async with AsyncGate(store=store) as gate:
            token = (await gate.offer(CALL, ROWS)).value["continuation_token"]
            await cancelled(gate.call(ask(token), None), store.arrival)
            assert not store.has_gone_on
            store.go_on.set()
            assert (await gate.call(ask(token), None)).value["total"] == 1_000

    asyncio.run(scenario())


def test_during_a_question_that_loops():
    pytest.importorskip("jq")

    async def scenario():
        gate = AsyncGate(Policy(query_seconds=600))
        token = (await gate.offer(CALL, ROWS)).value["continuation_token"]
        assert (await gate.call(ask(token, mode="query", query="length"), None)).value[
            "value"
        ] == 1_000
        looping = ask(token, mode="query", query="def f: f; f")
        await cancelled(gate.call(looping, None), inside_a_question(gate))
        await until(lambda: not gate.gate._workers._children)
        reply = await gate.call(ask(token, mode="query", query="length + 1"), None)
        assert reply.value["value"] == 1_001
        await gate.close()

    asyncio.run(scenario())


def test_a_cancelled_look_deletes_only_what_it_made():
    """The result that the call looks at stays."""
    pytest.importorskip("jq")

    async def scenario():
        store = MemoryStore()
        gate = AsyncGate(Policy(query_seconds=600), store)
        token = (await gate.offer(CALL, ROWS)).value["continuation_token"]
        looping = ask(token, mode="query", query="def f: f; f")
        await cancelled(gate.call(looping, None), inside_a_question(gate))
        assert store.stats().entries == 1
        assert (await gate.call(ask(token), None)).value["total"] == 1_000
        await gate.close()

    asyncio.run(scenario())


def test_while_a_result_is_made_ready():
    """Encoding may take long. A call that is cancelled meanwhile stores nothing, even if the gate is
    closed by then."""
    store = MemoryStore()
    is_there, go_on = threading.Event(), threading.Event()
    puts = []
    store.put = lambda *args, **kwargs: puts.append(args)

    def random(count):
        is_there.set()
        go_on.wait(30)
        return bytes(count)

    async def scenario():
        async with AsyncGate(store=store, random=random) as gate:
            task = asyncio.ensure_future(gate.offer(CALL, ROWS))
            await asyncio.to_thread(is_there.wait, 30)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            thread = next(each for each in threading.enumerate() if "penstock-gate" in each.name)
        go_on.set()
        await asyncio.to_thread(thread.join, 30)

    asyncio.run(scenario())
    assert puts == []


def test_a_foreign_store_that_cannot_delete_changes_nothing_about_the_cancellation(caplog):
    store = Waiting("put", "after")

    def delete(_key):
        raise ConnectionError("gone")

    store.delete = delete

    async def scenario():
        async with AsyncGate(store=store) as gate:
            await cancelled(gate.offer(CALL, ROWS), store.arrival_and_release)

    asyncio.run(scenario())
    assert "stays until it expires" in caplog.text


def test_no_cancellation_is_one_that_never_comes():
    with Gate() as gate:
        assert gate.offer(CALL, [1], cancellation=None).value == [1]
