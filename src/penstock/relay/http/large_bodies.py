"""Work on large bodies, in threads of its own, so that the event loop goes on serving the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from penstock.relay.http.to_its_end import to_its_end

_LARGE: Final = 16_000
# Few, because each of them delays the event loop: only one thread at a time runs Python.
_THREADS: Final = ThreadPoolExecutor(2, "penstock-bodies")

_Outcome = TypeVar("_Outcome")


async def apply(function: Callable[[bytes], _Outcome], body: bytes) -> _Outcome:
    """Return what the function returns for the body."""
    if len(body) < _LARGE:
        return function(body)
    loop = asyncio.get_running_loop()
    return await to_its_end(loop.run_in_executor(_THREADS, function, body))
