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
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

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

    def accounts(self) -> Iterable[tuple[Account, int, int]]:
        """Return all accounts, each with its bytes and the `used` of its first entry."""

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


_Rank: TypeAlias = "tuple[int, int, Account]"


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
        shares = {self._record.payer: payer}
        crowd, known, crowd_bytes = self._ranked(payer)
        excess_of_crowd = crowd_bytes - self._limits.capacity // 2
        while excess > 0:
            is_crowd = bool(crowd) and (excess_of_crowd > 0 or not known or crowd[0] < known[0])
            ranks = crowd if is_crowd else known
            if not ranks:
                raise self._refusal("capacity", self._limits.capacity)
            size, _, account = ranks[0]
            if account not in shares:
                shares[account] = _Share(-size, self._holdings.entries(account), self._spared)
            share = shares[account]
            entry = share.peek()
            if entry is None:
                heapq.heappop(ranks)
                continue
            self._take(entry, share)
            heapq.heapreplace(ranks, _rank(account, share.bytes, entry.used))
            excess -= entry.size
            excess_of_crowd -= entry.size if is_crowd else 0

    def _ranked(self, payer: _Share) -> tuple[list[_Rank], list[_Rank], int]:
        """Return a heap of the accounts of callers who have not logged in, a heap of all others, and
        the bytes of the former."""
        own = self._record.payer
        sizes = [
            (account, size + self._changes.get(account, 0), used)
            for account, size, used in self._holdings.accounts()
            if account != own
        ]
        crowd_bytes = sum(size for account, size, _ in sizes if account.is_anonymous)
        crowd_bytes += payer.bytes if own.is_anonymous else 0
        if first := payer.peek():
            sizes.append((own, payer.bytes, first.used))
        crowd = [_rank(*one) for one in sizes if one[0].is_anonymous]
        known = [_rank(*one) for one in sizes if not one[0].is_anonymous]
        heapq.heapify(crowd)
        heapq.heapify(known)
        return crowd, known, crowd_bytes


def _rank(account: Account, size: int, used: int) -> _Rank:
    """Return a value that is lower for the account that gives earlier."""
    return (-size, used, account)
