"""A bounded cache that drops the least recently used item first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Item = TypeVar("Item")


class Recent(Generic[Key, Item]):
    """A cache of at most `most` items, which threads may share."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._items: OrderedDict[Key, Item] = OrderedDict()
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: Key) -> bool:
        return key in self._items

    def get(self, key: Key) -> Item | None:
        """Return the item, and count this as a use."""
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
            return self._items.get(key)

    def get_or_make(self, key: Key, make: Callable[[], Item]) -> Item:
        """Return the item. Make it if there is none."""
        with self._lock:
            item = self._items[key] if key in self._items else make()
            self.put(key, item)
            return item

    def put(self, key: Key, item: Item) -> Key | None:
        """Keep an item. Return the key of the item that was dropped for it, if any."""
        with self._lock:
            self._items[key] = item
            self._items.move_to_end(key)
            return self._items.popitem(last=False)[0] if len(self._items) > self._most else None

    def pop(self, key: Key) -> Item | None:
        with self._lock:
            return self._items.pop(key, None)

    def drop_if(self, is_over: Callable[[Item], bool]) -> list[Key]:
        """Drop the items for which `is_over` returns true. Return their keys."""
        with self._lock:
            over = [key for key, item in self._items.items() if is_over(item)]
            for key in over:
                del self._items[key]
            return over

    def clear(self) -> None:
        with self._lock:
            self._items.clear()
