"""A store in any backend of Django's cache framework, for a site that has a cache already.

A cache promises nothing. It may silently drop a value: always (DummyCache), for its size, for the
number of others (MAX_ENTRIES), or because it is down. So `put` reads back what it writes, and a
missing value is an error that names the cache. `penstock.django.cache.values` says what an entry is
made of; the stub is written last.

A cache cannot list what it holds. So `entries` is refused, and `stats` and `sweep` know only what
this process has put; the rest ends by the cache's own timeouts. A quota for each account would need such a list: as in Redis,
the quota bounds each single record.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeVar

from penstock.core.model.store import (
    DEFAULT_QUOTA,
    Loaded,
    Record,
    Stats,
    StoredEntry,
    chunk_numbers,
)
from penstock.django.cache.checked import CheckedCache
from penstock.django.cache.ledger import Ledger
from penstock.django.cache.values import (
    VALUE_BYTES,
    Life,
    Preamble,
    Stub,
    lay_out,
    seal_struct,
    sealed,
    take_apart,
    unseal_life,
    unseal_stub,
    unsealed,
)
from penstock.errors import EntryCorrupt, StoreError
from penstock.stores.limits import StoreLimits

DEFAULT_PREFIX: Final = "penstock:"
# The caller's `now` decides what has expired. The cache only cleans up, and so late that a clock
# which runs ahead never removes a valid entry.
SLACK_SECONDS: Final = 60
LONGEST_SECONDS: Final = 10 * 365 * 86_400
_LISTS: Final = "For a list of stored results, name a store in SQLite or Redis."

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _CacheEntry:
    stub: Stub
    expires: float


class CacheStore:
    """A store in one of the site's CACHES. Django opens and closes the cache."""

    def __init__(
        self,
        alias: str = "default",
        *,
        prefix: str = DEFAULT_PREFIX,
        quota: int = DEFAULT_QUOTA,
        value_bytes: int = VALUE_BYTES,
    ) -> None:
        self._cache = CheckedCache(alias, prefix)
        self._limits = StoreLimits(capacity=quota, quota=quota)
        self._value_bytes = value_bytes
        self._ledger = Ledger()
        self._now = float("-inf")

    def put(self, key: str, record: Record, *, now: float) -> None:
        self._limits.refuse_oversized(record.size)
        self._now = now
        old = self._find_sound(key)
        stub, blocks = lay_out(record, secrets.token_hex(8), self._value_bytes)
        try:
            self._write(key, stub, blocks, old)
        except StoreError:
            with suppress(StoreError):  # the first error says what is wrong
                self._undo(key, stub, old)
            raise
        self._ledger.note(key, size=record.size, expires=record.expires, now=now)
        if old is not None:
            with suppress(StoreError):  # nothing refers to these blocks, and they expire
                self._cache.delete(_block_names(key, old.stub))

    def load(self, key: str, *, now: float, rows: tuple[int, int] | None = None) -> Loaded | None:
        self._now = now

        def loaded(entry: _CacheEntry) -> Loaded | None:
            return self._load(key, entry, rows) if now < entry.expires else None

        return self._settled(key, loaded)

    def read(self, key: str, numbers: Sequence[int]) -> list[bytes]:
        if not numbers:
            return []

        def chunks_of(entry: _CacheEntry) -> dict[int, bytes]:
            return self._chunks(key, entry.stub, self._preamble(key, entry.stub), numbers)

        chunks = self._settled(key, chunks_of)
        if chunks is None:
            raise EntryCorrupt("A stored entry is no longer there.")
        return [chunks[number] for number in numbers]

    def touch(self, key: str, *, expires: float) -> None:
        entry = self._find(key)
        if entry is None or entry.expires <= self._now:
            return
        timeout = _timeout(expires - self._now)
        life = seal_struct(Life(entry.stub.serial, expires))
        self._cache.write([(_life_name(key), life)], timeout, accepts=_is_a_life)
        self._cache.touch([_name(key), *_block_names(key, entry.stub)], timeout)
        self._ledger.move(key, expires)

    def delete(self, key: str) -> None:
        self._remove(key, self._find_sound(key))

    def sweep(self, *, now: float) -> int:
        """Remove expired entries that this process has put. The cache removes others by itself."""
        self._now = now
        gone = 0
        for key in self._ledger.expired(now):
            entry = self._find_sound(key)
            if entry is not None and entry.expires > now:
                self._ledger.move(key, entry.expires)  # another process has prolonged the entry
            else:
                self._remove(key, entry)
                gone += 1
        return gone

    def entries(self, owner: str | None, *, now: float) -> list[StoredEntry]:  # noqa: ARG002 (the protocol's)
        """Refuse: this process's own entries would pass for all of them."""
        raise StoreError(f"{self._cache} cannot list what it holds.", next_step=_LISTS)

    def stats(self) -> Stats:
        """Count what this process has put and not found missing."""
        return self._ledger.stats()

    def close(self) -> None:
        """Do nothing: Django closes the cache."""

    def _find(self, key: str) -> _CacheEntry | None:
        names = (_name(key), _life_name(key))
        stub_value, life_value = map(self._cache.read(names).get, names)
        if stub_value is None:
            return None
        stub = unseal_stub(stub_value)
        return _CacheEntry(stub, _expiry(stub, life_value))

    def _find_sound(self, key: str) -> _CacheEntry | None:
        """Return an entry to replace or remove. A damaged entry counts as none."""
        with suppress(EntryCorrupt):
            return self._find(key)
        return None

    def _settled(self, key: str, use: Callable[[_CacheEntry], T]) -> T | None:
        """Return what `use` makes of an entry. If a put replaces the entry meanwhile, its blocks
        are gone, so use the new entry."""
        entry = self._find(key)
        while entry is not None:
            try:
                return use(entry)
            except EntryCorrupt:
                found = self._find(key)
                if found is not None and found.stub.serial == entry.stub.serial:
                    raise
                entry = found
        self._ledger.strike(key)
        return None

    def _load(self, key: str, entry: _CacheEntry, rows: tuple[int, int] | None) -> Loaded:
        preamble = self._preamble(key, entry.stub)
        numbers = chunk_numbers(preamble.index, *rows) if rows else range(0)
        chunks = self._chunks(key, entry.stub, preamble, numbers)
        return Loaded(preamble.head, preamble.index, entry.expires, chunks)

    def _preamble(self, key: str, stub: Stub) -> Preamble:
        blocks = self._blocks(key, stub, stub.blocks_of(stub.preamble))
        return take_apart(stub.cut(stub.preamble, blocks), stub)

    def _chunks(
        self, key: str, stub: Stub, preamble: Preamble, numbers: Iterable[int]
    ) -> dict[int, bytes]:
        spans = {number: preamble.span(number) for number in numbers}
        needed = {block for span in spans.values() for block in stub.blocks_of(span)}
        blocks = self._blocks(key, stub, sorted(needed))
        return {number: stub.cut(span, blocks) for number, span in spans.items()}

    def _blocks(self, key: str, stub: Stub, numbers: Iterable[int]) -> dict[int, bytes]:
        names = {number: _block_name(key, stub, number) for number in numbers}
        found = self._cache.read(names.values())
        if len(found) < len(names):
            raise EntryCorrupt("A part of a stored entry is missing.")
        return {number: unsealed(found[name]) for number, name in names.items()}

    def _write(
        self, key: str, stub: Stub, blocks: Sequence[memoryview], old: _CacheEntry | None
    ) -> None:
        timeout = _timeout(stub.expires - self._now)
        names = _block_names(key, stub)
        self._cache.write(zip(names, map(sealed, blocks), strict=True), timeout)
        self._cache.write(
            [(_name(key), seal_struct(stub))], timeout, accepts=_is_newer_than(_serial(old))
        )
        # The cache may have dropped a block after it was read back, to make room for a later one.
        lost = self._cache.missing(names)
        if lost and _serial(self._find_sound(key)) in ("", stub.serial):
            raise self._cache.is_too_small(len(lost))

    def _undo(self, key: str, stub: Stub, old: _CacheEntry | None) -> None:
        """Restore what was there before, unless a later put has replaced it."""
        there = _serial(self._find_sound(key))
        if old is None and there == stub.serial:
            self._cache.delete([_name(key)])
        if old is not None and there in ("", stub.serial):
            timeout = _timeout(old.expires - self._now)
            self._cache.write([(_name(key), seal_struct(old.stub))], timeout)
        self._cache.delete(_block_names(key, stub))

    def _remove(self, key: str, entry: _CacheEntry | None) -> None:
        """Remove an entry, the stub first: no reader finds the rest without it."""
        self._cache.delete([_name(key)])
        blocks = _block_names(key, entry.stub) if entry is not None else []
        self._cache.delete([_life_name(key), *blocks])
        self._ledger.strike(key)


