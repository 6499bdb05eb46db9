"""A bounded cache drops the least recently used item."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from hypothesis import given
from hypothesis import strategies as st

from penstock.core.model.recent import Recent


def test_what_was_used_least_recently_goes_first():
    recent = Recent(2)
    assert recent.put("a", 1) is None
    assert recent.put("b", 2) is None
    assert recent.get("a") == 1
    assert recent.put("c", 3) == "b"
    assert ("a" in recent, "b" in recent, "c" in recent) == (True, False, True)
    assert recent.get("b") is None


def test_putting_again_is_a_use_and_pushes_nothing_out():
    recent = Recent(2)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.put("a", 3) is None
    assert recent.put("c", 4) == "b"
    assert recent.get("a") == 3


def test_an_item_is_made_once():
    recent, made = Recent(2), []

    def make():
        made.append(None)
        return len(made)

    assert [recent.get_or_make(key, make) for key in "aabab"] == [1, 1, 2, 1, 2]


def test_several_threads_make_it_once_between_them():
    recent, made, together = Recent(1), [], Barrier(8)

    def make():
        made.append(None)
        time.sleep(0.05)  # long enough for the other threads to arrive
        return object()

    def look():
        together.wait()
        return recent.get_or_make("key", make)

    with ThreadPoolExecutor(8) as threads:
        found = [threads.submit(look) for _ in range(8)]
    assert len({id(future.result()) for future in found}) == 1
    assert len(made) == 1


def test_one_that_may_keep_nothing_still_makes():
    assert Recent(0).get_or_make("key", lambda: 7) == 7


def test_dropping():
    recent = Recent(5)
    for number in range(5):
        recent.put(number, number)
    assert recent.drop_if(lambda number: number % 2 == 0) == [0, 2, 4]
    assert [number in recent for number in range(5)] == [False, True, False, True, False]
    assert recent.pop(1) == 1
    assert recent.pop(1) is None
    recent.clear()
    assert len(recent) == 0


@given(st.integers(1, 5), st.lists(st.tuples(st.integers(0, 9), st.booleans())))
def test_it_holds_the_last_that_were_used(most, uses):
    recent, order = Recent(most), []
    for key, is_new in uses:
        known = key in order
        if is_new:
            recent.put(key, key)
        elif recent.get(key) is None:
            assert not known
            continue
        order = [*(used for used in order if used != key), key][-most:]
    assert [key for key in range(10) if key in recent] == sorted(order)
