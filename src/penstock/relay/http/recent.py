"""A bounded memory: what was used least recently is forgotten first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Item = TypeVar("Item")
MOST = 10_000


class Recent(Generic[Item]):
    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._items: OrderedDict[str, Item] = OrderedDict()

    def get(self, key: str, make: Callable[[], Item]) -> Item:
        if key not in self._items:
            self.put(key, make())
        self._items.move_to_end(key)
        return self._items[key]

    def put(self, key: str, item: Item) -> None:
        self._items[key] = item
        if len(self._items) > self._most:
            self._items.popitem(last=False)

    def pop(self, key: str) -> Item | None:
        return self._items.pop(key, None)
