"""A check of a program's calls against the signatures of tools, before anything runs.

The sandbox's type checker reads the program as the body of a function that nobody calls. It finds
more than wrong calls, and does not know the variables of earlier programs. So only its words about
calls of tools count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any, Final

from penstock.core.model.program import Broken, Scope
from penstock.programs.failures import source_line
from penstock.programs.sandbox import Sandbox
from penstock.programs.source import lines_of

_ABOUT_CALLS: Final = frozenset(
    {
        "missing-argument",
        "unknown-argument",
        "too-many-positional-arguments",
        "parameter-already-assigned",
    }
)
_WRONG_TYPE: Final = "invalid-argument-type"
_WRITTEN_OUT: Final = re.compile(r"found `Literal\[[^`|]*\]`")
_UNDEFINED: Final = "unresolved-reference"
_FUNCTION: Final = re.compile(r"function `(\w+)`")
_NAME: Final = re.compile(r"`(\w+)`")
_HEADER: Final = "from typing import Any, Literal\n"
_OPENING: Final = "async def _program():\n"
_MOST_TOLD: Final = 3
_FORBIDDEN: Final = "{} may write, and this program may only read"
_REFERENCE: Final = "@result:"  # may stand for a value of any type


def wrong_call(sandbox: Sandbox, code: str, scope: Scope) -> Broken | None:
    """Return why a program must not run: it calls a tool wrongly, or one that it may not call."""
    if not scope.stubs and not scope.forbidden:
        return None
    body = "".join(f" {line}\n" for line in lines_of(code))
    found = sandbox.check(_OPENING + body + " pass\n", _HEADER + "\n".join(scope.stubs))
    if not found:
        return None
    told = [*_told(json.loads(found), scope)]
    if not told:
        return None
    line, _, step = told[0]
    error = "; ".join(dict.fromkeys(text for _, text, _ in told[:_MOST_TOLD]))
    return Broken(f"{error}. Nothing was run.", step, line, source_line(code, line))


def _told(diagnostics: list[dict[str, Any]], scope: Scope) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the error and the next step of each diagnostic that counts."""
    for found in diagnostics:
        line, message = found["location"]["row"] - 1, str(found["message"])
        if found["code"] == _UNDEFINED and (name := _named(_NAME, message, scope.forbidden)):
            yield line, _FORBIDDEN.format(name), scope.how_to_write
        elif _is_sure(found["code"], message) and _named(_FUNCTION, message, scope.tools):
            yield line, message.replace("`", ""), ""


def _is_sure(rule: str, message: str) -> bool:
    """Return whether a call is wrong for certain. Of a variable, the checker knows only what types it
    may have, so a type counts only where a value is written out."""
    if rule == _WRONG_TYPE:
        return _WRITTEN_OUT.search(message) is not None and _REFERENCE not in message
    return rule in _ABOUT_CALLS


def _named(pattern: re.Pattern[str], message: str, names: Collection[str]) -> str:
    named = pattern.search(message)
    return named[1] if named is not None and named[1] in names else ""
