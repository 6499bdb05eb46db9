"""A rig for each carrier."""

import pytest
from carrier_rigs import Rig
from sluice import Sluice


@pytest.fixture
def store(redis_url):
    """A real Redis that a test can hold back."""
    sluice = Sluice(redis_url)
    yield sluice
    sluice.close()


@pytest.fixture
def settings():
    """Return the settings of the carrier. A test may choose others."""
    return {}


@pytest.fixture
def rig(carrier, store, tmp_path, settings):
    """Start the carrier that a test is parametrized with. A failed test shows the carrier's log."""
    made = Rig(carrier, tmp_path, store, **settings)
    try:
        made.start()
        yield made
    finally:
        logged = made.close()
        print(logged)  # noqa: T201 (pytest shows it where a test fails)
    assert "Traceback" not in logged
    assert "never awaited" not in logged


@pytest.fixture
def client(rig):
    return rig.client()
