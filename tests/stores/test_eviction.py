"""Long series of puts, on both stores that make room by themselves."""

import random

import pytest

from penstock.core.model.store import Account
from penstock.errors import StoreFull
from penstock.stores.memory import MemoryStore
from penstock.stores.sqlite import SQLiteStore
from penstock.testing import NOW, make_record

CAPACITY, QUOTA = 40_000, 15_000
ACCOUNTS = [Account(f"a{number}", is_anonymous=number % 3 != 0) for number in range(9)]


def random_puts(seed, count=150):
    """Yield keys and records. Some replace older ones, and half are made from older ones."""
    drawn = random.Random(seed)
    for number in range(count):
        size = drawn.choice([1, 50, 400, 3_000, 3_000, 9_000, 14_000])
        parents = (
            [f"k{drawn.randrange(number)}" for _ in range(drawn.randrange(3))] if number else []
        )
        key = f"k{drawn.randrange(number + 1)}" if drawn.random() < 0.2 else f"k{number}"
        account = drawn.choice(ACCOUNTS)
        given = tuple(name for name in parents if name != key)
        yield key, make_record(b"x" * size, account=account, parents=given)


def outcome(store, key, record):
    try:
        store.put(key, record, now=NOW)
    except StoreFull:
        return "full"
    return "kept"


@pytest.mark.parametrize("seed", range(6))
def test_both_stores_remove_the_same_entries_and_keep_the_rules(tmp_path, seed):
    memory = MemoryStore(CAPACITY, QUOTA)
    file = SQLiteStore(tmp_path / "r.sqlite", capacity=CAPACITY, quota=QUOTA, clock=lambda: NOW)
    held = {}
    for key, record in random_puts(seed):
        before = dict(held)
        said = outcome(memory, key, record)
        assert outcome(file, key, record) == said
        there = {entry.key for entry in memory.entries(None, now=NOW)}
        assert {entry.key for entry in file.entries(None, now=NOW)} == there
        assert memory.stats() == file.stats()
        if said == "kept":
            held[key] = record
        held = {name: held[name] for name in there}
        if said == "full":
            assert held == before
        assert there.issuperset(before.keys() & {*record.parents})
        assert memory.stats().bytes == sum(one.size for one in held.values()) <= CAPACITY
        for account in ACCOUNTS:
            assert sum(one.size for one in held.values() if one.account == account) <= QUOTA
    file.close()
