"""The gate for asynchronous programs.

This is a separate module because `asyncio` takes as long to import as all the rest, and a
synchronous program does not need it.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self, TypeVar

from penstock.core.model.effects import Run, Steps
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Refusal, Result
from penstock.core.protocol.first_reply import KeptBytes, conclude, keep, keep_bytes
from penstock.core.protocol.negotiation import Resource, fetch, negotiate, read_resource
from penstock.core.protocol.references import Fetched
from penstock.errors import StoreError
from penstock.gate.gate import CHILDREN, Gate, as_reader
from penstock.gate.hooks import as_result
from penstock.gate.threads import Threads
from penstock.gate.underway import Need, until_run
from penstock.settings.policy import Policy
from penstock.stores import Store

Outcome = TypeVar("Outcome")
STEP_THREADS = 32  # more than there are cores, because most of them wait for a store


class AsyncGate:
    """A `Gate` with the same methods, awaited. Cancel the task to end a call.

    The steps of a call run in threads. Its hooks run in the task that awaits the call, so that no
    thread waits for a tool.
    """

    def __init__(
        self, policy: Policy | None = None, store: Store | None = None, **options: Any
    ) -> None:
        self.gate = Gate(policy, store, **options)
        self._steps = Threads("penstock-gate", STEP_THREADS)
        self._questions = Threads("penstock-ask", CHILDREN)

    def adopt(self, brought: Mapping[str, Mapping[str, Any]], of: Iterable[str] = ()) -> None:
        self.gate.adopt(brought, of)

    async def call(self, call: Call, run: Callable[[dict[str, Any]], Any], **hooks: Any) -> Reply:
        return await self._finish(negotiate(call, self.gate.context()), run=run, **hooks)

    async def prepare(self, call: Call, **hooks: Any) -> Run | Reply:
        return await self._finish(until_run(negotiate(call, self.gate.context())), **hooks)

    async def offer(self, call: Call, result: Any, *, notice: str = "", **hooks: Any) -> Reply:
        steps = conclude(call, self.gate.context(), as_result(result), notice)
        return await self._finish(steps, **hooks)

    async def read(self, call: Call, **hooks: Any) -> Reply:
        return await self._finish(negotiate(as_reader(call), self.gate.context()), **hooks)

    async def fetch(
        self, call: Call, token: str, path: str = "", **hooks: Any
    ) -> Fetched | Refusal:
        steps = fetch(as_reader(call), self.gate.context(), token, path)
        return await self._finish(steps, **hooks)

    async def keep(self, call: Call, result: Result, **hooks: Any) -> str:
        return await self._finish(keep(call, self.gate.context(), result), **hooks)

    async def keep_bytes(self, call: Call, data: bytes, **hooks: Any) -> KeptBytes | None:
        return await self._finish(keep_bytes(call, self.gate.context(), data), **hooks)

    async def show(self, call: Call, **hooks: Any) -> Reply:
        from penstock.core.browsing import show

        return await self._finish(show(as_reader(call), self.gate.context()), **hooks)

    async def browse(self, call: Call, **hooks: Any) -> Reply:
        from penstock.core.browsing import browse

        return await self._finish(browse(as_reader(call), self.gate.context()), **hooks)

    async def read_resource(self, call: Call, uri: str, **hooks: Any) -> Resource | Refusal:
        steps = read_resource(as_reader(call), self.gate.context(), uri)
        return await self._finish(steps, **hooks)

    async def close(self) -> None:
        await self._steps.run(self.gate.close)
        self._steps.end()
        self._questions.end()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _finish(self, steps: Steps[Outcome], **hooks: Any) -> Outcome:
        """Carry the steps to their end. A call that is cancelled leaves nothing in the store."""
        underway = self.gate.start(steps, **hooks)
        try:
            need = await self._steps.run(underway.go_on)
            while need is not None:
                try:
                    given, failure = await self._met(need), None
                except StoreError as error:
                    given, failure = None, error
                need = await self._steps.run(underway.go_on, given, failure)
        except asyncio.CancelledError:
            underway.cancellation.request()
            if underway.stored:
                await asyncio.shield(self._steps.run(underway.forget))
            raise
        return underway.outcome

    async def _met(self, need: Need) -> Any:
        """Meet a need. Questions have threads of their own, so that only they wait for the worker."""
        if need.is_question:
            return await self._questions.run(need.meet)
        given = need.meet()
        return await given if inspect.isawaitable(given) else given
