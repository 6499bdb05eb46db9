"""Fixtures for every door to Penstock, in both eras."""

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
    """Return each door that is in the server's own process."""
    return request.param


@pytest.fixture(params=["mcp", "fastmcp"])
def framework(request):
    """Return each door whose tools are made from functions."""
    return request.param
