"""The layout of a record in the values of a cache, each of them bytes.

A record is one stream: its head, its index, the ends of its chunks, the chunks. A **stub** holds
the sizes in the stream and its first bytes, so that a small record is one value. The rest is cut
into **blocks** without regard to chunks. Small chunks share a block, because caches limit the
number of values. A large chunk is spread over blocks, because caches limit the size of a value.

The names of blocks hold the serial of their stub. So two records never share a block, and a reader
of a stub finds all of that record or knows that something is missing.

Every value is sealed with a checksum. Penstock pickles nothing here, but a backend may pickle the
bytes that it gets.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from struct import Struct
from typing import Final, TypeVar
from zlib import crc32

import msgspec

from penstock.core.model.store import ROW_NUMBER_SIZE, Record, pack_index
from penstock.errors import EntryCorrupt, StoreTooNew

SCHEMA_VERSION: Final = 1
# Memcached takes one megabyte by default, with the key and what its client adds.
VALUE_BYTES: Final = 512_000
# Every page reads the stub, so it is kept small.
OPENING_BYTES: Final = 64_000

_SEAL: Final = Struct("<3sBI")
_MAGIC: Final = b"pen"
_NUMBER: Final = ROW_NUMBER_SIZE

Span = tuple[int, int]


class Stub(msgspec.Struct, frozen=True, array_like=True):
    """The main value of an entry. Blocks mean nothing without their stub."""

    serial: str
    expires: float
    head_size: int
    index_size: int
    chunk_count: int
    stream_size: int
    block_size: int
    opening: bytes

    @property
    def block_count(self) -> int:
        return -(-(self.stream_size - len(self.opening)) // self.block_size)

    @property
    def preamble(self) -> Span:
        """The span before the chunks."""
        return (0, self.head_size + self.index_size + _NUMBER * self.chunk_count)

    def blocks_of(self, span: Span) -> range:
        """Return the numbers of the blocks that hold a part of the stream."""
        start, stop = (place - len(self.opening) for place in span)
        if stop <= 0 or start >= stop:
            return range(0)
        return range(max(0, start) // self.block_size, -(-stop // self.block_size))

    def cut(self, span: Span, blocks: Mapping[int, bytes]) -> bytes:
        """Cut a part of the stream out of the blocks that hold it."""
        start, stop = span
        part = self.opening[start:stop]
        if numbers := self.blocks_of(span):
            first = len(self.opening) + numbers[0] * self.block_size
            joined = b"".join(blocks[number] for number in numbers)
            part += joined[max(0, start - first) : stop - first]
        if len(part) != stop - start:
            raise EntryCorrupt
        return part


class Preamble(msgspec.Struct, frozen=True):
    """The part of a stream before its chunks."""

    head: bytes
    index: bytes
    ends: bytes  # where each chunk ends, packed as in an index, counted from `start`
    start: int  # of the first chunk, in the stream

    def span(self, number: int) -> Span:
        if not 0 <= number < len(self.ends) // _NUMBER:
            raise EntryCorrupt(f"Chunk {number} of a stored entry is missing.")
        start = self._end(number - 1) if number else 0
        return (self.start + start, self.start + self._end(number))

    def _end(self, number: int) -> int:
        place = number * _NUMBER
        return int.from_bytes(self.ends[place : place + _NUMBER], "little")


class Life(msgspec.Struct, frozen=True, array_like=True):
    """A later time at which an entry expires. This is a value of its own: writing it never brings
    back a stub that was deleted or replaced meanwhile."""

    serial: str
    expires: float


def lay_out(record: Record, serial: str, value_bytes: int) -> tuple[Stub, list[memoryview]]:
    """Make the stub and the blocks of a record."""
    ends = pack_index([*accumulate(map(len, record.chunks))])
    stream = memoryview(b"".join((record.head, record.index, ends, *record.chunks)))
    opening = bytes(stream[: min(OPENING_BYTES, value_bytes)])
    stub = Stub(
        serial=serial,
        expires=record.expires,
        head_size=len(record.head),
        index_size=len(record.index),
        chunk_count=len(record.chunks),
        stream_size=len(stream),
        block_size=value_bytes,
        opening=opening,
    )
    cuts = range(len(opening), len(stream), value_bytes)
    return stub, [stream[start : start + value_bytes] for start in cuts]


def take_apart(preamble: bytes, stub: Stub) -> Preamble:
    after_head = stub.head_size + stub.index_size
    return Preamble(
        head=preamble[: stub.head_size],
        index=preamble[stub.head_size : after_head],
        ends=preamble[after_head:],
        start=len(preamble),
    )


def sealed(payload: bytes | memoryview) -> bytes:
    return b"".join((_SEAL.pack(_MAGIC, SCHEMA_VERSION, crc32(payload)), payload))


def unsealed(value: object) -> bytes:
    """Return the payload of a sealed value; `EntryCorrupt` if the value is anything else."""
    if not isinstance(value, bytes) or len(value) < _SEAL.size:
        raise EntryCorrupt("The cache holds something else under the key of a stored entry.")
    magic, version, checksum = _SEAL.unpack_from(value)
    if magic == _MAGIC and version > SCHEMA_VERSION:
        raise StoreTooNew(
            f"An entry has schema {version}; this version of Penstock knows {SCHEMA_VERSION}."
        )
    payload = value[_SEAL.size :]
    if magic != _MAGIC or crc32(payload) != checksum:
        raise EntryCorrupt
    return payload


def seal_struct(value: Stub | Life) -> bytes:
    return sealed(msgspec.msgpack.encode(value))


def unseal_stub(value: object) -> Stub:
    return _decoded(_STUBS, unsealed(value))


def unseal_life(value: object) -> Life:
    return _decoded(_LIVES, unsealed(value))


_T = TypeVar("_T")
_STUBS: Final = msgspec.msgpack.Decoder(Stub)
_LIVES: Final = msgspec.msgpack.Decoder(Life)


def _decoded(decoder: msgspec.msgpack.Decoder[_T], payload: bytes) -> _T:
    try:
        return decoder.decode(payload)
    except msgspec.MsgspecError as error:
        raise EntryCorrupt from error
