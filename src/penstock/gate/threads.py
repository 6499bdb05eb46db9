"""Threads for an event loop to wait for."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

Done = TypeVar("Done")


class Threads:
    """A pool of threads that starts when it is needed, and again after a fork or an end."""

    def __init__(self, name: str, most: int) -> None:
        self._name = name
        self._most = most
        self._pools: dict[int, ThreadPoolExecutor] = {}  # by process: a fork copies no threads

    def run(self, function: Callable[..., Done], *args: Any) -> asyncio.Future[Done]:
        """Run a function in a thread, with the caller's context variables.

        Cancelled before a thread is free, the function never runs. Cancelled later, it runs to its
        end, and nobody learns of that.
        """
        process = os.getpid()
        pool = self._pools.get(process) or self._pools.setdefault(
            process, ThreadPoolExecutor(self._most, self._name)
        )
        return asyncio.wrap_future(pool.submit(copy_context().run, function, *args))

    def end(self) -> None:
        """End the threads as soon as they have nothing more to do."""
        self._pools.clear()  # Python ends the threads of a pool that nobody refers to
