"""The source of a program keeps its lines, and its answer goes through the sandbox's own function."""

import pytest

from penstock.programs.source import with_answer

CHANGED = {
    "1": "_penstock_answer((1))",
    "x = 1\nx, 2": "x = 1\n_penstock_answer((x, 2))",
    "if a:\n  return {}\n2": "if a:\n  return _penstock_answer(({}))\n_penstock_answer((2))",
    "'é' + 'ü'  # c": "_penstock_answer(('é' + 'ü'))  # c",
    "(\n 1,\n)": "_penstock_answer(((\n 1,\n)))",
    "def f():\n  return 1": "def f():\n  return 1",
    "return": "return",
    "x = 1": "x = 1",
}


@pytest.mark.parametrize("code", CHANGED)
def test_the_answer_is_wrapped_where_it_stands(code):
    assert with_answer(code) == CHANGED[code]


HOSTILE = [
    "-" * 100_000 + "1",
    "(" * 100_000,
    "a." * 50_000 + "b",
    "[" * 5_000 + "]" * 5_000,
    "not " * 20_000 + "1",
    "x" + "()" * 50_000,
    "lambda:" * 10_000 + "1",
    "1+" * 50_000 + "1",
    "if 1:\n" * 200,
    "\0",
    "\ud800",
    "def f(:",
]


@pytest.mark.parametrize("code", HOSTILE, ids=range(len(HOSTILE)))
def test_a_source_that_cannot_be_read_stays_as_it_is(code):
    changed = with_answer(code)
    assert changed == code or "_penstock_answer((" in changed
    assert changed.count("\n") == code.count("\n")
