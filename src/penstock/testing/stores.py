"""The test cases that every store must pass."""

# ruff: noqa: S101, PLR2004 -- these are test cases

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from msgspec.structs import replace

from penstock.core.model.store import Loaded, Record, Stats, Store, StoredEntry, chunk_numbers
from penstock.errors import EntryCorrupt, StoreError, StoreFull
from penstock.testing.records import (
    ANY_BYTES,
    LATER,
    NOW,
    chunks_of,
    make_record,
    raises,
    together,
)


class StoreContract:
    """Test cases for any store. Open the store with `quota`, and empty: some cases count entries."""

    quota = 100_000
    can_list = True  # False for a backend that refuses `entries`

    def test_gives_back_what_was_put(self, store: Store) -> None:
        record = make_record(ANY_BYTES, b"", b"\x00" * 1000, head=ANY_BYTES[::-1])
        store.put("key", record, now=NOW)
        loaded = store.load("key", now=NOW)
        assert loaded == Loaded(record.head, record.index, record.expires, {})
        assert store.read("key", range(3)) == list(record.chunks)

    def test_keeps_an_entry_without_chunks(self, store: Store) -> None:
        store.put("key", Record(owner="", expires=LATER, head=b""), now=NOW)
        assert store.load("key", now=NOW, rows=(0, 20)) == Loaded(b"", b"", LATER, {})

    def test_keeps_many_chunks(self, store: Store) -> None:
        chunks = [b"%d" % number for number in range(5_000)]
        store.put("key", make_record(*chunks), now=NOW)
        assert store.read("key", range(5_000)) == chunks
        assert chunks_of(store, "key", (0, 50_000)) == dict(enumerate(chunks))

    def test_any_text_is_a_key_or_an_owner(self, store: Store) -> None:
        for text in ("", "ключ", "a:b/{c}*?", "'; --", "nul\0l", "k" * 500):
            store.put("key" + text, make_record(text.encode(), owner=text), now=NOW)
            assert store.read("key" + text, [0]) == [text.encode()]
        assert store.stats().entries == 6

    def test_loads_the_chunks_of_rows_with_the_head(self, store: Store) -> None:
        record = make_record(*(b"%d" % number for number in range(37)))
        store.put("key", record, now=NOW)
        for start in (-5, -1, 0, 1, 9, 10, 11, 355, 369, 370, 5_000):
            for stop in (-1, 0, 1, 10, 11, 20, 361, 370, 10_000, 2**62):
                numbers = chunk_numbers(record.index, start, stop)
                chunks = chunks_of(store, "key", (start, stop))
                assert list(chunks) == list(numbers)
                assert list(chunks.values()) == store.read("key", numbers)

    def test_reads_in_the_order_asked_for(self, store: Store) -> None:
        store.put("key", make_record(b"0", b"1", b"2"), now=NOW)
        assert store.read("key", [2, 0, 2]) == [b"2", b"0", b"2"]
        assert store.read("key", []) == []

    def test_missing_chunk_raises(self, store: Store) -> None:
        store.put("key", make_record(b"0", b"1"), now=NOW)
        for numbers in ([2], [0, 2], [-1], [2**40]):
            with raises(EntryCorrupt):
                store.read("key", numbers)
        with raises(EntryCorrupt):
            store.read("unknown", [0])

    def test_an_index_beyond_the_chunks_is_never_served_in_part(self, store: Store) -> None:
        record = replace(make_record(b"0", b"1", b"2"), chunks=(b"0", b"1"))
        store.put("key", record, now=NOW)
        assert chunks_of(store, "key", (0, 20)) == {0: b"0", 1: b"1"}
        with raises(EntryCorrupt):
            store.load("key", now=NOW, rows=(0, 21))

    def test_unknown_key_is_not_there(self, store: Store) -> None:
        assert store.load("unknown", now=NOW) is None
        assert store.load("unknown", now=NOW, rows=(0, 20)) is None
        store.touch("unknown", expires=LATER)
        store.delete("unknown")
        assert store.load("unknown", now=NOW) is None
        assert store.stats() == Stats(entries=0, bytes=0)

    def test_the_callers_now_decides_what_has_expired(self, store: Store) -> None:
        store.put("key", make_record(b"0"), now=NOW)
        assert store.load("key", now=LATER) is None
        assert store.load("key", now=LATER, rows=(0, 1)) is None
        assert store.load("key", now=LATER - 0.001) is not None

    def test_touch_extends(self, store: Store) -> None:
        store.put("key", make_record(b"0"), now=NOW)
        store.touch("key", expires=LATER + 100.25)
        loaded = store.load("key", now=LATER + 100)
        assert loaded is not None
        assert loaded.expires == LATER + 100.25
        assert store.sweep(now=LATER + 100) == 0
        assert store.sweep(now=LATER + 101) == 1

    def test_touch_shortens(self, store: Store) -> None:
        store.put("key", make_record(b"0"), now=NOW)
        store.touch("key", expires=NOW + 10)
        assert store.load("key", now=NOW + 10) is None
        assert store.sweep(now=NOW + 10) == 1

    def test_touch_does_not_revive(self, store: Store) -> None:
        store.put("expired", make_record(b"0"), now=NOW)
        assert store.load("expired", now=LATER) is None
        store.touch("expired", expires=LATER + 100)
        assert store.load("expired", now=LATER) is None
        store.put("deleted", make_record(b"0"), now=NOW)
        store.delete("deleted")
        store.touch("deleted", expires=LATER + 100)
        assert store.load("deleted", now=NOW) is None

    def test_delete(self, store: Store) -> None:
        store.put("key", make_record(b"0"), now=NOW)
        store.put("other", make_record(b"1"), now=NOW)
        store.delete("key")
        assert store.load("key", now=NOW) is None
        assert store.read("other", [0]) == [b"1"]
        with raises(EntryCorrupt):
            store.read("key", [0])

    def test_sweep_counts_what_it_removes(self, store: Store) -> None:
        for number in range(5):
            store.put(f"key{number}", make_record(b"0", expires=NOW + number + 1), now=NOW)
        assert store.sweep(now=NOW) == 0
        assert store.sweep(now=NOW + 3) == 3
        assert store.sweep(now=NOW + 3) == 0
        assert store.stats().entries == 2
        assert store.load("key3", now=NOW + 3) is not None

    def test_stats_are_entries_and_bytes(self, store: Store) -> None:
        records = [make_record(b"x" * 100), make_record(b"y", b"z", owner="bob")]
        for number, record in enumerate(records):
            store.put(str(number), record, now=NOW)
        assert store.stats() == Stats(entries=2, bytes=sum(record.size for record in records))

    def test_entries_are_those_of_an_owner_or_all(self, store: Store) -> None:
        if self._refuses_to_list(store):
            return
        assert store.entries("alice", now=NOW) == store.entries(None, now=NOW) == []
        records = {
            "a": make_record(b"x" * 100, head=ANY_BYTES),
            "ключ": make_record(b"y", b"z", expires=LATER + 1),
            "b": make_record(b"", owner="Jürgen", head=b""),
            "c": make_record(owner=""),
            "d": make_record(owner="alice "),
        }
        for key, record in records.items():
            store.put(key, record, now=NOW)
        for owner in ("alice", "Jürgen", "", "alice ", "nobody", None):
            expected = {key for key, one in records.items() if owner in (None, one.owner)}
            found = store.entries(owner, now=NOW)
            assert {entry.key for entry in found} == expected
            assert len(found) == len(expected)
            for entry in found:
                one = records[entry.key]
                assert entry == StoredEntry(entry.key, one.owner, one.head, one.size, one.expires)

    def test_entries_follow_every_change(self, store: Store) -> None:
        if self._refuses_to_list(store):
            return
        store.put("key", make_record(b"0"), now=NOW)
        store.touch("key", expires=LATER + 100.25)
        assert [entry.expires for entry in store.entries("alice", now=LATER)] == [LATER + 100.25]
        assert (
            store.entries("alice", now=LATER + 100.25) == store.entries(None, now=LATER + 101) == []
        )
        new = make_record(b"1", b"2", owner="bob", head=b"new")
        store.put("key", new, now=NOW)
        assert store.entries("alice", now=NOW) == []
        assert store.entries("bob", now=NOW) == [StoredEntry("key", "bob", b"new", new.size, LATER)]
        store.delete("key")
        store.put("swept", make_record(b"0"), now=NOW)
        store.sweep(now=LATER)
        assert store.entries("bob", now=NOW) == store.entries(None, now=NOW) == []

    def test_entries_are_listed_while_others_come_and_go(self, store: Store) -> None:
        if self._refuses_to_list(store):
            return
        stays = {f"stays{number}" for number in range(30)}
        for key in stays:
            store.put(key, make_record(b"0", b"1"), now=NOW)

        def change(number: int) -> None:
            store.put(f"goes{number}", make_record(b"0" * number, owner="bob"), now=NOW)
            store.delete(f"goes{number - 1}")

        def check(_: int) -> None:
            assert {entry.key for entry in store.entries("alice", now=NOW)} == stays

        together([change, check, check], times=30)

    def _refuses_to_list(self, store: Store) -> bool:
        if not self.can_list:
            with raises(StoreError):
                store.entries(None, now=NOW)
        return not self.can_list

    def test_overwriting_leaves_nothing_of_the_old(self, store: Store) -> None:
        store.put("key", make_record(b"0", b"1", b"2"), now=NOW)
        new = make_record(b"new", owner="bob", head=b"other")
        store.put("key", new, now=NOW)
        loaded = store.load("key", now=NOW, rows=(0, 30))
        assert loaded == Loaded(new.head, new.index, new.expires, {0: b"new"})
        assert store.stats() == Stats(entries=1, bytes=new.size)
        with raises(EntryCorrupt):
            store.read("key", [1])

    def test_a_record_over_quota_is_refused_and_the_old_one_stays(self, store: Store) -> None:
        old = make_record(b"old")
        store.put("key", old, now=NOW)
        with raises(StoreFull):
            store.put("key", make_record(b"x" * (self.quota + 1)), now=NOW)
        assert chunks_of(store, "key", (0, 10)) == {0: b"old"}
        assert store.stats() == Stats(entries=1, bytes=old.size)

    def test_a_record_is_never_seen_torn(self, store: Store) -> None:
        def put(number: int) -> None:
            mark = b"%d" % number
            chunks = [mark * 50] * (number % 7 + 1)
            store.put("key", make_record(*chunks, head=mark), now=NOW)

        def check(_: int) -> None:
            loaded = store.load("key", now=NOW, rows=(0, 100))
            assert loaded is not None
            assert len(loaded.chunks) == int(loaded.head) % 7 + 1
            assert set(loaded.chunks.values()) == {loaded.head * 50}

        put(0)
        together([put, check, check, put], times=60)
        assert store.stats().entries == 1

    def test_threads_keep_out_of_each_others_entries(self, store: Store) -> None:
        def use(number: int) -> None:
            key, body = str(number), b"%d" % number
            store.put(key, make_record(body), now=NOW)
            assert chunks_of(store, key, (0, 1)) == {0: body}
            store.touch(key, expires=LATER + 1)
            if number % 2:
                store.delete(key)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(use, range(100)))
        assert store.stats().entries == 50
