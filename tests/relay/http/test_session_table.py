"""The sessions that a gateway keeps: how many, for how long, and for whom."""

import pytest

from penstock.relay.http.session_table import (
    IDLE_SECONDS,
    SWEEP_SECONDS,
    SessionTable,
    SweptTable,
)


class Clock:
    now = 1_000.0

    def __call__(self):
        return self.now


def never(_item):
    return False


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def busy():
    return set()


@pytest.fixture
def table(clock, busy):
    return SessionTable(8, busy.__contains__, clock=clock)


def opened(table, peer, *names):
    """Open sessions, and return those that had to go."""
    gone = []
    for name in names:
        removed = table.make_room(peer)
        assert removed is not None
        table.put(name, name, peer)
        gone += removed
    return gone


def test_a_session_is_found_until_it_is_removed(table):
    opened(table, "eve", "a")
    assert table.get("a") == "a"
    assert table.pop("a") == "a"
    assert table.get("a") is table.pop("a") is None
    assert len(table) == 0
    assert not table._of_peer


def test_an_idle_session_ends_after_an_hour(table, clock, busy):
    opened(table, "eve", "idle", "used", "busy")
    busy.add("busy")
    clock.now += IDLE_SECONDS
    assert table.pop_if(never) == []
    table.get("used")
    clock.now += 1
    assert table.pop_if(never) == ["idle"]
    busy.clear()  # It was busy just now, so its hour begins.
    clock.now += IDLE_SECONDS - 1
    assert table.pop_if(never) == []
    clock.now += 2
    assert table.pop_if(never) == ["used", "busy"]


def test_a_session_that_is_over_is_removed_at_once(table, busy):
    opened(table, "eve", "a", "b")
    busy.add("a")
    assert table.pop_if(lambda item: item == "a") == ["a"]


def test_one_peer_gets_only_a_part_of_the_table(table):
    assert opened(table, "eve", *"abcdefgh") == ["a", "b"]
    assert len(table) == 6
    assert opened(table, "ann", "x", "y") == []
    assert list(table) == [*"cdefgh", "x", "y"]


def test_a_full_table_takes_from_the_peer_that_has_the_most(table):
    opened(table, "eve", *"abcde")
    opened(table, "ann", "x", "y", "z")
    table.get("a")
    assert opened(table, "bob", "1", "2") == ["b", "c"]
    assert opened(table, "eve", "f", "g") == ["d", "e"]


def test_a_peer_with_many_sessions_replaces_only_its_own(table):
    opened(table, "eve", *"abcde")
    opened(table, "ann", "x", "y", "z")
    assert opened(table, "eve", *"fghijk") == [*"abcde", "f"]
    assert {"x", "y", "z"} <= set(table)


def test_a_busy_session_makes_no_room(table, busy):
    opened(table, "eve", *"abcde")
    opened(table, "ann", "x", "y", "z")
    busy.update("abd")
    assert opened(table, "bob", "1") == ["c"]
    busy.update("e")
    assert table.make_room("eve") is None  # Ann has fewer sessions, and keeps them.
    assert opened(table, "bob", "2") == ["x"]


def test_a_state_is_made_once_and_dropped_after_an_idle_hour(clock):
    table, made = SweptTable(8, clock=clock), []

    def make():
        made.append(clock.now)
        return clock.now

    for _ in range(2):
        table.get_or_keep("a", make, "eve")
    assert len(made) == 1
    clock.now += IDLE_SECONDS + SWEEP_SECONDS
    table.get_or_keep("b", make, "ann")
    assert list(table) == [clock.now]


def test_a_state_without_room_is_used_but_not_kept(clock):
    table = SweptTable(4, lambda _item: True, clock=clock)
    for name in "abcd":
        assert table.get_or_keep(name, lambda name=name: name, "eve") == name
    assert list(table) == ["a", "b", "c"]
    table.keep("a", "new", "eve")
    assert set(table) == {"b", "c", "new"}
