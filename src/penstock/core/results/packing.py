"""Rows to compressed chunks and back.

A chunk is rows joined by newlines (compact JSON and split text hold none), some 64 kB of them, so
that a page unpacks one chunk or two whatever the size of the whole.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING

import msgspec
import zstandard

from penstock.core.json import rawjson
from penstock.core.model.store import chunk_numbers, pack_index
from penstock.errors import EntryCorrupt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

CHUNK_BYTES = 64_000
CHUNK_ROWS = 1_000
_LEVEL = 1
_COMMA = 1
_NEWLINE = 2  # as it stands inside a JSON string
_LARGEST_CHUNK = 2**31
_local = threading.local()  # zstd contexts are costly to make and not to be shared by threads


class Packed(msgspec.Struct, frozen=True):
    """All the rows of a document, ready for a store.

    `size` is their bytes with a separator between them, `quoted` the bytes of the same inside a
    JSON string, where quotes, backslashes and newlines take two.
    """

    chunks: tuple[bytes, ...]
    index: bytes
    count: int
    size: int
    quoted: int


def pack(blocks: Iterable[list[bytes]], *, lines: bool = False) -> Packed:
    chunks: list[bytes] = []
    rows_in: list[int] = []
    size = quoted = 0
    compress = _compressor().compress
    quoted_size = _quoted_text if lines else _quoted_json
    for rows in _regrouped(blocks):
        joined = b"\n".join(rows)
        size += len(joined) + 1
        quoted += quoted_size(joined)
        # A copy of its own size: the compressor's buffer is as large as what went in, and what
        # is cut off it at the end lies idle between the chunks.
        chunks.append(bytes(memoryview(compress(joined))))
        rows_in.append(len(rows))
    firsts = [0, *accumulate(rows_in)]
    last = _NEWLINE if lines else _COMMA  # there is one separator fewer than rows
    return Packed(
        chunks=tuple(chunks),
        index=pack_index(firsts[:-1]),
        count=firsts[-1],
        size=size - 1 if chunks else 0,
        quoted=quoted - last if chunks else 0,
    )


def quoted_size(data: bytes) -> int:
    """The bytes that compact JSON takes inside a JSON string."""
    backslashes = data.count(b"\\") if b"\\" in data else 0  # to look is cheaper than to count
    return len(data) + data.count(b'"') + backslashes


def _quoted_json(joined: bytes) -> int:
    return quoted_size(joined) + _COMMA


def _quoted_text(joined: bytes) -> int:
    return len(rawjson.string(rawjson.text(joined))) - 2 + _NEWLINE


def unpack(chunk: bytes) -> list[bytes]:
    return unpack_joined(chunk).split(b"\n")


def unpack_joined(chunk: bytes) -> bytes:
    """The rows of a chunk, joined with newlines."""
    try:
        return _decompressor().decompress(chunk, max_output_size=_LARGEST_CHUNK)
    except zstandard.ZstdError as error:
        raise EntryCorrupt from error


def slice_rows(
    index: bytes, chunks: Mapping[int, bytes], numbers: Sequence[int], start: int, stop: int
) -> list[bytes]:
    """Return rows `start` to `stop`. `numbers` are the chunks that hold them, in order."""
    if not numbers:
        return []
    rows = [row for number in numbers for row in unpack(chunks[number])]
    first = int.from_bytes(index[8 * numbers[0] : 8 * numbers[0] + 8], "little")
    return rows[start - first : stop - first]


def chunks_of_rows(index: bytes, numbers: Iterable[int]) -> list[int]:
    """The chunks that hold these rows, each once."""
    return sorted({chunk for row in numbers for chunk in chunk_numbers(index, row, row + 1)})


def pick_rows(index: bytes, chunks: Mapping[int, bytes], numbers: Iterable[int]) -> list[bytes]:
    """These rows, in this order, given the chunks that hold them."""
    unpacked = {number: unpack(chunk) for number, chunk in chunks.items()}
    picked: list[bytes] = []
    for row in numbers:
        [number] = chunk_numbers(index, row, row + 1)
        first = int.from_bytes(index[8 * number : 8 * number + 8], "little")
        picked.append(unpacked[number][row - first])
    return picked


def _regrouped(blocks: Iterable[list[bytes]]) -> Iterator[list[bytes]]:
    """The same rows in groups of a chunk's size."""
    group: list[bytes] = []
    size = 0
    for block in blocks:
        ends = list(accumulate(map(len, block)))
        start = before = 0
        while start < len(block):
            # Up to the row with which the chunk is full, or to the end of the block.
            full = bisect_left(ends, before + CHUNK_BYTES - size, start) + 1
            stop = min(full, start + CHUNK_ROWS - len(group), len(block))
            group += block[start:stop]
            size += ends[stop - 1] - before
            start, before = stop, ends[stop - 1]
            if size >= CHUNK_BYTES or len(group) == CHUNK_ROWS:
                yield group
                group, size = [], 0
    if group:
        yield group


def _compressor() -> zstandard.ZstdCompressor:
    if not hasattr(_local, "compressor"):
        _local.compressor = zstandard.ZstdCompressor(level=_LEVEL)
    return _local.compressor  # type: ignore[no-any-return]  # threading.local is untyped


def _decompressor() -> zstandard.ZstdDecompressor:
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    return _local.decompressor  # type: ignore[no-any-return]  # threading.local is untyped
