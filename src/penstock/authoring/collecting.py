"""What a function gives, once it has given all of it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any


def collected(value: Any) -> Any:
    """Rows that come one by one, as the list they are."""
    return list(value) if isinstance(value, Iterator) else value


async def collected_async(value: Any) -> Any:
    value = await value if inspect.isawaitable(value) else value
    if inspect.isasyncgen(value):
        return [item async for item in value]
    return collected(value)


def is_asynchronous(function: Any) -> bool:
    """Whether it has to be awaited, or gives what has to be."""
    plain = inspect.unwrap(function)
    kinds = (plain, getattr(plain, "__call__", None))  # noqa: B004 (an object may be called too)
    return any(map(inspect.iscoroutinefunction, kinds)) or any(
        map(inspect.isasyncgenfunction, kinds)
    )
