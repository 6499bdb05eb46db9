"""The test cases for a store that makes room by itself."""

# ruff: noqa: S101 -- these are test cases

from __future__ import annotations

from penstock.core.model.store import Store
from penstock.testing.records import LATER, NOW, make_record, present
from penstock.testing.stores import StoreContract


class EvictingStoreContract(StoreContract):
    """Test cases for a store that makes room by itself. Open it with `capacity` and `quota`."""

    capacity = 250_000

    def test_an_owner_over_quota_loses_its_own_oldest(self, store: Store) -> None:
        store.put("bob", make_record(b"x" * 90_000, owner="bob"), now=NOW)
        for key in "abc":
            store.put(key, make_record(b"x" * 40_000), now=NOW)
        assert present(store, "a", "b", "c", "bob") == ["b", "c", "bob"]

    def test_touch_counts_as_use(self, store: Store) -> None:
        for key in "ab":
            store.put(key, make_record(b"x" * 40_000), now=NOW)
        store.touch("a", expires=LATER + 1)
        store.put("c", make_record(b"x" * 40_000), now=NOW)
        assert present(store, "a", "b", "c") == ["a", "c"]

    def test_over_capacity_the_oldest_of_all_goes(self, store: Store) -> None:
        for owner in "abc":
            store.put(owner, make_record(b"x" * 90_000, owner=owner), now=NOW)
        assert present(store, "a", "b", "c") == ["b", "c"]
        assert store.stats().bytes <= self.capacity

    def test_what_has_expired_goes_before_what_has_not(self, store: Store) -> None:
        store.put("good", make_record(b"x" * 40_000), now=NOW)
        store.put("expired", make_record(b"x" * 40_000, expires=NOW + 1), now=NOW)
        store.put("new", make_record(b"x" * 40_000), now=NOW + 1)
        assert present(store, "good", "expired", "new") == ["good", "new"]

    def test_replacing_an_entry_needs_room_only_for_the_difference(self, store: Store) -> None:
        store.put("other", make_record(b"x" * 10_000), now=NOW)
        for _ in range(3):
            store.put("key", make_record(b"x" * 80_000), now=NOW)
        assert present(store, "other", "key") == ["other", "key"]

    def test_stays_within_its_limits(self, store: Store) -> None:
        for number in range(200):
            owner = str(number % 5)
            store.put(str(number), make_record(b"x" * (number * 97 % 9_000), owner=owner), now=NOW)
            assert store.stats().bytes <= self.capacity
        assert store.load("199", now=NOW) is not None
