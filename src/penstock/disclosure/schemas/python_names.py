"""The names by which a program calls tools, and those that mean something else in a program."""

from __future__ import annotations

import builtins
import keyword
from typing import Final

from penstock.core.model.program import FUNCTIONS

# The modules that a program may import. A tool of the same name would be lost by the import.
IMPORTABLE: Final = (
    "asyncio", "base64", "bisect", "collections", "copy", "csv", "dataclasses", "datetime",
    "decimal", "functools", "hashlib", "itertools", "json", "math", "random", "re", "time",
    "tomllib", "unicodedata",
)  # fmt: skip
_IN_STUBS: Final = ("Any", "Literal")
_TAKEN: Final = frozenset({*FUNCTIONS, *IMPORTABLE, *_IN_STUBS, *dir(builtins)})


def python_name(tool_name: str) -> str | None:
    """Return the name of the function that calls a tool, or None if a program must write
    `call("name", {...})`."""
    is_private = tool_name.startswith("_")
    return (
        tool_name if _is_plain(tool_name) and not is_private and tool_name not in _TAKEN else None
    )


def is_keyword_argument(name: str) -> bool:
    """Return whether a parameter can be given by its name. Type checkers take a parameter that
    begins with two underscores for a positional one."""
    return _is_plain(name) and not name.startswith("__")


def _is_plain(name: str) -> bool:
    """Return whether this is a name of Python's. Python changes some names that are not ASCII."""
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)
