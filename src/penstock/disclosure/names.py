"""The names of Penstock's own tools, of a keyword in schemas, and of error codes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

FIND: Final = "find_tools"
DESCRIBE: Final = "describe_tools"
CALL_READ_ONLY: Final = "call_read_only_tool"
CALL: Final = "call_tool"
OWN_NAMES: Final = (FIND, DESCRIBE, CALL_READ_ONLY, CALL)
RUN: Final = "run_python"
RUN_WRITES: Final = "run_python_with_writes"
PROGRAM_NAMES: Final = (RUN, RUN_WRITES)
_PREFIX: Final = "penstock_"
# In a schema, marks a parameter that an HTTP client must repeat in a header.
HEADER_KEY: Final = "x-mcp-header"
MISSING_SELECTION: Final = "MISSING_TOOL_SELECTION"
DESCRIPTION_REQUIRED: Final = "TOOL_DESCRIPTION_REQUIRED"


def own_names(taken: Collection[str]) -> dict[str, str]:
    """Return a name for each of Penstock's own tools that no tool of the server has."""
    return {name: free_name(name, taken) for name in OWN_NAMES}


def free_name(name: str, taken: Collection[str]) -> str:
    """Return this name, with a prefix if the server has a tool of that name."""
    while name in taken:
        name = _PREFIX + name
    return name


def is_called(name: str, role: str) -> bool:
    """Return whether `own_names` could give this name to that role, for any server."""
    return name.endswith(role) and not name.removesuffix(role).replace(_PREFIX, "")
