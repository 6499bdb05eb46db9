"""The `Store` protocol: a store keeps records without looking into them.

A record is a head, some chunks, and an index with the first row of each chunk. Head and chunks are
opaque to a store: `penstock.core.results.packing` packs and compresses them, so a backend only
moves bytes. A store reads the index alone. So a store behind a network can find the chunks of a
page in the same round trip as the head.

Rules for authors of a backend:

- `put` is atomic: another reader sees the whole record or nothing.
- A record exists while `now < expires`, and not afterwards, whether or not `sweep` has run.
- `touch` takes no `now` and uses the last one that the store was given. So if a `load` has just
  found an entry expired, a `touch` does not bring the entry back.
- A damaged or incomplete record raises `EntryCorrupt`. No part of it is ever returned.
- A record that does not fit (over the quota, no space) raises `StoreFull`, and leaves the old
  record under its key unchanged.
- A store that makes room by itself removes entries in the order that `penstock.stores.eviction`
  tells. It never removes those from which the new record was made.
- `entries` reads no chunk. A person waits for it, but no call of a tool does.
- A failure of the backend raises `StoreError`: never a foreign exception, never a silent loss.

`penstock.testing.StoreContract` tests every backend against these rules.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MEGABYTE = 1_000_000
DEFAULT_CAPACITY = 256 * MEGABYTE
DEFAULT_QUOTA = 64 * MEGABYTE
ROW_NUMBER_SIZE = 8


class Account(NamedTuple):
    """A party whose records count against one quota."""

    name: str
    is_anonymous: bool = (
        False  # the party has not logged in: a session, or the peer of a connection
    )


class Record(msgspec.Struct, frozen=True):
    """An entry in the form in which a store gets it."""

    owner: str
    expires: float
    head: bytes
    # The number of the first row of each chunk, ascending, as little-endian 64-bit integers.
    index: bytes = b""
    chunks: tuple[bytes, ...] = ()
    # The account that the record counts against. None is an account with the owner's name. Callers
    # who are not known have one owner, but not one account.
    account: Account | None = None
    # The keys of the records from which this one was made. It is the first to make room for others.
    parents: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.index) % ROW_NUMBER_SIZE:
            raise ValueError("an index is a whole number of 64-bit row numbers")

    @property
    def size(self) -> int:
        return len(self.head) + len(self.index) + sum(map(len, self.chunks))

    @property
    def payer(self) -> Account:
        """The account that the record counts against."""
        return self.account or Account(self.owner)


class Loaded(msgspec.Struct, frozen=True):
    """An entry in the form in which a store returns it: with the requested chunks, by number."""

    head: bytes
    index: bytes
    expires: float
    chunks: Mapping[int, bytes] = {}


class StoredEntry(msgspec.Struct, frozen=True):
    """An entry in the form in which a store lists it: without its index and its chunks."""

    key: str
    owner: str
    head: bytes
    size: int  # as in `Record`
    expires: float


class Stats(msgspec.Struct, frozen=True):
    entries: int
    bytes: int


class Store(Protocol):
    """A keeper of records. The caller passes the time, as `now`."""

    def put(self, key: str, record: Record, *, now: float) -> None: ...

    def load(self, key: str, *, now: float, rows: tuple[int, int] | None = None) -> Loaded | None:
        """Return the head, and with `rows` = (start, stop) the chunks that hold those rows."""

    def read(self, key: str, numbers: Sequence[int]) -> list[bytes]:
        """Return these chunks, in this order. Raise `EntryCorrupt` if one of them is missing."""

    def touch(self, key: str, *, expires: float) -> None:
        """Move the expiry of an entry. An entry that is gone stays gone."""

    def delete(self, key: str) -> None: ...

    def sweep(self, *, now: float) -> int:
        """Remove expired entries. Return how many were removed."""

    def entries(self, owner: str | None, *, now: float) -> list[StoredEntry]:
        """Return the entries of an owner, or of all owners with None, in any order. Leave out
        expired and damaged ones. Raise `StoreError` if the backend cannot list its entries."""

    def stats(self) -> Stats: ...

    def close(self) -> None: ...


def chunk_numbers(index: bytes, start: int, stop: int) -> range:
    """Return the chunks that hold rows `start` to `stop`, found by bisection.

    The index does not say where the last chunk ends, so rows past the end map to the last chunk.
    """
    if start >= stop or not index:
        return range(0)
    firsts = first_rows(index)
    first = max(0, bisect_right(firsts, start) - 1)
    return range(first, bisect_left(firsts, stop, lo=first))


def pack_index(first_rows: Sequence[int]) -> bytes:
    return _little_endian(array("Q", first_rows)).tobytes()


def first_rows(index: bytes) -> Sequence[int]:
    """Return the number of the first row of each chunk."""
    if sys.byteorder == "little":
        return memoryview(index).cast("Q")  # no copy: an index may be long
    return _little_endian(array("Q", index))


def _little_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
