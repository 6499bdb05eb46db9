"""Work that goes on to its end, even if the one that waits for it is cancelled."""

from __future__ import annotations

import asyncio
from typing import TypeVar

_Outcome = TypeVar("_Outcome")


async def to_its_end(work: asyncio.Future[_Outcome]) -> _Outcome:
    """Return the outcome of the work. Even when cancelled, wait for its end: whatever the caller does
    next must not overtake it."""
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait({work})
        raise
