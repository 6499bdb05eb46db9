"""A call that is cancelled leaves nothing behind, and nothing running."""

from __future__ import annotations

import asyncio
import threading

import pytest

from penstock import AsyncGate, Call, Policy, Principal
from penstock.stores.memory import MemoryStore
from penstock.stores.threads import _Direct as AsyncFace

ROWS = [{"id": n, "pad": "x" * 50} for n in range(1_000)]
CALL = Call("tool", principal=Principal("ann"))


def ask(token, **fields):
    return Call("tool", {"continuation_token": token, **fields}, Principal("ann"))


async def cancelled(coroutine, after):
    """Start it, cancel it when `after` says so, and see it end as cancelled."""
    task = asyncio.ensure_future(coroutine)
    await after()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def inside_a_question(gate):
    """Waits until a child that has loaded what it is asked about is at work."""

    return lambda: until(lambda: any(child.keys for child in busy(gate)))


def busy(gate):
    workers = gate._workers
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


class SlowPut(MemoryStore):
    """A store that waits in its put, in a thread, until it is told to go on."""

    blocking = True

    def __init__(self):
        super().__init__()
        self.putting, self.go_on = threading.Event(), threading.Event()

    def put(self, key, record, *, now):
        self.putting.set()
        assert self.go_on.wait(10)
        super().put(key, record, now=now)


def test_during_the_put():
    """The put goes on in its thread after the cancellation; what it stored is deleted then."""
    store = SlowPut()

    async def until_putting():
        await asyncio.to_thread(store.putting.wait, 10)
        threading.Timer(0.1, store.go_on.set).start()

    async def scenario():
        gate = AsyncGate(store=store)
        await cancelled(gate.offer(CALL, ROWS), until_putting)
        assert store.stats().entries == 0

    asyncio.run(scenario())


class PauseAfterPut(AsyncFace):
    """A store whose put is done, and has not come back."""

    def __init__(self, store):
        super().__init__(store)
        self.done = asyncio.Event()

    async def put(self, key, record, *, now):
        await super().put(key, record, now=now)
        self.done.set()
        await asyncio.sleep(0.2)


def test_after_the_put():
    store = MemoryStore()

    async def scenario():
        outer = PauseAfterPut(store)
        await cancelled(AsyncGate(store=outer).offer(CALL, ROWS), outer.done.wait)
        assert store.stats().entries == 0

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
        await until(lambda: not gate._workers._children)
        reply = await gate.call(ask(token, mode="query", query="length + 1"), None)
        assert reply.value["value"] == 1_001
        await gate.close()

    asyncio.run(scenario())


def test_a_cancelled_look_deletes_only_what_it_made():
    """The result that was looked at stays."""
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
