"""The source of a program, changed so that its answer is JSON and its calls are quick.

The answer is the last expression, or the value of a `return` outside functions; it goes through
`ANSWER`. Whatever a program awaits goes through `AWAIT`, which takes a value as well as an awaitable:
then the host can answer a call at once, and not by way of a future. The changes keep every line in
its place, so that errors name the lines of the program as it was written.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

# The code that a sandbox runs first, the part of it that programs should not change, and the functions
# in that part that are put into programs.
PRELUDE: Final = Path(__file__).with_name("inside.py").read_text("utf-8")
OWN: Final = PRELUDE.partition("\n# -- the functions in scope")[0]
OWN_PREFIX: Final = "_penstock_"
ANSWER: Final = f"{OWN_PREFIX}answer"
AWAIT: Final = f"{OWN_PREFIX}await"
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_GATHER: Final = "gather"  # no other function of the sandbox runs calls at the same time


class RewrittenProgram(NamedTuple):
    """A program as the sandbox gets it."""

    code: bytes
    may_gather: bool
    unawaited: tuple[str, int] | None = None  # a call that does nothing without `await`: its line
    names: frozenset[str] = frozenset()  # that the program assigns or defines

    def is_awaited(self, start: int) -> bool:
        """Return whether the expression that begins there is awaited where it stands."""
        return self.code.endswith(f"{AWAIT}((".encode(), 0, start)


class _Insertion(NamedTuple):
    """A text to insert. Of two in one place, the one with the lower rank comes first."""

    line: int
    column: int
    rank: int
    text: bytes


def rewritten(code: str) -> RewrittenProgram:
    """Return a program with the changes.

    Return a program that this Python cannot read as it is. The sandbox then reports the error, or
    knows newer syntax.
    """
    may_gather = _GATHER in code
    try:
        code = code.replace("\r\n", "\n").replace("\r", "\n")
        tree = ast.parse(code)
        lines = code.encode().split(b"\n")
        insertions = sorted(_insertions(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return RewrittenProgram(code.encode("utf-8", "replace"), may_gather)
    for line, column, _, text in reversed(insertions):
        lines[line] = lines[line][:column] + text + lines[line][column:]
    return RewrittenProgram(
        b"\n".join(lines), may_gather, _unawaited(tree), frozenset(_defined(tree))
    )


def lines_of(code: str) -> list[str]:
    """Return the lines of a program, as Python counts them."""
    return code.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _unawaited(tree: ast.Module) -> tuple[str, int] | None:
    """Return a statement that only calls an asynchronous function, and does not await it."""
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.AsyncFunctionDef)}
    own -= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = node.value.func
            name = function.attr if isinstance(function, ast.Attribute) else ""
            name = function.id if isinstance(function, ast.Name) else name
            if (isinstance(function, ast.Name) and name in own) or name == _GATHER:
                return name, node.lineno
    return None


def _defined(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a program assigns, defines or imports, at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]


def _insertions(tree: ast.Module) -> Iterator[_Insertion]:
    """Yield what to insert. In one place, inner parts end before outer ones, and begin after."""
    for depth, (function, value) in enumerate(_wrapped(tree), 1):
        first, start = value.lineno - 1, value.col_offset
        last, end = (value.end_lineno or value.lineno) - 1, value.end_col_offset or 0
        yield _Insertion(first, start, depth, f"{function}((".encode())
        yield _Insertion(last, end, -depth, b"))")


def _wrapped(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the function to put around each expression that needs one, outer expressions first."""
    for value in _answers(tree):
        yield ANSWER, value
    pending: deque[ast.AST] = deque([tree])
    while pending:
        node = pending.popleft()
        if isinstance(node, ast.Await) and isinstance(node.value, ast.Call):
            yield AWAIT, node.value
        if not isinstance(node, ast.JoinedStr):  # older Pythons misplace what is in f-strings
            pending.extend(ast.iter_child_nodes(node))


def _answers(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the expressions whose values are answers."""
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        yield tree.body[-1].value
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value
        elif not isinstance(node, _FUNCTIONS):
            pending.extend(ast.iter_child_nodes(node))
