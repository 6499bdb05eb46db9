"""Every door there is to Penstock, in both eras."""

import pytest
from doors import DOORS, ERAS, INSIDE


@pytest.fixture(params=ERAS)
def era(request):
    return request.param


@pytest.fixture(params=DOORS)
def door(request):
    return request.param


@pytest.fixture(params=INSIDE)
def inside(request):
    """The doors that are in the server's own process."""
    return request.param


@pytest.fixture(params=["mcp", "fastmcp"])
def framework(request):
    """The doors whose tools are made of functions."""
    return request.param
