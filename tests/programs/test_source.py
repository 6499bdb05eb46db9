"""The source of a program keeps its lines, and its answer goes through the sandbox's own function."""

import pytest

from penstock.programs.source import rewritten

CHANGED = {
    "1": "_penstock_answer((1))",
    "x = 1\nx, 2": "x = 1\n_penstock_answer((x, 2))",
    "if a:\n  return {}\n2": "if a:\n  return _penstock_answer(({}))\n_penstock_answer((2))",
    "'é' + 'ü'  # c": "_penstock_answer(('é' + 'ü'))  # c",
    "(\n 1,\n)": "_penstock_answer(((\n 1,\n)))",
    "def f():\n  return 1": "def f():\n  return 1",
    "await f(await g())": (
        "_penstock_answer((await _penstock_await((f(await _penstock_await((g())))))))"
    ),
    "x = [await f(n)\n for n in a]": "x = [await _penstock_await((f(n)))\n for n in a]",
    "return": "return",
    "x = 1": "x = 1",
}


@pytest.mark.parametrize("code", CHANGED)
def test_the_answer_is_wrapped_where_it_stands(code):
    assert rewritten(code).code.decode() == CHANGED[code]


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
    made = rewritten(code).code.decode()
    assert made.encode() == code.encode("utf-8", "replace") or "_penstock_answer((" in made
    assert made.count("\n") == code.count("\n")


def test_a_call_that_is_awaited_where_it_stands_is_known_by_its_place():
    made = rewritten("x = await f(1)\ny = f(2)")
    assert made.is_awaited(made.code.index(b"f(1)"))
    assert not made.is_awaited(made.code.index(b"f(2)"))
    assert not made.may_gather
    assert rewritten("import asyncio\nasyncio.gather()").may_gather
