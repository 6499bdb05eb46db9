"""The reader of a Penstock behind this one, as upstream's list shows it.

A claim proves nothing, and nothing that matters for safety depends on it: a false reader only saves
an entry in the list, and gets tokens that open nothing here. It has to be there when a client is
first told of the reader: see `pinned_names`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from penstock.core.views.request import TOKEN_FIELD
from penstock.wire.reader import reader_name

_FIELDS: Final = frozenset({TOKEN_FIELD, "mode", "query"})  # of every version's, and of a short one


class HasSchema(Protocol):
    """A tool of upstream's."""

    @property
    def schema(self) -> Mapping[str, Any]: ...


def shared_name(tools: Mapping[str, HasSchema]) -> str:
    """Return a name for our reader that no tool of upstream's has, except a reader like ours."""
    return reader_name([name for name, tool in tools.items() if not is_reader(name, tool)])


def is_reader(name: str, tool: HasSchema) -> bool:
    """Return whether a tool of upstream's looks like a reader."""
    if "_result" not in name:
        return False  # do not decode the schema
    properties = tool.schema.get("properties")
    has_fields = isinstance(properties, dict) and properties.keys() >= _FIELDS
    return has_fields and tool.schema.get("required") == [TOKEN_FIELD]
