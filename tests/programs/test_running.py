"""Programs in their sandbox, without tools of a server."""

import json

import pytest
from program_rig import MEMORY, SCOPE, answered

from penstock.core.model.program import Broken, Finished, Waiting
from penstock.programs.running import MOST_PRINTED, HelperError, Running

# Programs, and their answers.
ANSWERS = {
    "the last expression": ("x = 2\nx + 1", 3),
    "a return": ("for n in range(5):\n  if n == 3:\n    return {'n': n}", {"n": 3}),
    "no value": ("x = 1", None),
    "a tuple without brackets": ("1, 2", [1, 2]),
    "a function's own return": ("def f():\n  return 5\nf()", 5),
    "an expression over lines": ("(1 +\n 2)", 3),
    "a text with a line end": ('"""a\nb"""', "a\nb"),
    "a comment behind": ("'é' # ü", "é"),
    "carriage returns": ("x = 1\r\nx + 1\r\n", 2),
    "thirty digits": ("[123456789012345678901234567890]", [123456789012345678901234567890]),
    "views, ranges and sets": ("[range(2), {1: 2}.keys(), {3}]", [[0, 1], [1], [3]]),
    "times and decimals": (
        "import datetime, decimal\n[datetime.date(2020, 1, 2), decimal.Decimal('1.10')]",
        ["2020-01-02", "1.10"],
    ),
    "bytes": ("b'abc'", "YWJj"),
    "a dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n  x: int\n[P(1)]",
        [{"x": 1}],
    ),
    "a call by keyword": ("await echo(text='a')", {"text": "a"}),
    "a call by place": ("await echo('a', 2)", ["a", 2]),
    "a tool as a value": ("f = echo\nawait f('b')", ["b"]),
    "a call by name": ("await call('odd-tool', {'a b': 1})", {"a b": 1}),
    "futures beside calls that are awaited in place": (
        "a = echo('x')\nb = await echo('y')\nc = await echo('z')\n[await a, b, c]",
        [["x"], ["y"], ["z"]],
    ),
    "variables with the names of builtins": (
        "type = str = isinstance = len = list = 'mine'\n[await echo('a'), {1}, range(2)]",
        [["a"], [1], [0, 1]],
    ),
    "a call by name with keywords": ("await call(arguments={'x': 1}, name='odd')", {"x": 1}),
    "an f-string with a call": ("f\"{await echo('a')=}\"", "await echo('a')=['a']"),
    "a named tuple": (
        "from collections import namedtuple\nP = namedtuple('P', 'x y')\n[P(1, 2)]",
        [[1, 2]],
    ),
    "an exception that is caught": (
        "try:\n  await fails()\nexcept RuntimeError as e:\n  told = str(e)\ntold",
        "it failed",
    ),
    "calls that are gathered": (
        "import asyncio\nawait asyncio.gather(*[echo(n) for n in range(3)])",
        [[0], [1], [2]],
    ),
    "gathered functions that call twice": (
        """
import asyncio
async def twice(n):
    return [await echo(n), await echo(-n)]
await asyncio.gather(twice(1), twice(2))
""",
        [[[1], [-1]], [[2], [-2]]],
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answer_of_a_program(run, name):
    code, answer = ANSWERS[name]
    turn = run(code)
    assert isinstance(turn, Finished), turn
    assert json.loads(turn.answer) == answer


# Programs that fail: part of the error, and the line.
FAILURES = {
    "a syntax error": ("x = 1\nx = = 2", "SyntaxError", 2),
    "an unknown name": ("x = 1\nnope", "NameError: name 'nope'", 2),
    "an unknown function": ("await nope(1)", "NameError: name 'nope'", 1),
    "a call without await": ("x = 1\necho('a')", "was not awaited", 2),
    "a call without await in between": ("echo('a')\n5", "was not awaited", 1),
    "endless recursion": ("def f():\n  return f()\nf()", "RecursionError", 2),
    "a list of 10 GB": ("x = 1\n[0] * 10**10", "64 MB of memory", 2),
    "too much printed": ("while True:\n  print('x' * 1000)", "printed more than", 0),
    "a function as the answer": ("lambda: 1", "type function, which has no JSON form", 1),
    "a function inside": ("{'a': [print]}", "/a/0 in the value", 1),
    "a key that JSON lacks": ("{(1, 2): 3}", "a key of type tuple", 1),
    "a value that holds itself": ("x = []\nx.append(x)\nx", "RecursionError", 3),
    "a range as an argument": ("await echo(range(3))", "takes data", 1),
    "a sleep": ("import time\ntime.sleep(1)", "cannot sleep", 2),
    "a tool that fails": ("await echo('a')\nawait fails()", "it failed", 2),
    "a wrong call by name": ("await call(7)", "takes the name of a tool", 1),
    "its own function without await": (
        "async def f():\n  await echo('a')\nf()\n'done'",
        "f was not awaited",
        3,
    ),
    "a gather without await": (
        "import asyncio\nasyncio.gather(echo('a'))\n1",
        "gather was not awaited",
        2,
    ),
    "a text in place of arguments": ("await call('echo', 'x')", "takes the name of a tool", 1),
    "a form feed in a line": ("x = 1\f\ny = 2\n1 / 0", "ZeroDivisionError", 3),
    "a generator": ("def g():\n  yield 1\ng()", "does not support yield", 2),
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_names_the_line_and_the_reason(run, name):
    code, error, line = FAILURES[name]
    turn = run(code)
    assert isinstance(turn, Broken), turn
    assert error in turn.error
    assert turn.line == line
    assert turn.source == (code.split("\n")[line - 1].strip() if line else "")


# Programs that the limit on time ends.
ENDLESS = {
    "a loop": "while True:\n  pass",
    "a loop that catches": "try:\n  while True:\n    pass\nexcept BaseException:\n  pass\n'caught'",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_the_limit_on_time_ends_a_program(run_hurried, name):
    turn = run_hurried(ENDLESS[name])
    assert isinstance(turn, Broken), turn
    assert turn.is_stopped
    assert "took longer than" in turn.error
    assert (turn.line, turn.source) == (0, "")


# Programs that catch the error of a limit, as far as the sandbox lets them.
CATCHING = {
    "memory": "try:\n  [0] * 10**10\nexcept BaseException:\n  pass\n'caught'",
    "print": "try:\n  while True:\n    print('x' * 1000)\nexcept BaseException:\n  pass\n'caught'",
}


@pytest.mark.parametrize("limit", CATCHING)
def test_no_program_can_catch_the_error_of_a_limit(run, limit):
    turn = run(CATCHING[limit])
    assert isinstance(turn, Broken)
    assert turn.is_stopped
    assert len(turn.printed) <= MOST_PRINTED


def test_not_a_number_is_null_and_counted(run):
    turn = run("[float('nan'), 1.5, float('inf')]")
    assert json.loads(turn.answer) == [None, 1.5, None]
    assert turn.notices == ("2 NaN or infinite numbers are shown as null.",)


def test_what_is_printed_comes_beside_the_answer(run):
    turn = run("print('a', 1)\nprint('b')\n5")
    assert (turn.answer, turn.printed) == (b"5", "a 1\nb\n")


def test_calls_that_are_gathered_begin_together_and_end_in_any_order(sandbox):
    box = sandbox.open()
    code = "import asyncio\nawait asyncio.gather(*[echo(n) for n in range(3)])"
    program = Running(box, code, SCOPE, {}, MEMORY)
    turn = program.start()
    assert isinstance(turn, Waiting)
    assert [call.args for call in turn.calls] == [(0,), (1,), (2,)]
    first, second, third = turn.calls
    turn = program.go_on([answered(third)])
    assert turn == Waiting()
    turn = program.go_on([answered(first), answered(second)])
    assert json.loads(turn.answer) == [[0], [1], [2]]
    box.close()


def test_functions_of_the_store_exchange_json(run):
    helpers = {
        "_penstock_value": lambda token: json.dumps({"of": token}),
        "_penstock_store": lambda value, _lost: f"pen_{len(json.loads(value))}",
        "_penstock_sql": lambda query, tables: json.dumps([query, tables]),
    }
    code = "[value('t'), store([1, 2]), sql('SELECT 1', a=[1], b='tok')]"
    assert json.loads(run(code, helpers).answer) == [
        {"of": "t"},
        "pen_2",
        ["SELECT 1", {"a": "pen_1", "b": "tok"}],
    ]


def test_a_refusal_of_the_store_is_an_exception_in_the_program(run):
    def refuse(_token):
        raise HelperError("no such token")

    turn = run(
        "try:\n  value('t')\nexcept ValueError as e:\n  x = str(e)\nx", {"_penstock_value": refuse}
    )
    assert json.loads(turn.answer) == "no such token"
