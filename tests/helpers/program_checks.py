"""The type check that a program's calls go through before it runs."""

import json
from functools import cache

from pydantic_monty import Monty, MontyTypingError

IMPORTS = "from typing import Any, Literal\n"


@cache
def _pool():
    return Monty().__enter__()


def objections(stubs, *lines):
    """Return what the sandbox's type checker says about a program of these lines."""
    program = "async def _program_():\n" + "".join(f"    {line}\n" for line in lines)
    with _pool().checkout(
        type_check=True, type_check_stubs=IMPORTS + stubs, type_check_format="json"
    ) as session:
        try:
            session.feed_start(program)
        except MontyTypingError as error:
            return [each["message"] for each in json.loads(str(error))]
    return []
