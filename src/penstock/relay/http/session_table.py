"""The sessions that a gateway keeps: so many, for so long, and not all for one peer.

If the table is full, the peer with the most sessions loses the one that was used longest ago. So
nobody who opens sessions makes others lose theirs.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

Item = TypeVar("Item")

IDLE_SECONDS: Final = 3_600.0
SWEEP_SECONDS: Final = 60.0


def _never(_item: object) -> bool:
    return False


class _KeptSession(Generic[Item]):
    def __init__(self, item: Item, peer: str, used: float) -> None:
        self.item = item
        self.peer = peer
        self.used = used


class SessionTable(Generic[Item]):
    """Sessions by their keys. A busy session is neither idle, nor does it make room for others."""

    def __init__(
        self,
        most: int,
        is_busy: Callable[[Item], bool] = _never,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self.most_of_peer = most * 3 // 4
        self._is_busy = is_busy
        self._clock = clock
        self._kept: dict[str, _KeptSession[Item]] = {}
        # The keys of each peer. The one that was used longest ago comes first.
        self._of_peer: dict[str, OrderedDict[str, None]] = {}

    def __iter__(self) -> Iterator[Item]:
        return iter([kept.item for kept in self._kept.values()])

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: str) -> Item | None:
        """Return a session, and count this as a use."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        self._use(key, kept)
        return kept.item

    def make_room(self, peer: str) -> list[Item] | None:
        """Make room for one session more of a peer. Return the sessions that were removed for it, or
        None if there is no room."""
        own = len(self._of_peer.get(peer, ()))
        if own >= self.most_of_peer:
            return self._first_idle([peer])
        if len(self._kept) < self._most:
            return []
        by_size = sorted(self._of_peer, key=lambda one: -len(self._of_peer[one]))
        return self._first_idle([one for one in by_size if len(self._of_peer[one]) >= max(own, 1)])

    def put(self, key: str, item: Item, peer: str) -> None:
        """Keep a session. There must be room for it."""
        self.pop(key)
        self._kept[key] = kept = _KeptSession(item, peer, self._clock())
        self._of_peer.setdefault(peer, OrderedDict())
        self._use(key, kept)

    def pop(self, key: str) -> Item | None:
        kept = self._kept.pop(key, None)
        if kept is None:
            return None
        keys = self._of_peer[kept.peer]
        del keys[key]
        if not keys:
            del self._of_peer[kept.peer]
        return kept.item

    def pop_if(self, is_over: Callable[[Item], bool]) -> list[Item]:
        """Remove and return the sessions that are over, and those that were idle for an hour."""
        now = self._clock()
        gone: list[str] = []
        for key, kept in self._kept.items():
            if is_over(kept.item):
                gone.append(key)
            elif self._is_busy(kept.item):
                kept.used = now
            elif now - kept.used > IDLE_SECONDS:
                gone.append(key)
        return self._removed(gone)

    def _use(self, key: str, kept: _KeptSession[Item]) -> None:
        kept.used = self._clock()
        keys = self._of_peer[kept.peer]
        keys[key] = None
        keys.move_to_end(key)

    def _first_idle(self, peers: list[str]) -> list[Item] | None:
        """Remove the first session that is not busy, and return it in a list; None if all are."""
        for peer in peers:
            for key in self._of_peer[peer]:
                if not self._is_busy(self._kept[key].item):
                    return self._removed([key])
        return None

    def _removed(self, keys: list[str]) -> list[Item]:
        found = map(self.pop, keys)
        return [item for item in found if item is not None]


class SweptTable(SessionTable[Item]):
    """A table of states that need no ending. Idle ones are dropped when others are used."""

    _swept = -SWEEP_SECONDS

    def keep(self, key: str, item: Item, peer: str) -> None:
        """Keep a state, if there is room for it."""
        self.pop(key)
        if self.make_room(peer) is not None:
            self.put(key, item, peer)

    def get_or_keep(self, key: str, make: Callable[[], Item], peer: str) -> Item:
        """Return what is kept under a key, or make it. Without room for it, it is not kept."""
        now = self._clock()
        if now - self._swept >= SWEEP_SECONDS:
            self._swept = now
            self.pop_if(_never)
        item = self.get(key)
        if item is None:
            item = make()
            self.keep(key, item, peer)
        return item
