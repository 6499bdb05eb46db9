"""A heavy function as type checkers, editors and `inspect` see it."""

import inspect
import subprocess
import sys
from typing import Any

import pytest

from penstock import heavy

TYPED = """
from collections.abc import AsyncIterator, Iterator

from penstock import heavy


@heavy
def plain(count: int, name: str = "a") -> list[int]:
    return [count]


@heavy(budget="10kB", page_size=5, ttl="5m", modes=["paginated", "sql"])
async def with_options(count: int) -> dict[str, int]:
    return {"count": count}


@heavy()
def rows(count: int) -> Iterator[int]:
    yield count


@heavy
async def async_rows(count: int) -> AsyncIterator[int]:
    yield count


class Source:
    @heavy
    def method(self, count: int) -> list[int]:
        return [count]


reveal_type(plain)
reveal_type(with_options)
reveal_type(rows)
reveal_type(async_rows)
reveal_type(Source().method)
"""
REVEALED = [
    "def (count: int, name: str =) -> list[int]",
    "def (count: int) -> typing.Coroutine[Any, Any, dict[str, int]]",
    "def (count: int) -> typing.Iterator[int]",
    "def (count: int) -> typing.AsyncIterator[int]",
    "def (count: int) -> list[int]",
]
MISTAKES = {
    'plain("x")': "arg-type",
    "plain()": "call-arg",
    "plain(1, colour=2)": "call-arg",
    "heavy(colour=1)": "call-overload",
    "heavy(page_size=[1])": "call-overload",
}


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Return mypy's report on the functions above, and on wrong uses of them."""
    folder = tmp_path_factory.mktemp("typed")
    path = folder / "typed.py"
    path.write_text(TYPED + "\n".join(MISTAKES) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", path.name]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not said.stderr, said.stderr
    return said.stdout.splitlines()


def test_a_heavy_function_keeps_its_type(checked):
    notes = [line for line in checked if "Revealed type" in line]
    assert [line.split('"')[1] for line in notes] == REVEALED


def test_mistakes_are_found(checked):
    first = len(TYPED.splitlines()) + 1
    for number, (mistake, code) in enumerate(MISTAKES.items()):
        found = [line for line in checked if line.startswith(f"typed.py:{first + number}: error")]
        assert any(f"[{code}]" in line for line in found), (mistake, checked)
    errors = {line.split(":")[1] for line in checked if ": error:" in line}
    assert errors == {str(first + number) for number in range(len(MISTAKES))}


def test_inspect_sees_the_own_parameters_first():
    @heavy
    def function(count: int, *, name: str = "a") -> list[int]:
        """Says what it does."""
        return [count]

    assert list(inspect.signature(function).parameters)[:2] == ["count", "name"]
    assert function.__name__ == "function"
    assert function.__doc__ == "Says what it does."
    assert function.__module__ == __name__
    assert inspect.unwrap(function) is function.__wrapped__
    assert not inspect.iscoroutinefunction(function)


def test_inspect_sees_whether_it_is_awaited():
    @heavy
    async def coroutine(count: int) -> list[int]:
        return [count]

    @heavy
    async def generator(count: int) -> Any:
        yield count

    assert inspect.iscoroutinefunction(coroutine)
    assert inspect.iscoroutinefunction(generator)


def test_an_own_token_leaves_the_signature_alone():
    @heavy
    def function(continuation_token: str = "", count: int = 1) -> list[int]:
        return [count]

    assert list(inspect.signature(function).parameters) == ["continuation_token", "count"]


def test_own_names_are_not_added_twice():
    @heavy
    def function(mode: str, query: str, page: int) -> list[str]:
        return [mode, query, str(page)]

    names = list(inspect.signature(function).parameters)
    assert names[:3] == ["mode", "query", "page"]
    assert len(names) == len(set(names)) == 7
