import pytest

from penstock.errors import InvalidSetting, StoreFull
from penstock.stores.memory import MemoryStore
from penstock.testing import LATER, NOW, EvictingStoreContract, make_record


class TestMemoryStore(EvictingStoreContract):
    @pytest.fixture
    def store(self):
        return MemoryStore(capacity=self.capacity, quota=self.quota)


@pytest.mark.parametrize("use", ["load", "read"])
def test_reading_counts_as_use(use):
    store = MemoryStore(quota=100)
    for key in "ab":
        store.put(key, make_record(b"x" * 30), now=NOW)
    if use == "load":
        store.load("a", now=NOW)
    else:
        store.read("a", [0])
    store.put("c", make_record(b"x" * 30), now=NOW)
    assert [key for key in "abc" if store.load(key, now=NOW)] == ["a", "c"]


def test_a_record_over_capacity_is_refused_though_within_quota():
    with pytest.raises(StoreFull, match="capacity of 10"):
        MemoryStore(capacity=10, quota=100).put("key", make_record(b"x" * 20), now=NOW)


def test_a_put_removes_what_has_expired():
    store = MemoryStore()
    store.put("old", make_record(b"x"), now=NOW)
    store.put("new", make_record(b"x", expires=LATER + 1), now=LATER)
    assert store.stats().entries == 1


def test_notes_of_expiry_do_not_pile_up():
    store = MemoryStore()
    for _ in range(1_000):
        store.put("key", make_record(b"x"), now=NOW)
    for number in range(1_000):
        store.touch("key", expires=LATER - number / 1e6)
    assert len(store._notes) < 200
    assert store.sweep(now=LATER - 0.000999) == 1


@pytest.mark.parametrize("limits", [{"capacity": 0}, {"quota": -1}])
def test_a_limit_below_one_byte_names_itself(limits):
    with pytest.raises(InvalidSetting, match=next(iter(limits))):
        MemoryStore(**limits)
