"""The outline of a value: names and types."""

from __future__ import annotations

import json

import pytest

from penstock.core.json.encoding import encode
from penstock.core.results.outline import alike, clip, outline, type_name

ENDPOINT = {"rate_limit": 1, "auth": "x", "timeout_ms": 2}


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (1, "int"),
        (-1, "int"),
        (1.5, "float"),
        ("a", "str"),
        (True, "bool"),
        (False, "bool"),
        (None, "null"),
        ([], "list"),
        ({}, "dict"),
    ],
)
def test_type_name(value, name):
    assert type_name(encode(value)) == name


def test_an_exponent_makes_a_float():
    assert type_name(b"1E5") == "float"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1, "int"),
        ([], "[]"),
        ([1, 2], "[2 × int]"),
        ([{"a": 1, "b": 2}] * 3, "[3 × {a, b}]"),
        ({"a": 1, "b": "x", "c": [1]}, {"a": "int", "b": "str", "c": "[1 × int]"}),
        ({"a": {"b": {"c": {"d": 1}}}}, {"a": {"b": "{c}"}}),
        (
            {"name": "x", "endpoints": {f"/v{n}": ENDPOINT for n in range(899)}},
            {"name": "str", "endpoints": "{899 × {rate_limit, auth, timeout_ms}}"},
        ),
        ({f"k{n}": ENDPOINT for n in range(4)}, "{4 × {rate_limit, auth, timeout_ms}}"),
        ({f"k{n}": {"a": 1} for n in range(3)}, {f"k{n}": {"a": "int"} for n in range(3)}),
        (
            {f"k{n}": n for n in range(20)},
            {**{f"k{n}": "int" for n in range(12)}, "…": "8 more"},
        ),
        (
            [{f"k{n}": n for n in range(15)}],
            "[1 × {" + ", ".join(f"k{n}" for n in range(12)) + ", … 3 more}]",
        ),
        ({}, {}),
    ],
    ids=lambda value: str(value)[:40],
)
def test_outline(value, shown):
    assert outline(encode(value)) == shown


@pytest.mark.parametrize(
    ("values", "are"),
    [
        ([], False),
        ([{"a": 1}, {"a": 2}], True),
        ([{"a": 1, "b": 1}, {"a": 2, "c": 1}], True),
        ([{"a": 1, "b": 1, "c": 1}, {"a": 2, "x": 1, "y": 1}], False),
        ([{"a": 1}, {"b": 1}], False),
        ([{"a": 1}, 5], False),
        ([{}, {}], False),
    ],
)
def test_alike(values, are):
    assert alike([json.dumps(value).encode() for value in values]) is are


@pytest.mark.parametrize(
    ("text", "cut"), [("abcd", "abcd"), ("abcde", "abc…"), ("漢字漢字漢", "漢字漢…")]
)
def test_clip(text, cut):
    assert clip(text, 4) == cut


def test_long_names_are_cut():
    assert max(map(len, outline(encode({"k" * 500: 1})))) <= 60
