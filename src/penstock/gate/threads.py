"""Threads whose work an event loop can await."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

Done = TypeVar("Done")


class Threads:
    """A pool of threads that starts on first use, and again after a fork or `end`."""

    def __init__(self, name: str, most: int) -> None:
        self._name = name
        self._most = most
        self._pools: dict[int, ThreadPoolExecutor] = {}  # by process: a fork copies no threads

    def run(self, function: Callable[..., Done], *args: Any) -> asyncio.Future[Done]:
        """Run a function in a thread, with the caller's context variables.

        If the future is cancelled before a thread is free, the function never runs. If it is
        cancelled later, the function runs to its end, and its outcome is dropped.
        """
        process = os.getpid()
        pool = self._pools.get(process) or self._pools.setdefault(
            process, ThreadPoolExecutor(self._most, self._name)
        )
        return asyncio.wrap_future(pool.submit(copy_context().run, function, *args))

    def end(self) -> None:
        """End the threads as soon as their work is done."""
        self._pools.clear()  # Python ends the threads of a pool that has no more references
