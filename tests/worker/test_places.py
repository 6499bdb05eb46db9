"""Threads that wait for the worker: in turn, for a bounded time, and no longer than their question."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from penstock.core.model.cancellation import Cancellation
from penstock.core.model.questions import Limits, Material, Question
from penstock.core.model.turns import Party
from penstock.worker import Workers, failures
from penstock.worker.places import WorkerPlaces

EVE, ANN = Party("eve", "1"), Party("ann", "2")
ENDLESS = "WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n FROM q) SELECT count(*) FROM q"
PATIENCE = 60


@pytest.fixture
def places():
    made = WorkerPlaces(1, Limits(seconds=PATIENCE))
    yield made
    made.close()


@pytest.fixture
def pool():
    with ThreadPoolExecutor(16) as made:
        yield made


def wait(places, party=EVE, cancellation=None):
    return places.wait(party, cancellation or Cancellation(), "sql")


def until(condition):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_places_are_given_in_turn(places, pool):
    """Each thread notes its name as soon as it has the only place, and then leaves."""
    order = []

    def note(party, name):
        assert wait(places, party) is None
        order.append(name)
        places.leave(party)

    assert wait(places) is None
    parties = [EVE, EVE, EVE, ANN]
    names = ["eve0", "eve1", "eve2", "ann"]
    jobs = []
    for count, (party, name) in enumerate(zip(parties, names, strict=True), 1):
        jobs.append(pool.submit(note, party, name))
        until(lambda count=count: places.waiting == count)
    places.leave(EVE)
    for job in jobs:
        job.result(PATIENCE)
    assert order == ["eve0", "ann", "eve1", "eve2"]


def test_a_cancelled_question_stops_waiting_and_frees_its_turn(places, pool):
    cancellation = Cancellation()
    assert wait(places) is None
    job = pool.submit(wait, places, EVE, cancellation)
    until(lambda: places.waiting == 1)
    cancellation.request()
    assert job.result(PATIENCE) == failures.CANCELLED
    assert places.waiting == 0
    places.leave(EVE)
    assert wait(places) is None


def test_a_question_that_waits_too_long_is_told_when_to_ask_again(places):
    assert wait(places) is None
    places.patience = 0.01
    busy = wait(places, ANN)
    assert busy.error == "The processes that run queries are busy: try again in 60 s."
    assert "search" in busy.next_step
    assert places.waiting == 0
    places.leave(EVE)
    assert wait(places, ANN) is None


def test_users_of_the_explorer_are_told_without_words_of_programs():
    told = failures.busy(Limits(seconds=0.2), "order")
    assert told.error == "Too much is being sorted, filtered or drawn: try again in 1 s."
    assert "mode" not in told.next_step


def test_closing_wakes_all_that_wait(places, pool):
    assert wait(places) is None
    job = pool.submit(wait, places)
    until(lambda: places.waiting == 1)
    places.close()
    assert job.result(PATIENCE) == failures.CLOSED
    assert wait(places) == failures.CLOSED


def test_a_pool_frees_the_thread_of_a_question_that_waits_for_a_child(pool):
    rows = Material("rows", b"[", b"]", (b'{"id":1}',))
    workers = Workers(Limits(seconds=2.0 * PATIENCE), size=1)
    running, waiting = Cancellation(), Cancellation()
    started = threading.Event()

    def blocks():
        started.set()
        yield b'{"id":1}'

    first = Material("rows", b"[", b"]", blocks())
    try:
        busy = pool.submit(workers.ask, Question("a", "sql", ENDLESS), first, running)
        assert started.wait(PATIENCE)
        behind = pool.submit(workers.ask, Question("b", "sql", "SELECT 1"), rows, waiting)
        until(lambda: workers._places.waiting == 1)
        waiting.request()
        assert behind.result(PATIENCE) == failures.CANCELLED
        assert not busy.done()
    finally:
        running.request()
        workers.close()
