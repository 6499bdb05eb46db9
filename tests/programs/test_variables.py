"""The variables of a session, kept in a store."""

import os

import pytest

from penstock.core.model.store import Record
from penstock.programs.variables import NOTHING, Kept, Variables
from penstock.stores.memory import MemoryStore

NOW, LIFE = 1_000.0, 60.0
SOURCES = (("read_file", None), ("list", {"path": "/a"}))


@pytest.fixture
def store():
    return MemoryStore(capacity=1_000_000, quota=100_000)


def test_variables_come_back_as_they_were_kept(store):
    variables = Variables(store, "ann", "session 1")
    assert variables.load(NOW) == NOTHING
    kept = Kept(b"a dump" * 100, SOURCES, 1)
    assert variables.save(kept, NOW, LIFE) == ""
    assert variables.load(NOW + 1) == kept


def test_variables_end_after_their_life(store):
    variables = Variables(store, "ann", "session 1")
    variables.save(Kept(b"x", (), 1), NOW, LIFE)
    assert variables.load(NOW + LIFE) == NOTHING


@pytest.mark.parametrize(("owner", "holder"), [("bob", "session 1"), ("ann", "session 2")])
def test_others_have_their_own(store, owner, holder):
    Variables(store, "ann", "session 1").save(Kept(b"x", (), 1), NOW, LIFE)
    assert Variables(store, owner, holder).load(NOW) == NOTHING


def test_of_two_programs_at_once_the_first_to_end_keeps_its_variables(store):
    variables = Variables(store, "ann", "session 1")
    assert variables.save(Kept(b"first", (), 1), NOW, LIFE) == ""
    assert "another program" in variables.save(Kept(b"second", (), 1), NOW, LIFE)
    assert variables.load(NOW).dump == b"first"


def test_variables_that_the_store_does_not_take_are_told(store):
    variables = Variables(store, "ann", "session 1")
    told = variables.save(Kept(os.urandom(200_000), (), 1), NOW, LIFE)
    assert "the store did not take them" in told


def test_a_damaged_record_is_told_as_lost(store):
    variables = Variables(store, "ann", "session 1")
    variables.save(Kept(b"x", (), 1), NOW, LIFE)
    (entry,) = store.entries(None, now=NOW)
    loaded = store.load(entry.key, now=NOW, rows=(0, 1))
    store.put(entry.key, Record("ann", NOW + LIFE, b"damaged", loaded.index, (b"x",)), now=NOW)
    assert variables.load(NOW) == Kept(is_lost=True)
