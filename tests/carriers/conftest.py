"""A rig for each carrier."""

import pytest
from carrier_rigs import Rig
from sluice import Sluice


@pytest.fixture
def store(redis_url):
    """A real Redis that a test can make wait."""
    sluice = Sluice(redis_url)
    yield sluice
    sluice.close()


@pytest.fixture
def rig(carrier, store, tmp_path):
    """The carrier that a test is parametrized with, at work. A failure shows what it logged."""
    made = Rig(carrier, tmp_path, store)
    try:
        made.start()
        yield made
    finally:
        print(made.close())  # noqa: T201 (pytest shows it where a test fails)


@pytest.fixture
def client(request, rig):
    made = rig.client()
    if request.node.get_closest_marker("xfail"):
        made.patience = 1  # what is known not to come is not waited for
    return made
