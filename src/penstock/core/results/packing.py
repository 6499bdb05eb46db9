"""Compression of rows into chunks, and the way back.

A chunk is about 64 kB of rows, joined with newlines: neither compact JSON nor a line contains one.
So a page unpacks one or two chunks, however large the result is.
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
_NEWLINE = 2  # the size of the escape in a JSON string
_LARGEST_CHUNK = 2**31
_local = threading.local()  # zstd contexts are slow to create, and threads must not share them


class Packed(msgspec.Struct, frozen=True):
    """All the rows of a document, ready for a store."""

    chunks: tuple[bytes, ...]
    index: bytes
    count: int
    size: int  # bytes of the rows and the separators between them
    quoted: int  # the same inside a JSON string, where quotes, backslashes and newlines take two


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
        # Copy to the exact size: the compressor's buffer is as large as its input, and the unused
        # end would stay allocated with each chunk.
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
    """Return how many bytes compact JSON takes inside a JSON string."""
    backslashes = data.count(b"\\") if b"\\" in data else 0  # `in` is faster than `count`
    return len(data) + data.count(b'"') + backslashes


def _quoted_json(joined: bytes) -> int:
    return quoted_size(joined) + _COMMA


def _quoted_text(joined: bytes) -> int:
    return len(rawjson.string(rawjson.text(joined))) - 2 + _NEWLINE


def unpack(chunk: bytes) -> list[bytes]:
    return unpack_joined(chunk).split(b"\n")


def unpack_joined(chunk: bytes) -> bytes:
    """Return the rows of a chunk, joined with newlines."""
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
    """Return the numbers of the chunks that hold these rows, each once."""
    return sorted({chunk for row in numbers for chunk in chunk_numbers(index, row, row + 1)})


def pick_rows(index: bytes, chunks: Mapping[int, bytes], numbers: Iterable[int]) -> list[bytes]:
    """Return these rows, in this order, given the chunks that hold them."""
    unpacked = {number: unpack(chunk) for number, chunk in chunks.items()}
    picked: list[bytes] = []
    for row in numbers:
        [number] = chunk_numbers(index, row, row + 1)
        first = int.from_bytes(index[8 * number : 8 * number + 8], "little")
        picked.append(unpacked[number][row - first])
    return picked


def _regrouped(blocks: Iterable[list[bytes]]) -> Iterator[list[bytes]]:
    """Yield the same rows in groups of a chunk's size."""
    group: list[bytes] = []
    size = 0
    for block in blocks:
        ends = list(accumulate(map(len, block)))
        start = before = 0
        while start < len(block):
            # Stop at the row that fills the chunk, or at the end of the block.
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
