"""A store as an asynchronous one: directly where it never waits, in a thread where it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.core.model.store import AsyncStore, Loaded, Record, Stats, Store

P = ParamSpec("P")
T = TypeVar("T")


def as_async(store: Store) -> AsyncStore:
    """`store`, awaited.

    A store that says `blocking = False` is called in the event loop itself: a hop to a thread and
    back costs many times what reading a dict does.
    """
    return _Threaded(store) if getattr(store, "blocking", True) else _Direct(store)


class _Direct:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def _call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return function(*args, **kwargs)

    async def put(self, key: str, record: Record, *, now: float) -> None:
        await self._call(self._store.put, key, record, now=now)

    async def load(
        self, key: str, *, now: float, rows: tuple[int, int] | None = None
    ) -> Loaded | None:
        return await self._call(self._store.load, key, now=now, rows=rows)

    async def read(self, key: str, numbers: Sequence[int]) -> list[bytes]:
        return await self._call(self._store.read, key, numbers)

    async def touch(self, key: str, *, expires: float) -> None:
        await self._call(self._store.touch, key, expires=expires)

    async def delete(self, key: str) -> None:
        await self._call(self._store.delete, key)

    async def sweep(self, *, now: float) -> int:
        return await self._call(self._store.sweep, now=now)

    async def stats(self) -> Stats:
        return await self._call(self._store.stats)

    async def close(self) -> None:
        await self._call(self._store.close)


class _Threaded(_Direct):
    async def _call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        # Here and not above: it takes long to import, and whoever awaits has it already.
        import asyncio

        return await asyncio.to_thread(function, *args, **kwargs)
