"""The store of one process, limited in bytes. The least recently used entries go first."""

from __future__ import annotations

import heapq
from collections import OrderedDict
from dataclasses import dataclass, field
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
from penstock.stores.limits import StoreLimits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A rebuild of the heap is not worth its time for fewer outdated notes than this.
SPARE_NOTES = 64


@dataclass(slots=True)
class _Entry:
    record: Record
    expires: float
    serial: int


@dataclass(slots=True)
class _Owner:
    bytes: int = 0
    keys: OrderedDict[str, None] = field(default_factory=OrderedDict)


class MemoryStore:
    """A store in memory. One lock guards everything, and no operation waits for anything else.

    A heap of notes `(expires, serial, key)` says what expires next. A note stays when its entry is
    touched, replaced or evicted: it turns out to be outdated when its time comes. The heap is rebuilt
    when most notes are outdated. So every operation is cheap on average.
    """

    def __init__(self, capacity: int = DEFAULT_CAPACITY, quota: int = DEFAULT_QUOTA) -> None:
        self._limits = StoreLimits(capacity, quota)
        self._lock = Lock()
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._owners: dict[str, _Owner] = {}
        self._bytes = 0
        self._notes: list[tuple[float, int, str]] = []
        self._serials = count()
        self._now = float("-inf")

    def put(self, key: str, record: Record, *, now: float) -> None:
        size = record.size
        self._limits.refuse_oversized(size)
        with self._lock:
            self._now = now
            self._remove(key)
            self._remove_expired(now)
            self._make_room(record.owner, size)
            self._add(key, record, size)

    def load(self, key: str, *, now: float, rows: tuple[int, int] | None = None) -> Loaded | None:
        with self._lock:
            self._now = now
            entry = self._entries.get(key)
            if entry is None or entry.expires <= now:
                return None
            self._use(key, entry)
            record, expires = entry.record, entry.expires
        numbers = chunk_numbers(record.index, *rows) if rows else ()
        chunks = dict(zip(numbers, _pick(record.chunks, numbers), strict=True))
        return Loaded(record.head, record.index, expires, chunks)

    def read(self, key: str, numbers: Sequence[int]) -> list[bytes]:
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                self._use(key, entry)
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
            self._use(key, entry)

    def delete(self, key: str) -> None:
        with self._lock:
            self._remove(key)

    def sweep(self, *, now: float) -> int:
        with self._lock:
            self._now = now
            return self._remove_expired(now)

    def entries(self, owner: str | None, *, now: float) -> list[StoredEntry]:
        with self._lock:
            keys = self._entries if owner is None else self._owners.get(owner, _Owner()).keys
            found = [(key, self._entries[key]) for key in keys]
            return [_listed(key, entry) for key, entry in found if entry.expires > now]

    def stats(self) -> Stats:
        with self._lock:
            return Stats(entries=len(self._entries), bytes=self._bytes)

    def close(self) -> None:
        with self._lock:
            self._entries.clear()
            self._owners.clear()
            self._notes.clear()
            self._bytes = 0

    def _use(self, key: str, entry: _Entry) -> None:
        self._entries.move_to_end(key)
        self._owners[entry.record.owner].keys.move_to_end(key)

    def _add(self, key: str, record: Record, size: int) -> None:
        entry = _Entry(record, record.expires, next(self._serials))
        owner = self._owners.setdefault(record.owner, _Owner())
        self._entries[key] = entry
        owner.keys[key] = None
        owner.bytes += size
        self._bytes += size
        self._note(entry.expires, entry.serial, key)

    def _remove(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is None:
            return
        size, name = entry.record.size, entry.record.owner
        owner = self._owners[name]
        del owner.keys[key]
        owner.bytes -= size
        self._bytes -= size
        if not owner.keys:
            del self._owners[name]

    def _make_room(self, owner_name: str, size: int) -> None:
        owner = self._owners.get(owner_name)
        while owner is not None and owner.keys and owner.bytes + size > self._limits.quota:
            self._remove(next(iter(owner.keys)))
        while self._bytes + size > self._limits.capacity:
            self._remove(next(iter(self._entries)))

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
