"""The entries that a store removes to make room for a new one.

1. If the account of the new entry is over its quota, entries of this account go.
2. If the store is over its capacity, entries of the account that holds the most go, so that no
   large account removes the entries of a small one. If accounts of callers who have not logged in
   hold more than half of the capacity together, only these give: anyone can have many of them.

Within an account, entries that were made from others go first: answers of queries, copies, sort
orders. They can be made again, the result of a tool cannot. Among these, and then among the others,
the least recently used one goes first. Of two accounts that hold as much, the one gives whose next
entry was used less recently.

The entries from which the new one was made stay: without them it is of no use. If there is then no
room, nothing is removed, and the new entry is refused.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple, Protocol

from penstock.errors import StoreFull

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from penstock.core.model.store import Account, Record
    from penstock.stores.limits import StoreLimits


class Held(NamedTuple):
    """An entry that a store holds."""

    key: str
    size: int
    used: int  # a running number, higher for a later use
    id: int = 0  # the store's own


class Holdings(Protocol):
    """All that a store holds, by account."""

    def total(self) -> int:
        """Return the bytes of all entries."""

    def of(self, account: Account) -> int:
        """Return the bytes of an account."""

    def accounts(self) -> Iterable[tuple[Account, int]]:
        """Return all accounts with their bytes."""

    def entries(self, account: Account) -> Iterator[Held]:
        """Return the entries of an account, in the order in which they go."""

    def replaced(self, key: str) -> tuple[Account, int] | None:
        """Return the account and the size of the entry under a key, if there is one."""


def entries_to_remove(
    key: str, record: Record, holdings: Holdings, limits: StoreLimits
) -> list[Held]:
    """Return the entries that make room for a record. Raise `StoreFull` if there is no room for it."""
    limits.refuse_oversized(record.size)
    return _Room(key, record, holdings, limits).made()


class _Share:
    """The share of one account, as it is left: entries are taken from it one by one."""

    def __init__(self, size: int, entries: Iterator[Held], spared: Container[str]) -> None:
        self.bytes = size
        self._entries = (entry for entry in entries if entry.key not in spared)
        self._next: Held | None = None

    def peek(self) -> Held | None:
        """Return the entry that goes next, or None if nothing may go."""
        if self._next is None:
            self._next = next(self._entries, None)
        return self._next

    def take(self, entry: Held) -> None:
        self._next = None
        self.bytes -= entry.size

    def __lt__(self, other: _Share) -> bool:
        """Return whether this account gives before the other one."""
        if self.bytes != other.bytes:
            return self.bytes > other.bytes
        mine, its = self.peek(), other.peek()
        return mine is not None and (its is None or mine.used < its.used)


class _Room:
    """The search for room for one record."""

    def __init__(self, key: str, record: Record, holdings: Holdings, limits: StoreLimits) -> None:
        self._record = record
        self._holdings = holdings
        self._limits = limits
        self._spared = {key, *record.parents}
        # The bytes by which accounts change when the record takes the place of an older one.
        self._changes = {record.payer: record.size}
        if old := holdings.replaced(key):
            account, size = old
            self._changes[account] = self._changes.get(account, 0) - size
        self._gone: list[Held] = []

    def made(self) -> list[Held]:
        payer = self._share(self._record.payer, self._holdings.of(self._record.payer))
        while payer.bytes > self._limits.quota:
            entry = payer.peek()
            if entry is None:
                raise self._refusal("quota", self._limits.quota)
            self._take(entry, payer)
        freed = sum(entry.size for entry in self._gone)
        excess = self._holdings.total() + sum(self._changes.values()) - freed
        excess -= self._limits.capacity
        if excess > 0:
            self._relieve(payer, excess)
        return self._gone

    def _share(self, account: Account, size: int) -> _Share:
        size += self._changes.get(account, 0)
        return _Share(size, self._holdings.entries(account), self._spared)

    def _take(self, entry: Held, share: _Share) -> None:
        share.take(entry)
        self._gone.append(entry)

    def _refusal(self, name: str, limit: int) -> StoreFull:
        return StoreFull(
            f"A result of {self._record.size:,} bytes does not fit beside those that it was made "
            f"from: the {name} is {limit:,}."
        )

    def _relieve(self, payer: _Share, excess: int) -> None:
        """Take as much from the accounts as the store would hold too much."""
        crowd, known = self._shares(payer)
        excess_of_crowd = sum(share.bytes for share in crowd) - self._limits.capacity // 2
        while excess > 0:
            is_crowd = bool(crowd) and (excess_of_crowd > 0 or not known or crowd[0] < known[0])
            heap = crowd if is_crowd else known
            if not heap:
                raise self._refusal("capacity", self._limits.capacity)
            entry = heap[0].peek()
            if entry is None:
                heapq.heappop(heap)
                continue
            self._take(entry, heap[0])
            heapq.heapreplace(heap, heap[0])
            excess -= entry.size
            excess_of_crowd -= entry.size if is_crowd else 0

    def _shares(self, payer: _Share) -> tuple[list[_Share], list[_Share]]:
        """Return two heaps: the accounts of callers who have not logged in, and all others."""
        shares = {self._record.payer: payer}
        for account, size in self._holdings.accounts():
            if account not in shares:
                shares[account] = self._share(account, size)
        crowd = [share for account, share in shares.items() if account.is_anonymous]
        known = [share for account, share in shares.items() if not account.is_anonymous]
        heapq.heapify(crowd)
        heapq.heapify(known)
        return crowd, known
