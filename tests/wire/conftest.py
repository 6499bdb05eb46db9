"""A session without processes, in both eras."""

import pytest
from relay_rig import Rig


@pytest.fixture(params=["legacy", "modern"])
def era(request):
    return request.param


@pytest.fixture
def open_rig():
    """Makes rigs: an upstream, and settings of the policy by name."""
    rigs = []

    def opened(upstream=None, **settings):
        rigs.append(Rig(upstream, **settings))
        return rigs[-1]

    yield opened
    for rig in rigs:
        rig.close()
