"""The source of a program, changed so that its answer is JSON.

The answer is the last expression, or the value of a `return` outside functions. The change keeps
every line in its place, so that errors name the lines of the program as it was written.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

# The code that a sandbox runs first, the part of it that no program may change, and the function in
# that part that every answer goes through.
PRELUDE: Final = Path(__file__).with_name("inside.py").read_text("utf-8")
OWN: Final = PRELUDE.partition("\n# -- the functions in scope")[0]
ANSWER: Final = "_penstock_answer"
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def with_answer(code: str) -> str:
    """Return a program whose answer is that of `ANSWER`.

    Return a program that this Python cannot read as it is. The sandbox then reports the error, or
    knows newer syntax.
    """
    try:
        code = code.replace("\r\n", "\n").replace("\r", "\n")
        tree = ast.parse(code)
        lines = code.encode().split(b"\n")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    for value in sorted(_answers(tree), key=lambda node: (node.lineno, node.col_offset))[::-1]:
        _wrap(lines, value)
    return b"\n".join(lines).decode()


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


def _wrap(lines: list[bytes], value: ast.expr) -> None:
    """Put a call of `ANSWER` around an expression. Work from the end, so that the start stays."""
    last, end = (value.end_lineno or value.lineno) - 1, value.end_col_offset or 0
    lines[last] = lines[last][:end] + b"))" + lines[last][end:]
    first, start = value.lineno - 1, value.col_offset
    lines[first] = lines[first][:start] + f"{ANSWER}((".encode() + lines[first][start:]
