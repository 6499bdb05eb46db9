"""Threads of our own for what takes long: whoever waits for us is not to wait for the server's own
functions, which run in the threads that everybody shares."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeVar

Given = TypeVar("Given")
_MOST: Final = 8


async def in_thread(function: Callable[..., Given], *args: Any) -> Given:
    """Given up where the caller is cancelled. Frameworks bring anyio; without it, asyncio's threads
    have to do."""
    try:
        from anyio.to_thread import run_sync  # noqa: PLC0415 (an optional library)
    except ImportError:
        from asyncio import to_thread  # noqa: PLC0415 (not for synchronous programs)

        return await to_thread(function, *args)
    return await run_sync(function, *args, abandon_on_cancel=True, limiter=_limiter())


def _limiter() -> Any:
    """One for each event loop."""
    from anyio import CapacityLimiter  # noqa: PLC0415 (an optional library)

    limiters = _limiters()
    limiter = limiters.get(None)
    if limiter is None:
        limiter = CapacityLimiter(_MOST)
        limiters.set(limiter)
    return limiter


@cache
def _limiters() -> Any:
    from anyio.lowlevel import RunVar  # noqa: PLC0415 (an optional library)

    return RunVar("penstock_threads")
