"""The tables of the contract name only points and carriers that exist."""

from fnmatch import filter as matching

import pytest
from carrier_rigs import CARRIERS
from contract import LEFT_OUT, POINTS, is_for


@pytest.mark.parametrize(("points", "carriers", "why"), LEFT_OUT)
def test_every_row_is_about_something(points, carriers, why):
    assert why
    assert matching(POINTS, points)
    for pattern in carriers:
        assert matching(map(str, CARRIERS), pattern)


@pytest.mark.parametrize("point", POINTS)
def test_every_point_is_for_some_carrier(point):
    assert any(is_for(point, carrier) for carrier in CARRIERS)