def _serial(entry: _CacheEntry | None) -> str:
    return entry.stub.serial if entry is not None else ""


def _name(key: str) -> str:
    """Return the name of a stub. It is a digest, because caches take only short, simple keys."""
    return hashlib.blake2b(key.encode(), digest_size=20).hexdigest()


def _life_name(key: str) -> str:
    return f"{_name(key)}:life"


def _block_name(key: str, stub: Stub, number: int) -> str:
    return f"{_name(key)}:{stub.serial}:{number}"


def _block_names(key: str, stub: Stub) -> list[str]:
    return [_block_name(key, stub, number) for number in range(stub.block_count)]


def _expiry(stub: Stub, life_value: object) -> float:
    """Return when an entry expires: by its `Life`, else by the stub. A `Life` that is damaged or of
    another entry does not make the entry itself invalid."""
    with suppress(EntryCorrupt):
        life = unseal_life(life_value)
        if life.serial == stub.serial:
            return life.expires
    return stub.expires


def _is_newer_than(former: str) -> Callable[[bytes, object], bool]:
    """Return a check that accepts the stub that was written, or a later one: not the former."""

    def accepts(written: bytes, found: object) -> bool:
        if found == written:
            return True
        with suppress(StoreError):
            return unseal_stub(found).serial != former
        return False

    return accepts


def _is_a_life(written: bytes, found: object) -> bool:
    """Accept the value that was written, or that of a concurrent `touch`."""
    with suppress(StoreError):
        return found == written or bool(unseal_life(found))
    return False


def _timeout(seconds: float) -> int:
    return int(min(max(1.0, seconds), LONGEST_SECONDS)) + SLACK_SECONDS
