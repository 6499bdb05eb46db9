"""Separate threads for Penstock's long work, so that this work does not wait for the server's own
functions, which run in the shared threads."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeVar

Given = TypeVar("Given")
_MOST: Final = 8


async def in_thread(function: Callable[..., Given], *args: Any) -> Given:
    """Run a function in a thread, and abandon it if the caller is cancelled. Frameworks bring
    anyio; without it, the thread is one of asyncio's."""
    try:
        from anyio.to_thread import run_sync
    except ImportError:
        from asyncio import to_thread

        return await to_thread(function, *args)
    return await run_sync(function, *args, abandon_on_cancel=True, limiter=_limiter())


def _limiter() -> Any:
    """Return the limiter of this event loop."""
    from anyio import CapacityLimiter

    limiters = _limiters()
    limiter = limiters.get(None)
    if limiter is None:
        limiter = CapacityLimiter(_MOST)
        limiters.set(limiter)
    return limiter


@cache
def _limiters() -> Any:
    from anyio.lowlevel import RunVar

    return RunVar("penstock_threads")
