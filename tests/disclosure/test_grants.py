"""Grants: their holders, their lifetime and their largest number."""

import logging

import pytest

from penstock.disclosure.grants import IDLE_SECONDS, SWEEP_SECONDS, Grants, Holder, new_handle
from penstock.stores.memory import MemoryStore
from penstock.stores.sqlite import SQLiteStore


class Clock:
    now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    made = MemoryStore() if request.param == "memory" else SQLiteStore(tmp_path / "grants.sqlite")
    yield made
    made.close()


def test_a_grant_is_its_holders_and_for_its_tool(store, clock):
    grants = Grants(store, clock=clock)
    grants.grant("session:a", ["read", "write"])
    assert grants.is_granted("session:a", "read")
    assert grants.is_granted("session:a", "write")
    assert not grants.is_granted("session:a", "other")
    assert not grants.is_granted("session:b", "read")
    assert not grants.is_granted("session:", "aread")


def test_workers_that_share_a_store_agree(store, clock):
    one, other = Grants(store, clock=clock), Grants(store, clock=clock)
    one.grant("principal:ada", ["read"])
    assert other.is_granted("principal:ada", "read")
    other.revoke("principal:ada", ["read"])
    assert not one.is_granted("principal:ada", "read")


def test_one_that_is_not_used_ends(store, clock):
    grants = Grants(store, clock=clock)
    grants.grant("a", ["read"])
    clock.now += IDLE_SECONDS - 1
    assert grants.is_granted("a", "read"), "asking keeps it alive"
    clock.now += IDLE_SECONDS - 1
    assert grants.is_granted("a", "read")
    clock.now += IDLE_SECONDS + 1
    assert not grants.is_granted("a", "read")


def test_what_has_expired_is_swept_every_ten_minutes(store, clock):
    grants = Grants(store, clock=clock, idle=10)
    grants.grant("a", ["read", "write"])
    clock.now += SWEEP_SECONDS
    assert not grants.is_granted("a", "read")
    assert store.stats().entries == 0


def test_there_are_never_more_than_so_many(store, clock):
    grants = Grants(store, clock=clock, most=3)
    grants.grant("a", [f"tool {n}" for n in range(5)])
    assert store.stats().entries == 3
    assert not grants.is_granted("a", "tool 0")
    assert grants.is_granted("a", "tool 4")


def test_what_is_granted_and_refused_is_logged(caplog, clock):
    grants = Grants(clock=clock)
    with caplog.at_level(logging.INFO, "penstock"):
        grants.grant("secret session", ["read"])
        grants.is_granted("secret session", "write")
    assert "granted: read" in caplog.text
    assert "not granted: write" in caplog.text
    assert "secret session" not in caplog.text


def test_handles_cannot_be_guessed():
    handles = {new_handle() for _ in range(100)}
    assert len(handles) == 100
    assert all(len(handle) >= 24 for handle in handles)


def test_one_tool_is_one_tool(clock):
    grants = Grants(clock=clock)
    grants.grant("a", "read")
    assert grants.is_granted("a", "read")
    assert not grants.is_granted("a", "r")
    assert len(grants) == 1
    grants.revoke("a", ["read"])
    assert len(grants) == 0


def test_only_handles_that_look_like_ours_are_taken():
    handle = new_handle()
    assert Holder.of("srv", "", handle).handle == handle
    for odd in ("pgr_x", handle + "x", "x" * 50_000, None, 7):
        assert Holder.of("srv", "", odd).handle not in (odd, handle)
    assert Holder.of("srv", "ann").handle == ""
    assert Holder.of("srv", "ann") != Holder.of("other", "ann")
