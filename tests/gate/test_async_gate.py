"""The asynchronous gate: where its hooks and its steps run, and what waits for what."""

from __future__ import annotations

import asyncio
import gc
import inspect
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest

from penstock import AsyncGate, Call, Gate, LiveRows, Principal
from penstock.core.model.effects import Run
from penstock.errors import InvalidSetting
from penstock.stores.memory import MemoryStore

ROWS = [{"id": n, "pad": "x" * 50} for n in range(1_000)]
CALL = Call("tool", principal=Principal("ann"))
PLACE = ContextVar("PLACE", default="nowhere")
# With these, `AsyncGate` drives a call of its `gate`.
INNER = {"context", "finish", "start"}


def ask(token, **fields):
    return Call("tool", {"continuation_token": token, **fields}, Principal("ann"))


def public(kind):
    """Return the public methods of a gate, each with its parameters."""
    methods = inspect.getmembers(kind, inspect.isfunction)
    return {
        name: list(inspect.signature(method).parameters.values())
        for name, method in methods
        if not name.startswith("_")
    }


def test_it_has_the_methods_of_the_gate():
    expected = {name: given for name, given in public(Gate).items() if name not in INNER}
    assert public(AsyncGate) == expected


def test_a_call_is_prepared_and_its_result_offered():
    async def scenario():
        async with AsyncGate() as gate:
            token = (await gate.offer(CALL, ROWS)).value["continuation_token"]
            given = Call("tool", {"rows": f"@result:{token}"}, Principal("ann"))
            prepared = await gate.prepare(given)
            assert isinstance(prepared, Run)
            reply = await gate.offer(given, [1], notice="Slow today.")
            refused = await gate.prepare(ask("pen_" + "1" * 39))
        return reply, refused

    reply, refused = asyncio.run(scenario())
    assert reply.meta == {"dev.penstock/notices": ["Slow today."]}
    assert refused.is_error


@pytest.mark.parametrize("kind", [Gate, AsyncGate])
def test_a_store_that_has_to_be_awaited_is_refused(kind):
    class Awaited(MemoryStore):
        async def load(self, key, *, now, rows=None):
            return super().load(key, now=now, rows=rows)

    with pytest.raises(InvalidSetting, match="in threads"):
        kind(store=Awaited())


# -- where ------------------------------------------------------------------------------------


class Seen(list):
    """A record of where each hook was called: thread, task and context."""

    def note(self):
        self.append((threading.current_thread(), asyncio.current_task(), PLACE.get()))


def hooks_of(seen, *, awaited):
    def run(_arguments):
        seen.note()
        PLACE.set("left by the tool")
        return LiveRows("users", 500, [b"0"] * 20, 5_000)

    def authorize(_tool, _origin):
        seen.note()
        return True

    def live_rows(_reference, start, stop):
        seen.note()
        return [b"%d" % n for n in range(start, stop)]

    def as_coroutine(hook):
        async def coroutine(*args):
            await asyncio.sleep(0)
            return hook(*args)

        return coroutine

    return [as_coroutine(hook) if awaited else hook for hook in (run, authorize, live_rows)]


@pytest.mark.parametrize("awaited", [False, True], ids=["plain", "coroutines"])
def test_hooks_run_in_the_task_that_awaits(awaited):
    seen = Seen()
    run, authorize, live_rows = hooks_of(seen, awaited=awaited)

    async def scenario():
        hooks = {"authorize": authorize, "live_rows": live_rows}
        async with AsyncGate() as gate:
            PLACE.set("with the caller")
            page = await gate.call(CALL, run, **hooks)
            assert PLACE.get() == "left by the tool"
            following = await gate.call(ask(page.value["next"]), None, **hooks)
        return following, (threading.current_thread(), asyncio.current_task())

    following, (thread, task) = asyncio.run(scenario())
    assert following.value["items"] == list(range(20, 40))
    assert len(seen) == 3
    assert {(seen_thread, seen_task) for seen_thread, seen_task, _ in seen} == {(thread, task)}
    assert [place for *_, place in seen] == ["with the caller", *["left by the tool"] * 2]


def test_the_store_works_in_a_thread_and_in_the_context_of_the_caller():
    seen = []

    class Seeing(MemoryStore):
        def put(self, key, record, *, now):
            seen.append((threading.current_thread().name, PLACE.get()))
            super().put(key, record, now=now)

    async def scenario():
        async with AsyncGate(store=Seeing()) as gate:
            PLACE.set("with the caller")
            await gate.offer(CALL, ROWS)

    asyncio.run(scenario())
    [(thread, place)] = seen
    assert thread.startswith("penstock-gate")
    assert place == "with the caller"


# -- who waits --------------------------------------------------------------------------------


def test_calls_need_no_thread_while_their_tools_run():
    """Each of these tools waits for all the others."""
    everyone = asyncio.Barrier(300)

    async def run(_arguments):
        await everyone.wait()
        return ROWS

    async def scenario():
        async with AsyncGate() as gate, asyncio.timeout(60):
            return await asyncio.gather(*(gate.call(CALL, run) for _ in range(300)))

    replies = asyncio.run(scenario())
    assert {reply.value["count"] for reply in replies} == {1_000}


def test_tools_that_hold_the_threads_of_the_loop_hold_up_nobody_else():
    go_on = threading.Event()

    async def blocking(_arguments):
        return await asyncio.to_thread(go_on.wait, 60)

    async def scenario():
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        async with AsyncGate() as gate:
            slow = [asyncio.ensure_future(gate.call(CALL, blocking)) for _ in range(5)]
            await asyncio.sleep(0)
            quick = await gate.call(CALL, lambda _: "quick")
            assert not any(task.done() for task in slow)
            go_on.set()
            return quick, await asyncio.gather(*slow)

    quick, slow = asyncio.run(scenario())
    assert quick.value == "quick"
    assert [reply.value for reply in slow] == [True] * 5


def test_a_gate_that_is_closed_ends_its_threads():
    async def scenario():
        before = set(threading.enumerate())
        gate = AsyncGate()
        token = (await gate.offer(CALL, ROWS)).value["continuation_token"]
        await gate.call(ask(token, mode="sql", query="SELECT 1 AS n"), None)
        started = [
            thread
            for thread in set(threading.enumerate()) - before
            if thread.name.startswith("penstock-")
        ]
        assert {thread.name.rpartition("_")[0] for thread in started} == {
            "penstock-gate",
            "penstock-ask",
        }
        await gate.close()
        for thread in started:
            thread.join(30)
        return [thread for thread in started if thread.is_alive()]

    gc.disable()  # the threads must end on request, not when the gate is collected
    try:
        assert asyncio.run(scenario()) == []
    finally:
        gc.enable()
