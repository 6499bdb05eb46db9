"""Compression of rows into chunks, and the way back.

A chunk is about 64 kB of rows, joined with newlines: neither compact JSON nor a line contains one.
Rows with nothing between them, the parts of a text, may hold newlines. These are joined with a byte
that no text has in UTF-8. A page unpacks one or two chunks, however large the result is.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import msgspec
import zstandard

from penstock.core.json import rawjson
from penstock.core.model.store import chunk_numbers, pack_index
from penstock.errors import EntryCorrupt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_NOT_IN_TEXT: Final = b"\xff"
CHUNK_BYTES = 64_000
CHUNK_ROWS = 1_000
_LEVEL = 1
_LARGEST_CHUNK = 2**31
_ESCAPED_BY_TWO = b'"\\\n\r\t'  # in JSON, these take two bytes
# The bytes that JSON does not escape, except in halves of surrogate pairs.
_UNESCAPED = bytes(code for code in range(32, 256) if code not in _ESCAPED_BY_TWO)
_HALF_PAIR = re.compile(rb"\xed[\xa0-\xbf]")
_local = threading.local()  # zstd contexts are slow to create, and threads must not share them


class Packed(msgspec.Struct, frozen=True):
    """All the rows of a document, ready for a store."""

    chunks: tuple[bytes, ...]
    index: bytes
    count: int
    size: int  # bytes of the rows and the separators between them
    quoted: int  # the same inside a JSON string, where quotes, backslashes and newlines take two


def pack(blocks: Iterable[list[bytes]], joint: bytes = b",") -> Packed:
    """Pack rows. `joint`: the bytes between two rows of the document."""
    chunks: list[bytes] = []
    rows_in: list[int] = []
    size = quoted = 0
    compress = _compressor().compress
    mark = _mark(joint)
    for rows in _regrouped(blocks):
        joined = mark.join(rows)
        size += len(joined) + len(joint) - (0 if joint else len(rows) - 1)
        quoted += _quoted(joined, joint)
        # Copy to the exact size: the compressor's buffer is as large as its input, and the unused
        # end would stay allocated with each chunk.
        chunks.append(bytes(memoryview(compress(joined))))
        rows_in.append(len(rows))
    firsts = [0, *accumulate(rows_in)]
    # There is one joint fewer than rows.
    return Packed(
        chunks=tuple(chunks),
        index=pack_index(firsts[:-1]),
        count=firsts[-1],
        size=size - len(joint) if chunks else 0,
        quoted=quoted - quoted_text_size(joint) if chunks else 0,
    )


def _mark(joint: bytes) -> bytes:
    """Return the byte between two rows in a chunk."""
    return b"\n" if joint else _NOT_IN_TEXT


def _quoted(joined: bytes, joint: bytes) -> int:
    """Return how many bytes the rows of a chunk and the joints after them take in a JSON string."""
    if joint == b",":
        return quoted_size(joined) + len(joint)
    text = joined if joint else joined.replace(_NOT_IN_TEXT, b"")
    return quoted_text_size(text) + quoted_text_size(joint)


def quoted_size(data: bytes) -> int:
    """Return how many bytes compact JSON takes inside a JSON string."""
    backslashes = data.count(b"\\") if b"\\" in data else 0  # `in` is faster than `count`
    return len(data) + data.count(b'"') + backslashes


def quoted_text_size(text: bytes) -> int:
    """Return how many bytes a text takes inside a JSON string."""
    has_half_pair = b"\xed" in text and _HALF_PAIR.search(text) is not None
    escaped = text.translate(None, _UNESCAPED)
    if has_half_pair or escaped.translate(None, _ESCAPED_BY_TWO):
        return len(rawjson.string(rawjson.text(text))) - 2
    return len(text) + len(escaped)


def unpack(chunk: bytes, joint: bytes = b",") -> list[bytes]:
    try:
        joined = _decompressor().decompress(chunk, max_output_size=_LARGEST_CHUNK)
        return joined.split(_mark(joint))
    except zstandard.ZstdError as error:
        raise EntryCorrupt from error


def slice_rows(
    index: bytes,
    chunks: Mapping[int, bytes],
    numbers: Sequence[int],
    start: int,
    stop: int,
    joint: bytes = b",",
) -> list[bytes]:
    """Return rows `start` to `stop`. `numbers` are the chunks that hold them, in order."""
    if not numbers:
        return []
    rows = [row for number in numbers for row in unpack(chunks[number], joint)]
    first = int.from_bytes(index[8 * numbers[0] : 8 * numbers[0] + 8], "little")
    return rows[start - first : stop - first]


def chunks_of_rows(index: bytes, numbers: Iterable[int]) -> list[int]:
    """Return the numbers of the chunks that hold these rows, each once."""
    return sorted({chunk for row in numbers for chunk in chunk_numbers(index, row, row + 1)})


def pick_rows(
    index: bytes, chunks: Mapping[int, bytes], numbers: Iterable[int], joint: bytes = b","
) -> list[bytes]:
    """Return these rows, in this order, given the chunks that hold them."""
    unpacked = {number: unpack(chunk, joint) for number, chunk in chunks.items()}
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
        if not group and len(block) <= CHUNK_ROWS and _fills_chunk(block):
            yield block
            continue
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


def _fills_chunk(block: list[bytes]) -> bool:
    """Return whether a block is a chunk as it is. Most are: they are read in about this size."""
    return 0.9 * CHUNK_BYTES <= sum(map(len, block)) <= CHUNK_BYTES


def _compressor() -> zstandard.ZstdCompressor:
    if not hasattr(_local, "compressor"):
        _local.compressor = zstandard.ZstdCompressor(level=_LEVEL)
    return _local.compressor  # type: ignore[no-any-return]  # threading.local is untyped


def _decompressor() -> zstandard.ZstdDecompressor:
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    return _local.decompressor  # type: ignore[no-any-return]  # threading.local is untyped
