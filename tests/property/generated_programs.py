"""Generated programs over generated tools, and what they do in CPython with the same functions."""

import ast
import asyncio
import inspect
import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b", "c", "d")
WORDS = ("pump", "valve 7", "", "é水", "x" * 40)


@dataclass
class Tools:
    """The functions that a program calls. They note every call, in order."""

    made: list[tuple[str, str]] = field(default_factory=list)

    def note(self, tool: str, arguments: dict[str, Any]) -> None:
        self.made.append((tool, json.dumps(arguments, sort_keys=True)))

    def echo(self, of: Any) -> Any:
        self.note("echo", {"of": of})
        return {"got": of}  # a text by itself could be data, which a program gets decoded

    def nest(self, n: int) -> Any:
        self.note("nest", {"n": n})
        return {"n": n, "rows": [{"id": i, "tags": [str(i), None, i / 2]} for i in range(n)]}

    def fails(self, why: str) -> Any:
        self.note("fails", {"why": why})
        raise RuntimeError(f"fails: {why or 'the tool failed'}")

    def functions(self) -> dict[str, Any]:
        async def echo(of: Any) -> Any:
            return plain(self.echo(plain(of)))

        async def nest(n: int) -> Any:
            return self.nest(n)

        async def fails(why: str) -> Any:
            return self.fails(why)

        return {"echo": echo, "nest": nest, "fails": fails}


def plain(value: Any) -> Any:
    """Return a value as JSON gives it back."""
    return json.loads(json.dumps(value))


# -- programs ----------------------------------------------------------------------------------


def values() -> st.SearchStrategy[str]:
    """Return expressions without calls. Every name is defined, and is of any type."""
    leaves = st.one_of(
        st.integers(-5, 9).map(str),
        st.sampled_from(WORDS).map(repr),
        st.sampled_from(("None", "True", "1.5", "10**20", "-0.0")),
        st.sampled_from(NAMES),
    )
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
            st.tuples(inner, inner).map(lambda pair: f"{{'k': {pair[0]}, 'l': {pair[1]}}}"),
            st.tuples(inner, inner).map(lambda pair: f"({pair[0]} if {pair[1]} else 'no')"),
            inner.map(lambda value: f"str({value})"),
            inner.map(lambda value: f"len(str({value}))"),
            inner.map(lambda value: f"sorted(str({value}))[:3]"),
            inner.map(lambda value: f"[q for q in range(4) if q != {value}]"),
            inner.map(lambda value: f"{{str(q): {value} for q in range(2)}}"),
            inner.map(lambda value: f"f'{{{_unquoted(value)}}}!'"),
        ),
        max_leaves=4,
    )


def _unquoted(value: str) -> str:
    return "a" if set(value) & set("'\"{}\\") else value


def calls() -> st.SearchStrategy[str]:
    """Return expressions that await one call."""
    return st.one_of(
        values().map(lambda value: f"await echo(of={value})"),
        values().map(lambda value: f"await echo({value})"),
        st.integers(0, 4).map(lambda n: f"await nest(n={n})"),
        values().map(lambda value: f"await call('echo', {{'of': {value}}})"),
        values().map(lambda value: f"await twice({value})"),
        st.sampled_from(WORDS).map(lambda why: f"await fails(why={why!r})"),
    )


def gathers() -> st.SearchStrategy[str]:
    """Return expressions that await several calls at once."""
    one = st.one_of(
        values().map(lambda value: f"echo(of={value})"),
        st.integers(0, 4).map(lambda n: f"nest({n})"),
        values().map(lambda value: f"tried({value})"),
    )
    many = st.integers(0, 12).map(lambda n: f"*[echo(of=[i, a]) for i in range({n})]")
    return st.lists(st.one_of(one, many), max_size=4).map(
        lambda parts: f"await asyncio.gather({', '.join(parts)})"
    )


def statements(depth: int = 2) -> st.SearchStrategy[list[str]]:
    """Return the lines of one statement."""
    names = st.sampled_from(NAMES)
    assigned = st.tuples(names, st.one_of(values(), calls(), calls(), gathers()))
    simple = st.one_of(
        assigned.map(lambda pair: [f"{pair[0]} = {pair[1]}"]),
        values().map(lambda value: [f"print({value})"]),
        st.tuples(names, values()).map(
            lambda pair: [f"{pair[0]} = [str({pair[0]})[:20], str({pair[1]})[:20]]"]
        ),
    )
    if not depth:
        return simple
    blocks = st.lists(statements(depth - 1), min_size=1, max_size=3).map(_indented)
    return st.one_of(
        simple,
        simple,
        st.tuples(st.integers(0, 3), blocks).map(lambda p: [f"for i in range({p[0]}):", *p[1]]),
        st.tuples(values(), blocks, blocks).map(lambda p: [f"if {p[0]}:", *p[1], "else:", *p[2]]),
        st.tuples(blocks, names).map(
            lambda p: ["try:", *p[0], "except RuntimeError as error:", f"    {p[1]} = str(error)"]
        ),
        st.tuples(blocks, blocks).map(lambda p: ["try:", *p[0], "finally:", *p[1]]),
        st.tuples(st.integers(0, 3), blocks).map(
            lambda p: [f"n{depth} = 0", f"while n{depth} < {p[0]}:", f"    n{depth} += 1", *p[1]]
        ),
    )


def _indented(block: list[list[str]]) -> list[str]:
    return ["    " + line for lines in block for line in lines]


_OPENING = """\
import asyncio
a, b, c, d = 1, "two", [3], None
async def twice(x):
    return [await echo(of=x), await echo(of=[x])]
async def tried(x):
    try:
        await echo(of=x)
        return await fails(why=str(x))
    except RuntimeError as error:
        return str(error)
"""


def programs() -> st.SearchStrategy[str]:
    body = st.lists(statements(), min_size=1, max_size=6)
    return body.map(
        lambda parts: (
            _OPENING + "\n".join(line for lines in parts for line in lines) + "\n[a, b, c, d]"
        )
    )


# -- CPython -----------------------------------------------------------------------------------


@dataclass
class Outcome:
    value: Any = None
    error: str = ""
    printed: str = ""


def in_cpython(code: str, tools: Tools) -> Outcome:
    """Run a program in this Python, with the same functions."""
    printed: list[str] = []
    functions = tools.functions()

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        return await functions[name](**arguments)

    scope = {
        **functions,
        "call": call,
        "print": lambda *args: printed.append(" ".join(map(str, args)) + "\n"),
    }
    body, _, last = code.rpartition("\n")
    compiled = compile(
        f"{body}\n_answer = {last}", "program", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    )
    try:
        running = eval(compiled, scope)  # noqa: S307 (a program made above)
        if inspect.iscoroutine(running):
            asyncio.run(running)
    except Exception as error:  # noqa: BLE001 (any failure is the outcome)
        return Outcome(error=f"{type(error).__name__}: {error}", printed="".join(printed))
    return Outcome(plain(scope["_answer"]), printed="".join(printed))
