"""The range of a column is exact."""

from __future__ import annotations

import pytest

from penstock.core.views.profile import ColumnProfile


def extremes(*literals):
    column = ColumnProfile()
    for literal in literals:
        column.add(literal.encode())
    told = column.describe(len(literals))
    return tuple(bytes(told[name]).decode() for name in ("min", "max"))


BIG = 10**18


@pytest.mark.parametrize(
    ("literals", "expected"),
    [
        ((f"{BIG}", f"{BIG + 1}", f"{BIG - 1}"), (f"{BIG - 1}", f"{BIG + 1}")),
        ((f"-{BIG}", f"-{BIG + 1}"), (f"-{BIG + 1}", f"-{BIG}")),
        ((f"{BIG}", f"{BIG}.5", f"{BIG + 1}"), (f"{BIG}", f"{BIG + 1}")),
        (("0.1", "0.10000000000000000001"), ("0.1", "0.10000000000000000001")),
        (("1e400", "1e401", "-1e400"), ("-1e400", "1e401")),
        (("1e-400", "0", "2E-400"), ("0", "2E-400")),
        (("2", "10", "1.5"), ("1.5", "10")),
    ],
)
def test_numbers_are_compared_as_they_stand(literals, expected):
    assert extremes(*literals) == expected
    assert extremes(*reversed(literals)) == expected


@pytest.mark.parametrize("literal", ["9" * 5_000, "1." + "0" * 5_000, "1e" + "9" * 20])
def test_what_nobody_can_compare_is_left_out(literal):
    assert extremes("1", literal, "2") == ("1", "2")
