"""The store of one process, limited in bytes. `penstock.stores.eviction` says which entries go first."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING

from penstock.core.model.store import (
    DEFAULT_CAPACITY,
    DEFAULT_QUOTA,
    Loaded,
    Record,
    Stats,
    StoredEntry,
    chunk_numbers,
)
from penstock.errors import EntryCorrupt
from penstock.stores.eviction import entries_to_remove
from penstock.stores.limits import StoreLimits
from penstock.stores.memory_accounts import MemoryAccounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A rebuild of the heap is not worth its time for fewer outdated notes than this.
SPARE_NOTES = 64


@dataclass(slots=True)
class _Entry:
    record: Record
    expires: float
    serial: int


class MemoryStore:
    """A store in memory. One lock guards everything, and no operation waits for anything else.

    A heap of notes `(expires, serial, key)` says what expires next. A note stays when its entry is
    touched, replaced or evicted: it turns out to be outdated when its time comes. The heap is rebuilt
    when most notes are outdated. So every operation is cheap on average.
    """

    def __init__(self, capacity: int = DEFAULT_CAPACITY, quota: int = DEFAULT_QUOTA) -> None:
        self._limits = StoreLimits(capacity, quota)
        self._lock = Lock()
        self._entries: dict[str, _Entry] = {}
        self._accounts = MemoryAccounts()
        self._notes: list[tuple[float, int, str]] = []
        self._serials = count()
        self._now = float("-inf")

    def put(self, key: str, record: Record, *, now: float) -> None:
        with self._lock:
            self._now = now
            self._remove_expired(now)
            for gone in entries_to_remove(key, record, self._accounts, self._limits):
                self._remove(gone.key)
            self._remove(key)
            self._add(key, record)

    def load(self, key: str, *, now: float, rows: tuple[int, int] | None = None) -> Loaded | None:
        with self._lock:
            self._now = now
            entry = self._entries.get(key)
            if entry is None or entry.expires <= now:
                return None
            self._accounts.use(key)
            record, expires = entry.record, entry.expires
        numbers = chunk_numbers(record.index, *rows) if rows else ()
        chunks = dict(zip(numbers, _pick(record.chunks, numbers), strict=True))
        return Loaded(record.head, record.index, expires, chunks)

    def read(self, key: str, numbers: Sequence[int]) -> list[bytes]:
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                self._accounts.use(key)
        return _pick(entry.record.chunks if entry else (), numbers)

    def touch(self, key: str, *, expires: float) -> None:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or entry.expires <= self._now:
                return
            if expires < entry.expires:
                # When the old note comes up, a later expiry is noticed. An earlier one would be missed.
                entry.serial = next(self._serials)
                self._note(expires, entry.serial, key)
            entry.expires = expires
            self._accounts.use(key)

    def delete(self, key: str) -> None:
        with self._lock:
            self._remove(key)

    def sweep(self, *, now: float) -> int:
        with self._lock:
            self._now = now
            return self._remove_expired(now)

    def entries(self, owner: str | None, *, now: float) -> list[StoredEntry]:
        with self._lock:
            return [
                _listed(key, entry)
                for key, entry in self._entries.items()
                if entry.expires > now and owner in (None, entry.record.owner)
            ]

    def stats(self) -> Stats:
        with self._lock:
            return Stats(entries=len(self._entries), bytes=self._accounts.total())

    def close(self) -> None:
        with self._lock:
            self._entries.clear()
            self._accounts = MemoryAccounts()
            self._notes.clear()

    def _add(self, key: str, record: Record) -> None:
        entry = _Entry(record, record.expires, next(self._serials))
        self._entries[key] = entry
        self._accounts.add(key, record)
        self._note(entry.expires, entry.serial, key)

    def _remove(self, key: str) -> None:
        if self._entries.pop(key, None) is not None:
            self._accounts.remove(key)

    def _remove_expired(self, now: float) -> int:
        gone = 0
        while self._notes and self._notes[0][0] <= now:
            _, serial, key = heapq.heappop(self._notes)
            entry = self._entries.get(key)
            if entry is None or entry.serial != serial:
                continue
            if entry.expires > now:
                heapq.heappush(self._notes, (entry.expires, serial, key))
                continue
            self._remove(key)
            gone += 1
        return gone

    def _note(self, expires: float, serial: int, key: str) -> None:
        heapq.heappush(self._notes, (expires, serial, key))
        if len(self._notes) <= 2 * len(self._entries) + SPARE_NOTES:
            return
        self._notes = [(e.expires, e.serial, key) for key, e in self._entries.items()]
        heapq.heapify(self._notes)


def _listed(key: str, entry: _Entry) -> StoredEntry:
    record = entry.record
    return StoredEntry(key, record.owner, record.head, record.size, entry.expires)


def _pick(chunks: Sequence[bytes], numbers: Iterable[int]) -> list[bytes]:
    wanted = list(numbers)
    for number in wanted:
        if not 0 <= number < len(chunks):
            raise EntryCorrupt(f"Chunk {number} of a stored entry is missing.")
    return [chunks[number] for number in wanted]
