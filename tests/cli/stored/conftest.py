"""A gate with results in a store, and the part of one that a command reads."""

import pytest

from penstock import Call, Gate
from penstock.cli.stored.part import PartRequest, part_of


@pytest.fixture
def gate():
    with Gate() as gate:
        yield gate


@pytest.fixture
def part(gate):
    """Store a value, and return the focus on it, or on a part of it."""

    def stored(value, path="", language="", question=""):
        before = {entry.key for entry in gate.store.entries(None, now=gate.clock())}
        gate.offer(Call("tool", heavy=True), value)
        found = {entry.key for entry in gate.store.entries(None, now=gate.clock())}
        (key,) = found - before
        return gate.finish(part_of(key, PartRequest(path, language, question), gate.context()))

    return stored
