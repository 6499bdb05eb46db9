import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.core.model.store import Record, chunk_numbers, pack_index

lengths = st.lists(st.integers(1, 50), max_size=30)
row = st.integers(-20, 2_000)


@given(lengths, row, row)
def test_chunk_numbers_name_the_chunks_that_hold_the_rows(lengths, start, stop):
    firsts = [sum(lengths[:number]) for number in range(len(lengths))]
    holding = [
        number
        for number, (first, length) in enumerate(zip(firsts, lengths, strict=True))
        if first < stop and start < first + length and start < stop
    ]
    found = list(chunk_numbers(pack_index(firsts), start, stop))
    # Rows past the end map to the last chunk.
    assert found == holding or (not holding and found == [len(lengths) - 1] and start < stop)


@pytest.mark.parametrize("byteorder", ["little", "big"])
def test_an_index_is_read_back_on_any_host(monkeypatch, byteorder):
    monkeypatch.setattr(sys, "byteorder", byteorder)
    index = pack_index([0, 10, 20])
    assert list(chunk_numbers(index, 10, 21)) == [1, 2]


def test_an_index_is_little_endian():
    assert pack_index([1, 2**40]) == (1).to_bytes(8, "little") + (2**40).to_bytes(8, "little")


def test_an_index_of_broken_length_is_refused():
    with pytest.raises(ValueError, match="64-bit"):
        Record(owner="", expires=0, head=b"", index=b"1234567")
