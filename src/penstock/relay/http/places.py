"""The places that clients share: connections, and the memory of their bodies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# Of each body, so much is not counted: then nobody who fills the memory keeps small requests out.
FREE_BYTES: Final = 16_000


class PeerPlaces:
    """A number of places, of which one peer gets only a part."""

    def __init__(self, most: int, most_per_peer: int) -> None:
        self._most = most
        self._most_per_peer = most_per_peer
        self._taken: Counter[str] = Counter()
        self._all = 0

    def take(self, peer: str, count: int = 1) -> bool:
        """Take places, if there are so many."""
        if self._all + count > self._most or self._taken[peer] + count > self._most_per_peer:
            self._forget(peer)
            return False
        self._all += count
        self._taken[peer] += count
        return True

    def leave(self, peer: str, count: int = 1) -> None:
        self._all -= count
        self._taken[peer] -= count
        self._forget(peer)

    def _forget(self, peer: str) -> None:
        if self._taken[peer] <= 0:
            del self._taken[peer]

    @contextmanager
    def share(self, peer: str) -> Iterator[Share]:
        """Give a request a share, which ends with the request."""
        share = Share(self, peer)
        try:
            yield share
        finally:
            share.end()


class Share:
    """The memory of one request's body."""

    def __init__(self, places: PeerPlaces, peer: str) -> None:
        self._places = places
        self._peer = peer
        self._size = 0
        self._taken = 0

    def grow(self, count: int) -> bool:
        """Take memory for so many bytes more, and return whether there is room for them."""
        self._size += count
        more = max(0, self._size - FREE_BYTES) - self._taken
        if more and not self._places.take(self._peer, more):
            return False
        self._taken += more
        return True

    def end(self) -> None:
        if self._taken:
            self._places.leave(self._peer, self._taken)
            self._taken = 0
