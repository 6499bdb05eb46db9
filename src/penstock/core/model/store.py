"""What a store is: a keeper of records that it does not look into.

A record is a head, some chunks, and an index that says with which row each chunk starts. Head and
chunks are opaque here: they are packed (and compressed) by `penstock.core.results.packing`, so a backend moves
bytes and nothing else. The index alone is understood by a store, so that one with a network in
between can find the chunks of a page in the same round trip as the head.

Rules for whoever writes a backend:

- `put` is atomic: another reader sees the whole record or none of it.
- A record is there while `now < expires`, and not after, whether or not it was swept.
- `touch` has no `now`: it goes by the last one the store was given, so an entry that a `load`
  has just found expired is not brought back by the `touch` that follows.
- A record that is damaged or incomplete raises `EntryCorrupt`; it is never served in part.
- A record that cannot be taken (larger than the quota, no space) is a `StoreFull`, and what was
  under its key stays as it was.
- A failure of the backend is a `StoreError`, never a foreign exception, never a silent loss.

`penstock.testing.StoreContract` holds every backend to them.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MEGABYTE = 1_000_000
DEFAULT_CAPACITY = 256 * MEGABYTE
DEFAULT_QUOTA = 64 * MEGABYTE
ROW_NUMBER_SIZE = 8


class Record(msgspec.Struct, frozen=True):
    """An entry as a store gets it.

    `index` is an array of little-endian 64-bit row numbers, ascending: the first row of each chunk.
    """

    owner: str
    expires: float
    head: bytes
    index: bytes = b""
    chunks: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        if len(self.index) % ROW_NUMBER_SIZE:
            raise ValueError("an index is a whole number of 64-bit row numbers")

    @property
    def size(self) -> int:
        return len(self.head) + len(self.index) + sum(map(len, self.chunks))


class Loaded(msgspec.Struct, frozen=True):
    """What a store gives back: the head, and the chunks that were asked for, by number."""

    head: bytes
    index: bytes
    expires: float
    chunks: Mapping[int, bytes] = {}


class Stats(msgspec.Struct, frozen=True):
    entries: int
    bytes: int


class Store(Protocol):
    """Put, load, read, touch, delete, sweep, stats. `now` is always the caller's."""

    def put(self, key: str, record: Record, *, now: float) -> None: ...

    def load(self, key: str, *, now: float, rows: tuple[int, int] | None = None) -> Loaded | None:
        """The head, and with `rows` = (start, stop) the chunks that hold those rows too."""

    def read(self, key: str, numbers: Sequence[int]) -> list[bytes]:
        """These chunks, in this order. `EntryCorrupt` where one of them is missing."""

    def touch(self, key: str, *, expires: float) -> None:
        """Move the expiry of an entry; one that is gone stays gone."""

    def delete(self, key: str) -> None: ...

    def sweep(self, *, now: float) -> int:
        """Give back the space of what has expired; how many entries went."""

    def stats(self) -> Stats: ...

    def close(self) -> None: ...


def chunk_numbers(index: bytes, start: int, stop: int) -> range:
    """The chunks that hold rows `start` to `stop`: a bisection, whatever the number of rows.

    The index does not know where the last chunk ends, so rows past the end are looked for there.
    """
    if start >= stop or not index:
        return range(0)
    firsts = _first_rows(index)
    first = max(0, bisect_right(firsts, start) - 1)
    return range(first, bisect_left(firsts, stop, lo=first))


def pack_index(first_rows: Sequence[int]) -> bytes:
    return _little_endian(array("Q", first_rows)).tobytes()


def _first_rows(index: bytes) -> Sequence[int]:
    if sys.byteorder == "little":
        return memoryview(index).cast("Q")  # no copy: an index may be long, a bisection is short
    return _little_endian(array("Q", index))


def _little_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
