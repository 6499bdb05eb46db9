"""A session without processes, in both eras."""

import pytest
from relay_rig import Rig


@pytest.fixture(params=["legacy", "modern"])
def era(request):
    return request.param


@pytest.fixture
def open_rig():
    """Return a function that makes rigs from an upstream and settings of the policy by name."""
    rigs = []

    def opened(upstream=None, **settings):
        rigs.append(Rig(upstream, **settings))
        return rigs[-1]

    yield opened
    for rig in rigs:
        rig.close()
