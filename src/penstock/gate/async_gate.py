"""The gate for those who await. It is a module of its own because `asyncio` takes as long to import
as all the rest, and a synchronous program needs none of it."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self, TypeVar, assert_never, cast

from penstock.core.model.cancellation import Cancellation
from penstock.core.model.effects import (
    Authorize,
    Compute,
    Effect,
    LoadHead,
    PickRows,
    Put,
    Ran,
    ReadRows,
    ReadWindow,
    Run,
    Steps,
    Touch,
)
from penstock.core.model.reply import Reply
from penstock.core.model.store import chunk_numbers
from penstock.core.model.stored import Live
from penstock.core.model.values import Call, LiveWindow, Refusal
from penstock.core.protocol.concluding import conclude
from penstock.core.protocol.negotiation import Resource, negotiate, read_resource
from penstock.core.results.packing import chunks_of_rows
from penstock.errors import StoreError
from penstock.gate.gate import (
    GateBase,
    Hooks,
    as_reader,
    as_result,
    as_store_error,
    as_window,
    logged,
    of_the_store,
    picked,
    plain,
    reference_of,
    sliced,
)
from penstock.log import logger
from penstock.settings.policy import Policy
from penstock.stores import AsyncStore, Store, as_async, open_async_store

Outcome = TypeVar("Outcome")


class AsyncGate(GateBase):
    """The asynchronous gate."""

    def __init__(
        self, policy: Policy | None = None, store: AsyncStore | Store | None = None, **options: Any
    ) -> None:
        super().__init__(policy, **options)
        self._threads: tuple[int, ThreadPoolExecutor] | None = None
        self.store: AsyncStore = (
            _awaitable(store)
            if store is not None
            else open_async_store(
                self.policy.store, capacity=self.policy.capacity, quota=self.policy.quota
            )
        )

    async def call(
        self, call: Call, run: Callable[[Mapping[str, Any]], Any], **hooks: Any
    ) -> Reply:
        """A call of a tool. `run(arguments)` is called at most once, and not with a token."""
        return await self._drive(negotiate(call, self._context()), Hooks(run, **hooks))

    async def offer(self, call: Call, result: Any) -> Reply:
        """What a tool gave, on its way to the agent."""
        return await self._drive(conclude(call, self._context(), as_result(result)), Hooks())

    async def read(self, call: Call, **hooks: Any) -> Reply:
        """A call of the reader: a token, and how to look at its result."""
        return await self._drive(negotiate(as_reader(call), self._context()), Hooks(**hooks))

    async def show(self, call: Call, **hooks: Any) -> Reply:
        """A stored result for the explorer, and a word about it for the model."""
        from penstock.core.browsing import show

        return await self._drive(show(as_reader(call), self._context()), Hooks(**hooks))

    async def browse(self, call: Call, **hooks: Any) -> Reply:
        """What the explorer shows next of a stored result: for the app alone, in the host's cap."""
        from penstock.core.browsing import browse

        return await self._drive(browse(as_reader(call), self._context()), Hooks(**hooks))

    async def read_resource(self, call: Call, uri: str, **hooks: Any) -> Resource | Refusal:
        """The stored result behind a resource link."""
        return await self._drive(
            read_resource(as_reader(call), self._context(), uri), Hooks(**hooks)
        )

    async def close(self) -> None:
        await asyncio.to_thread(self._close_workers)
        self._close_threads()
        await self.store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _drive(self, steps: Steps[Outcome], hooks: Hooks) -> Outcome:
        stored: list[str] = []
        answer: Any = None
        error: StoreError | None = None
        try:
            while True:
                try:
                    effect = steps.send(answer) if error is None else steps.throw(error)
                except StopIteration as done:
                    outcome: Outcome = done.value
                    return logged(outcome)
                answer, error = None, None
                try:
                    answer = await self._answer(effect, hooks, stored)
                except StoreError as failure:
                    error = of_the_store(failure, effect)
        except asyncio.CancelledError:
            await asyncio.shield(self._forget(stored))
            raise

    async def _answer(self, effect: Effect, hooks: Hooks, stored: list[str]) -> Any:
        match effect:
            case LoadHead():
                return await self.store.load(effect.key, now=self.clock(), rows=effect.rows)
            case ReadRows():
                return await self._rows(effect, hooks)
            case PickRows():
                return await self._picked(effect)
            case ReadWindow():
                return await self._window(effect, hooks)
            case Compute():
                return await self._ask_in_thread(effect)
            case Authorize():
                return (await _awaited(hooks.authorize(effect.tool, effect.origin))) is True
            case Run():
                output = as_result(await _awaited(hooks.run(plain(effect))))
                return Ran(output, self.clock())
            case Put():
                stored.append(effect.key)
                return await self._put(effect)
            case Touch():
                return await self.store.touch(effect.key, expires=effect.expires)
            case _:
                assert_never(effect)

    async def _put(self, effect: Put) -> None:
        """Where it waits in a thread, a cancelled put goes on: it must end before a delete."""
        putting = asyncio.ensure_future(self.store.put(effect.key, effect.record, now=self.clock()))
        try:
            with as_store_error():
                await asyncio.shield(putting)
        except asyncio.CancelledError:
            await asyncio.gather(putting, return_exceptions=True)
            raise

    async def _rows(self, effect: ReadRows, hooks: Hooks) -> list[bytes]:
        entry = effect.entry
        if isinstance(entry.head.source, Live):
            return list((await self._window(effect, hooks)).rows)
        numbers = chunk_numbers(entry.index, effect.start, effect.stop)
        # A look at every row reads many times; in between, others have their turn.
        await asyncio.sleep(0)
        chunks = await self.store.read(entry.key, numbers)
        return sliced(effect, numbers, chunks)

    async def _picked(self, effect: PickRows) -> list[bytes]:
        numbers = chunks_of_rows(effect.entry.index, effect.numbers)
        return picked(effect, numbers, await self.store.read(effect.entry.key, numbers))

    async def _window(self, effect: ReadRows | ReadWindow, hooks: Hooks) -> LiveWindow:
        given = hooks.live_rows(reference_of(effect.entry), effect.start, effect.stop)
        return as_window(await _awaited(given))

    async def _ask_in_thread(self, effect: Compute) -> Any:
        cancellation = Cancellation()
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._askers(), self._ask, effect, cancellation
            )
        except asyncio.CancelledError:
            cancellation.request()
            raise

    def _askers(self) -> ThreadPoolExecutor:
        """A thread for each child. In the loop's own threads, which the stores use too, questions
        that wait for a child would keep everybody else waiting. One that is cancelled while it
        waits here is never asked."""
        size = self._pool().size
        with self._starting:
            # After a fork the threads are the parent's, as the children are.
            if self._threads is None or self._threads[0] != os.getpid():
                self._threads = (os.getpid(), ThreadPoolExecutor(size, "penstock-ask"))
            return self._threads[1]

    def _close_threads(self) -> None:
        """Not in a thread: between `_askers` and its use nothing else runs in this loop."""
        threads, self._threads = self._threads, None
        if threads is not None:
            # Those that still run have no child any more, and end by themselves.
            threads[1].shutdown(wait=False)

    async def _forget(self, keys: list[str]) -> None:
        """Nobody will get the token of a call that was cancelled."""
        for key in keys:
            try:
                await self.store.delete(key)
            except StoreError as error:
                logger().warning("a cancelled call's result stays until it expires: %s", error)


async def _awaited(value: Any | Awaitable[Any]) -> Any:
    return await value if inspect.isawaitable(value) else value


def _awaitable(store: AsyncStore | Store) -> AsyncStore:
    if inspect.iscoroutinefunction(store.load):
        return cast("AsyncStore", store)
    return as_async(cast("Store", store))
