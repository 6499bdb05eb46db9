"""What Penstock's own tools are called, beside those of a server; a name in schemas, and the codes of
errors."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

FIND: Final = "find_tools"
DESCRIBE: Final = "describe_tools"
CALL_READ_ONLY: Final = "call_read_only_tool"
CALL: Final = "call_tool"
OWN_NAMES: Final = (FIND, DESCRIBE, CALL_READ_ONLY, CALL)
_PREFIX: Final = "penstock_"
# In a schema: a parameter that an HTTP client must repeat in a header.
HEADER_KEY: Final = "x-mcp-header"
MISSING_SELECTION: Final = "MISSING_TOOL_SELECTION"
DESCRIPTION_REQUIRED: Final = "TOOL_DESCRIPTION_REQUIRED"


def own_names(taken: Collection[str]) -> dict[str, str]:
    """What each of our tools is called, where the server may have one of that name."""
    return {name: free_name(name, taken) for name in OWN_NAMES}


def free_name(name: str, taken: Collection[str]) -> str:
    """This name, or one like it that the server has not taken."""
    while name in taken:
        name = _PREFIX + name
    return name


def is_called(name: str, role: str) -> bool:
    """Whether a tool of this name can be ours in that role, whatever the server has taken."""
    return name.endswith(role) and not name.removesuffix(role).replace(_PREFIX, "")
