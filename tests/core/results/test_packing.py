"""Packing rows into chunks, and unpacking them."""

from __future__ import annotations

import pytest

from penstock.core.json import rawjson
from penstock.core.model.store import chunk_numbers
from penstock.core.results.packing import CHUNK_BYTES, CHUNK_ROWS, pack, slice_rows, unpack
from penstock.errors import EntryCorrupt


def rows_between(packed, start, stop):
    numbers = chunk_numbers(packed.index, start, stop)
    return slice_rows(packed.index, {n: packed.chunks[n] for n in numbers}, numbers, start, stop)


@pytest.mark.parametrize(
    "rows",
    [
        [b"1"],
        [b'{"id":%d}' % n for n in range(5_000)],
        [b'"' + b"x" * 30_000 + b'"'] * 7,
        [b'"' + b"y" * 500_000 + b'"', b"1", b"2"],
        [b""],
        [b"", b"", b"a", b""],
    ],
    ids=range(6),
)
@pytest.mark.parametrize("blocks", [1, 3, 1_000])
def test_round_trip(rows, blocks):
    packed = pack(iter([rows[start : start + blocks] for start in range(0, len(rows), blocks)]))
    assert packed.count == len(rows)
    assert [row for chunk in packed.chunks for row in unpack(chunk)] == rows
    for start in {0, 1, len(rows) // 2, len(rows) - 1}:
        assert rows_between(packed, start, start + 3) == rows[start : start + 3]


def test_nothing():
    packed = pack(iter([]))
    assert (packed.chunks, packed.count, packed.size, packed.quoted) == ((), 0, 0, 0)
    assert rows_between(packed, 0, 20) == []


def test_chunks_are_bounded_in_bytes_and_rows():
    tiny = pack(iter([[b"1"] * 2_500]))
    assert [len(unpack(chunk)) for chunk in tiny.chunks] == [CHUNK_ROWS, CHUNK_ROWS, 500]
    fat = pack(iter([[b"x" * 20_000] * 20]))
    assert all(sum(map(len, unpack(chunk))) <= CHUNK_BYTES + 20_000 for chunk in fat.chunks)


def test_a_page_touches_one_chunk_or_two():
    packed = pack(iter([[b'{"id":%d}' % n for n in range(50_000)]]))
    assert len(packed.chunks) > 40
    assert all(len(chunk_numbers(packed.index, n, n + 20)) <= 2 for n in range(0, 50_000, 997))


@pytest.mark.parametrize(
    ("rows", "joint"),
    [
        ([b'{"a":"b\\n"}', b'"\\\\"'], b","),
        ([b"1", b"2", b"3"], b","),
        ([b'say "hi"', b"\\", b"tab\t", "é".encode()], b"\n"),
        ([b"", b""], b"\n"),
        ([b"\x00\x1f"], b"\n"),
        ([b'1,"a\nb"\r\n', b"2,c\n", "é,\\".encode()], b""),
        ([b"{\n 1},\n", b'{"\xff"}'[:2]], b""),
    ],
)
def test_sizes_are_those_on_the_wire(rows, joint):
    packed = pack(iter([rows]), joint)
    joined = joint.join(rows)
    assert packed.size == len(joined)
    assert [row for chunk in packed.chunks for row in unpack(chunk, joint)] == rows
    assert packed.quoted == len(rawjson.string(joined.decode())) - 2


def test_damage_is_found():
    packed = pack(iter([[b"1", b"2"]]))
    with pytest.raises(EntryCorrupt):
        unpack(b"nonsense")
    with pytest.raises(EntryCorrupt):
        unpack(packed.chunks[0][:-2])
