"""Every door there is to Penstock, in both eras."""

import sys
from pathlib import Path

import pytest

# The helpers are imported by name, which importlib mode does not arrange.
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "http"), str(HERE.parent / "servers")]

from doors import DOORS, ERAS, INSIDE  # noqa: E402 (the path is set above)


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
