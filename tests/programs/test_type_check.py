"""A wrong call is refused before anything has run."""

import pytest

from penstock.core.model.program import Scope
from penstock.programs.type_check import wrong_call

SCOPE = Scope(
    frozenset({"echo"}),
    frozenset({"delete"}),
    ('async def echo(text: str, kind: Literal["a", "b"] = ..., n: float = ...) -> Any: ...',),
)
WRONG = {
    "await echo()": "No argument provided for required parameter text",
    "await echo(txt='a')": "txt does not match",
    "await echo(text=3)": "Expected str",
    "await echo(text='a', kind='c')": 'Expected Literal["a", "b"]',
    "await echo('a', 'b', 1, 2)": "Too many positional",
    "for n in range(3):\n    await echo('a', text='b')": "Multiple values",
    "await delete(path='x')": "delete may write",
    "f = delete": "delete may write",
}


@pytest.mark.parametrize("code", WRONG)
def test_a_wrong_call_is_reported_with_its_line(sandbox, code):
    found = wrong_call(sandbox, f"x = 1\n{code}", SCOPE)
    assert WRONG[code] in found.error
    assert found.line == 1 + len(code.splitlines())
    assert found.source == code.splitlines()[-1].strip()


RIGHT = [
    "for job in [{'text': 'a', 'n': 2}]:\n    await echo(text=job['text'], n=job['n'])",
    "await echo(**{'text': 'a', 'n': 2})",
    "base = {'text': 'a'}\nawait echo(**base, n=1)",
    "await echo(text={'x': 's'}.get('x'))",
    "await echo(text=next((t for t in ['a']), None))",
    "def f(k, n=None):\n    return echo(text=k, n=n)\nawait f('a', 1)",
    "ref = f'@result:{1}'\nawait echo(text='a', n=ref)",
    "await echo(text='a', n='@result:pen_1')",
    "await echo('a')",
    "await echo(text='a', kind='b', n=1)",
    "earlier[0].anything",  # a variable of an earlier program
    "total = total + 1",
    "delete = 5\ndelete",  # the program's own
    "def delete():\n    return 1\ndelete()",
    "row = await echo('a')\nrow['x'].sort(key=lambda v: v['y'])\nsum(r for r in row)",
    "import nothing_like_this",  # the run reports it
    "x = = 1",
    's = """\nno indentation\n"""\ns',
    "if True:\n\tx = 1\nx",
    "class A:\n    pass\nA().x",
]


@pytest.mark.parametrize("code", RIGHT)
def test_anything_else_is_left_to_the_run(sandbox, code):
    assert wrong_call(sandbox, code, SCOPE) is None


def test_variables_of_earlier_programs_are_not_taken_for_tools(sandbox):
    known = SCOPE.without(frozenset({"delete", "echo"}))
    assert wrong_call(sandbox, "delete + 1\necho(1, 2, 3, 4)", known) is None


def test_a_program_that_takes_the_checker_long_is_run_unchecked(sandbox):
    lines = "".join(f"    if y[{n}]:\n        x = [x, {n}]\n" for n in range(40))
    code = f"x = 0\nfor _ in y:\n{lines}await echo()"
    assert wrong_call(sandbox, code, SCOPE) is None
    assert wrong_call(sandbox, "await echo()", SCOPE) is not None
