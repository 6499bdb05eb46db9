"""Turns: the order in which parties get places, so that none of them starves the others.

A place is a thread, or a process of the worker. Jobs wait for places. The next place goes to the peer
that holds the fewest, and there to the party that holds the fewest. If several hold as few, they take
turns. The jobs of one party keep their order.

Peers come first, because an anonymous caller is a new party with every session that it opens.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Collection, Iterator
from typing import Generic, TypeVar

import msgspec

Job = TypeVar("Job")


class Party(msgspec.Struct, frozen=True):
    """A caller for whom work is done."""

    name: str = ""
    peer: str = ""  # the address that it calls from


class Places(msgspec.Struct, frozen=True):
    """The number of places, and the most that one party and one peer may hold."""

    count: int
    of_party: int
    of_peer: int

    @classmethod
    def for_anyone(cls, count: int) -> Places:
        """Return places that one party may hold all of."""
        return cls(count, count, count)


class Turns(Generic[Job]):
    """Jobs that wait for places, and the number of places that each party holds. Not for threads
    without a lock."""

    def __init__(self, places: Places) -> None:
        self._places = places
        # By peer and by party. Both are in the order of their turns.
        self._waiting: OrderedDict[str, OrderedDict[Party, deque[Job]]] = OrderedDict()
        self._held: Counter[Party] = Counter()
        self._held_by_peer: Counter[str] = Counter()

    def add(self, party: Party, job: Job) -> None:
        """Let a job wait, after the others of its party."""
        of_peer = self._waiting.setdefault(party.peer, OrderedDict())
        of_peer.setdefault(party, deque()).append(job)

    def remove(self, party: Party, job: Job) -> bool:
        """Remove a job that waits. Return False if it does not wait."""
        if job not in self._jobs_of(party):
            return False
        self._waiting[party.peer][party].remove(job)
        self._forget_if_empty(party)
        return True

    def waiting(self, party: Party) -> int:
        """Return how many jobs of a party wait."""
        return len(self._jobs_of(party))

    def take(self) -> Job | None:
        """Give a place to the job whose turn it is, and return the job. Return None if no job may
        have a place."""
        party = self._next() if self._held.total() < self._places.count else None
        if party is None:
            return None
        job = self._waiting[party.peer][party].popleft()
        self._waiting[party.peer].move_to_end(party)
        self._waiting.move_to_end(party.peer)
        self._forget_if_empty(party)
        self._held[party] += 1
        self._held_by_peer[party.peer] += 1
        return job

    def release(self, party: Party) -> None:
        """Take back a place that a party holds."""
        _decrease(self._held, party)
        _decrease(self._held_by_peer, party.peer)

    def __iter__(self) -> Iterator[Job]:
        """Return the jobs that wait."""
        return iter(
            [job for peer in self._waiting.values() for jobs in peer.values() for job in jobs]
        )

    def _jobs_of(self, party: Party) -> Collection[Job]:
        of_peer = self._waiting.get(party.peer)
        return () if of_peer is None else of_peer.get(party, ())

    def _next(self) -> Party | None:
        for peer in sorted(self._waiting, key=self._held_by_peer.__getitem__):  # a stable order
            if self._held_by_peer[peer] >= self._places.of_peer:
                break
            party = min(self._waiting[peer], key=self._held.__getitem__)
            if self._held[party] < self._places.of_party:
                return party
        return None

    def _forget_if_empty(self, party: Party) -> None:
        of_peer = self._waiting[party.peer]
        if not of_peer[party]:
            del of_peer[party]
        if not of_peer:
            del self._waiting[party.peer]


def _decrease(counts: Counter[Job], key: Job) -> None:
    counts[key] -= 1
    if not counts[key]:
        del counts[key]
