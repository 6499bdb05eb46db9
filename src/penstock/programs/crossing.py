"""Values that cannot cross the wall of a sandbox as they are.

The sandbox library gives its host the `repr` of a value that the host's Python lacks, as a text. The
answer of a program is made JSON inside (`inside.py`). The arguments of a tool's function cannot be,
so texts that look like such a `repr` are found here.

On the way in, a text must be UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from penstock.core.json.surrogates import without_half_pairs

_REPR: Final = re.compile(
    r"range\(-?\d+, -?\d+(, -?\d+)?\)"
    r"|dict_(keys|values|items)\(\[.*\]\)"
    r"|<coroutine external_future\(\d+\)>|<(function|module|class) '.*>"
    r"|<(bound method|built-in \w+) .*>|<[\w.]+ object( at 0x\w+|;.*)?>",
    re.DOTALL,
)


def has_no_json_form(value: Any) -> bool:
    """Return whether a value holds a text that stands for something else."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            if item[:1] in "<rd" and _REPR.fullmatch(item):
                return True
        elif isinstance(item, Mapping):
            pending.extend(item.values())
        elif isinstance(item, list | tuple | set | frozenset):
            pending.extend(item)
    return False


def in_utf8(value: Any) -> Any:
    """Return a value of JSON in which a replacement character stands for each half pair."""
    if isinstance(value, str):
        return without_half_pairs(value)
    if isinstance(value, list):
        return [in_utf8(item) for item in value]
    if isinstance(value, dict):
        return {in_utf8(name): in_utf8(item) for name, item in value.items()}
    return value
