"""The same cases for an asynchronous store, which they drive from outside its event loop."""

# ruff: noqa: S101, PLR2004 -- these are test cases

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from penstock.core.model.store import AsyncStore, Loaded, Record, Stats
from penstock.testing.records import NOW, make_record
from penstock.testing.stores import StoreContract

T = TypeVar("T")


class Driven:
    """An asynchronous store behind a synchronous face, on an event loop in a thread of its own."""

    def __init__(self, store: AsyncStore) -> None:
        self.store = store
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def put(self, key: str, record: Record, *, now: float) -> None:
        self.run(self.store.put(key, record, now=now))

    def load(self, key: str, *, now: float, rows: tuple[int, int] | None = None) -> Loaded | None:
        return self.run(self.store.load(key, now=now, rows=rows))

    def read(self, key: str, numbers: Sequence[int]) -> list[bytes]:
        return self.run(self.store.read(key, numbers))

    def touch(self, key: str, *, expires: float) -> None:
        self.run(self.store.touch(key, expires=expires))

    def delete(self, key: str) -> None:
        self.run(self.store.delete(key))

    def sweep(self, *, now: float) -> int:
        return self.run(self.store.sweep(now=now))

    def stats(self) -> Stats:
        return self.run(self.store.stats())

    def close(self) -> None:
        self.run(self.store.close())
        self.run(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@contextmanager
def driven(store: AsyncStore) -> Iterator[Driven]:
    """`store` with a synchronous face, closed at the end."""
    face = Driven(store)
    try:
        yield face
    finally:
        face.close()


class AsyncStoreContract(StoreContract):
    """Every case of `StoreContract`, through `driven`, and what only tasks can do."""

    def test_tasks_keep_out_of_each_others_entries(self, store: Driven) -> None:
        async def use(number: int) -> None:
            key, body = str(number), b"%d" % number
            await store.store.put(key, make_record(body), now=NOW)
            assert await store.store.read(key, [0]) == [body]

        async def use_together() -> None:
            await asyncio.gather(*map(use, range(50)))

        store.run(use_together())
        assert store.stats().entries == 50
