"""Values that lose their type on the way out of a sandbox.

The sandbox library gives its host the `repr` of a value that the host's Python lacks, as a text. The
answer of a program is made JSON inside (`inside.py`). The arguments of a tool's function cannot be,
so texts that look like such a `repr` are found here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

_REPR: Final = re.compile(
    r"range\(-?\d+, -?\d+(, -?\d+)?\)"
    r"|dict_(keys|values|items)\(\[.*\]\)"
    r"|<(coroutine|function|bound method|built-in|class|module|itertools\.|re\.)[^<>]*>+"
    r"|<[\w.]+ object[^<>]*>",
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
