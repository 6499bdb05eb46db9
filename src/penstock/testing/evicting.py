"""The test cases for a store that makes room by itself."""

# ruff: noqa: S101 -- these are test cases

from __future__ import annotations

from msgspec.structs import replace

from penstock.core.model.store import Account, Store
from penstock.errors import StoreFull
from penstock.testing.records import LATER, NOW, make_record, present, raises
from penstock.testing.stores import StoreContract


class EvictingStoreContract(StoreContract):
    """Test cases for a store that makes room by itself, as `penstock.stores.eviction` tells. Open it
    with `capacity` and `quota`."""

    capacity = 250_000

    def test_an_account_over_quota_loses_its_own_oldest(self, store: Store) -> None:
        store.put("bob", make_record(b"x" * 90_000, owner="bob"), now=NOW)
        for key in "abc":
            store.put(key, make_record(b"x" * 40_000), now=NOW)
        assert present(store, "a", "b", "c", "bob") == ["b", "c", "bob"]

    def test_each_account_of_an_owner_has_a_quota(self, store: Store) -> None:
        ann, bob = Account("session ann", is_anonymous=True), Account("peer bob", is_anonymous=True)
        store.put("ann", make_record(b"x" * 90_000, owner="", account=ann), now=NOW)
        for key in "abc":
            store.put(key, make_record(b"x" * 40_000, owner="", account=bob), now=NOW)
        assert present(store, "ann", "a", "b", "c") == ["ann", "b", "c"]

    def test_one_account_of_several_owners_has_one_quota(self, store: Store) -> None:
        account = Account("all")
        for owner in "abc":
            record = make_record(b"x" * 40_000, owner=owner, account=account)
            store.put(owner, record, now=NOW)
        assert present(store, "a", "b", "c") == ["b", "c"]

    def test_what_was_made_from_others_goes_first(self, store: Store) -> None:
        store.put("result", make_record(b"x" * 30_000), now=NOW)
        for key in ("answer 1", "answer 2"):
            store.put(key, make_record(b"x" * 30_000, parents=("result",)), now=NOW)
        store.put("next", make_record(b"x" * 30_000), now=NOW)
        assert present(store, "result", "answer 1", "answer 2", "next") == [
            "result",
            "answer 2",
            "next",
        ]

    def test_an_answer_counts_against_its_asker(self, store: Store) -> None:
        store.put("result", make_record(b"x" * 90_000), now=NOW)
        for number in range(4):
            answer = make_record(b"x" * 40_000, owner="bob", parents=("result",))
            store.put(f"answer {number}", answer, now=NOW)
        assert present(store, "result") == ["result"]

    def test_an_answer_never_removes_what_it_was_made_from(self, store: Store) -> None:
        store.put("small", make_record(b"x" * 20_000), now=NOW)
        store.put("result", make_record(b"x" * 70_000), now=NOW)
        store.put("answer", make_record(b"x" * 9_000, parents=("result",)), now=NOW)
        before = store.stats()
        for parents in (("result",), ("small", "result"), ("result", "answer")):
            with raises(StoreFull):
                store.put("next", make_record(b"x" * 40_000, parents=parents), now=NOW)
        assert store.stats() == before
        assert present(store, "small", "result", "answer", "next") == ["small", "result", "answer"]
        store.put("next", make_record(b"x" * 25_000, parents=("result",)), now=NOW)
        assert present(store, "small", "result", "answer", "next") == ["result", "next"]

    def test_a_refused_answer_leaves_the_one_it_would_replace(self, store: Store) -> None:
        store.put("result", make_record(b"x" * 70_000), now=NOW)
        store.put("order", make_record(b"old" * 5_000, parents=("result",)), now=NOW)
        with raises(StoreFull):
            store.put("order", make_record(b"x" * 50_000, parents=("result",)), now=NOW)
        assert store.read("order", [0]) == [b"old" * 5_000]
        store.put("order", make_record(b"x" * 25_000, parents=("result",)), now=NOW)
        assert present(store, "result", "order") == ["result", "order"]

    def test_touch_counts_as_use(self, store: Store) -> None:
        for key in "ab":
            store.put(key, make_record(b"x" * 40_000), now=NOW)
        store.touch("a", expires=LATER + 1)
        store.put("c", make_record(b"x" * 40_000), now=NOW)
        assert present(store, "a", "b", "c") == ["a", "c"]

    def test_over_capacity_the_account_that_holds_the_most_gives(self, store: Store) -> None:
        store.put("small", make_record(b"x" * 10_000, owner="bob"), now=NOW)
        for number in range(3):
            owner = f"other {number}"
            store.put(owner, make_record(b"x" * 60_000, owner=owner), now=NOW)
        for key in "ab":
            store.put(key, make_record(b"x" * 40_000), now=NOW)
        assert present(store, "small", "a", "b") == ["small", "b"]
        assert present(store, "other 0", "other 1", "other 2") == ["other 0", "other 1", "other 2"]

    def test_over_capacity_too_what_was_made_from_others_goes_first(self, store: Store) -> None:
        store.put("result", make_record(b"x" * 50_000), now=NOW)
        store.put("answer", make_record(b"x" * 45_000, parents=("result",)), now=NOW)
        for owner in ("bob", "eve"):
            store.put(owner, make_record(b"x" * 90_000, owner=owner), now=NOW)
        assert present(store, "result", "answer", "bob", "eve") == ["result", "bob", "eve"]

    def test_a_crowd_that_has_not_logged_in_is_held_to_half(self, store: Store) -> None:
        """Anyone may come as many callers who have not logged in."""
        for owner in ("ann", "bob"):
            store.put(owner, make_record(b"x" * 60_000, owner=owner), now=NOW)
        for number in range(100):
            account = Account(f"peer {number}", is_anonymous=True)
            record = make_record(b"x" * 5_000, owner="", account=account)
            store.put(str(number), record, now=NOW)
            assert present(store, "ann", "bob", str(number)) == ["ann", "bob", str(number)]
        assert store.stats().bytes <= self.capacity

    def test_a_crowd_may_use_what_nobody_else_needs(self, store: Store) -> None:
        peers = [f"peer {number}" for number in range(10)]
        for peer in peers:
            account = Account(peer, is_anonymous=True)
            store.put(peer, make_record(b"x" * 20_000, owner="", account=account), now=NOW)
        assert present(store, *peers) == peers
        for owner in ("ann", "bob"):
            store.put(owner, make_record(b"x" * 60_000, owner=owner), now=NOW)
        assert present(store, "ann", "bob") == ["ann", "bob"]

    def test_an_answer_never_removes_another_accounts_result_that_it_needs(
        self, store: Store
    ) -> None:
        for owner in ("bob", "eve"):
            store.put(owner, make_record(b"x" * 90_000, owner=owner), now=NOW)
        answer = make_record(b"x" * 80_000, parents=("bob", "eve"))
        with raises(StoreFull):
            store.put("answer", answer, now=NOW)
        store.put("answer", replace(answer, parents=("bob",)), now=NOW)
        assert present(store, "bob", "eve", "answer") == ["bob", "answer"]

    def test_over_capacity_the_oldest_of_equal_accounts_goes(self, store: Store) -> None:
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
