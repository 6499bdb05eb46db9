"""Lists of tools that were saved as JSON.

A file holds a `tools/list` result, its `tools` alone, or the whole JSON-RPC response.
"""

from __future__ import annotations

import codecs
from typing import Final

from penstock.core.json import rawjson
from penstock.errors import PenstockError
from penstock.relay.tool_lists import Listed, tools_in
from penstock.wire import messages

# PowerShell writes the first of these by default.
_MARKS: Final = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_SHOWN: Final = 300


class NoToolList(PenstockError):
    """The file holds no list of tools."""

    next_step = 'Give a tools/list result saved as JSON: {"tools": […]}, or a list of tools.'


def saved_tools(data: bytes, name: str) -> tuple[Listed, bool]:
    """Return the tools, and whether the list is whole: a result may name a next page."""
    try:
        document = rawjson.compact(_utf8(data))
    except (ValueError, RecursionError) as error:
        raise NoToolList(f"{name} is not JSON: {error}.") from error
    if document.startswith(b"["):
        return Listed(tuple(tools_in(document))), True
    members = messages.members_of(document)
    if "error" in members and "result" not in members:
        told = bytes(members["error"]).decode("utf-8", "replace")
        raise NoToolList(f"{name} is an error response: {told[:_SHOWN]!r}.")
    result = messages.members_of(members["result"]) if "result" in members else members
    if "tools" not in result or not bytes(result["tools"]).startswith(b"["):
        raise NoToolList(f"{name} holds no list of tools.")
    return Listed(tuple(tools_in(result["tools"]))), messages.text_of(result, "nextCursor") is None


def _utf8(data: bytes) -> bytes:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding).encode("utf-8", "surrogatepass")
    return data.removeprefix(codecs.BOM_UTF8)
