"""The reader of a Penstock behind this one, as upstream's list shows it.

A claim proves nothing, and nothing that matters for safety depends on it: a false reader only saves
an entry in the list, and gets tokens that open nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from penstock.core.views.request import TOKEN_FIELD
from penstock.wire.reader import reader_name

_FIELDS: Final = frozenset({TOKEN_FIELD, "mode", "query", "page_size"})  # of every version's reader


class HasSchema(Protocol):
    """A tool of upstream's."""

    @property
    def schema(self) -> Mapping[str, Any]: ...


def shared_name(tools: Mapping[str, HasSchema]) -> str:
    """Return a name for our reader that no tool of upstream's has, except a reader like ours."""
    return reader_name([name for name, tool in tools.items() if not _is_reader(name, tool)])


def _is_reader(name: str, tool: HasSchema) -> bool:
    if "_result" not in name:
        return False  # do not decode the schema
    properties = tool.schema.get("properties")
    has_fields = isinstance(properties, dict) and properties.keys() >= _FIELDS
    return has_fields and tool.schema.get("required") == [TOKEN_FIELD]
