"""The gate's clock, and the lives of tokens after the clock of the machine was set."""

import logging

import pytest

from penstock import Call, Gate, Policy
from penstock.gate.clock import SteadyClock
from penstock.stores.memory import MemoryStore
from penstock.stores.sqlite import SQLiteStore

ROWS = [{"id": number, "name": f"item {number}" * 5} for number in range(2_000)]
DAY = 86_400.0
NOON = 1_800_000_000.0


class Machine:
    """A machine whose clock can be set."""

    def __init__(self, time_of_day=NOON):
        self.time_of_day, self.elapsed = time_of_day, 5_000.0

    def wait(self, seconds):
        self.elapsed += seconds
        self.time_of_day += seconds

    def clock(self):
        return SteadyClock(lambda: self.time_of_day, lambda: self.elapsed)


@pytest.fixture
def machine():
    return Machine()


def gate_on(machine, store=None):
    return Gate(Policy(ttl=300), store or MemoryStore(), clock=machine.clock())


def token_of(gate):
    return gate.call(Call("rows"), lambda _: ROWS).value["continuation_token"]


def read(gate, token):
    given = {"continuation_token": token, "mode": "paginated"}
    return gate.read(Call("read_result", given)).value


def test_the_clock_shows_the_time_of_day(machine):
    clock = machine.clock()
    for _ in range(3):
        assert clock() == machine.time_of_day
        machine.wait(7.5)


def test_a_clock_that_is_set_back_goes_on_here(machine, caplog):
    clock = machine.clock()
    clock()
    machine.wait(10)
    machine.time_of_day -= DAY
    with caplog.at_level(logging.WARNING, "penstock"):
        assert clock() == NOON + 10
        machine.wait(10)
        assert clock() == NOON + 20
    assert len(caplog.messages) == 1
    assert "set back by 86400 seconds" in caplog.text


def test_the_clock_follows_the_time_of_day_forwards(machine, caplog):
    clock = machine.clock()
    clock()
    machine.time_of_day += 3_600  # asleep: `elapsed` stands still
    assert clock() == NOON + 3_600
    machine.time_of_day -= 2  # a correction, which is nothing to talk of
    assert clock() == NOON + 3_600
    assert not caplog.messages


def test_a_pause_between_two_readings_does_not_move_the_clock_ahead(machine):
    def paused():
        machine.wait(0.5)
        return machine.elapsed

    clock = SteadyClock(lambda: machine.time_of_day, paused)
    for _ in range(100):
        assert clock() <= machine.time_of_day


def test_a_clock_set_back_does_not_lengthen_a_life(machine):
    with gate_on(machine) as gate:
        token = token_of(gate)
        machine.wait(299)
        machine.time_of_day -= DAY
        assert "error" not in read(gate, token)
        # Reading has extended the life.
        machine.wait(301)
        assert "expired" in read(gate, token)["error"]


def test_every_gate_has_such_a_clock():
    with Gate() as gate:
        assert isinstance(gate.clock, SteadyClock)


def test_a_result_of_the_future_is_refused_by_another_process(machine, tmp_path):
    """After the clock was set back, a new process would accept the result for a day."""
    with gate_on(machine, SQLiteStore(tmp_path / "r.sqlite")) as gate:
        token = token_of(gate)
    machine.wait(10)
    machine.time_of_day -= DAY
    with gate_on(machine, SQLiteStore(tmp_path / "r.sqlite")) as gate:
        assert "expired" in read(gate, token)["error"]


def test_machines_may_differ_a_little(machine, tmp_path):
    with gate_on(machine, SQLiteStore(tmp_path / "r.sqlite")) as gate:
        token = token_of(gate)
    machine.time_of_day -= 30
    with gate_on(machine, SQLiteStore(tmp_path / "r.sqlite")) as gate:
        assert "error" not in read(gate, token)
