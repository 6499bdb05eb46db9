"""Schemas with fewer words: first without those that a model can guess, then without all.

A shorter schema has the same properties, types and choices as the original, and requires the same.
It only says less about them, and may admit more. Calls are checked against the original.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.names import HEADER_KEY
from penstock.disclosure.schemas.slimming import slim
from penstock.disclosure.schemas.survey import BY_NAME, BY_POSITION, SINGLE
from penstock.disclosure.schemas.telling import tells_more

_DEEPEST: Final = 50
# A model fills a parameter without these. A tool that has other needs refuses the call, and the
# gate then answers with the whole description.
_UNNEEDED: Final = frozenset(
    {"title", "default", "examples", "example", "deprecated", "$comment", "pattern", "minLength",
     "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
     "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "propertyNames"}
)  # fmt: skip
# Returns the words for a property, from its name and its description.
Words = Callable[[str, str], str]


def lean_schema(tool: DescribedTool, words: Words = lambda _, said: said) -> Any:
    """Return the schema without the descriptions that the names of tool and parameter make
    superfluous. `words` shortens the others."""

    def needed(name: str, said: str) -> str:
        return words(name, said) if tells_more(said, name, tool.name) else ""

    return _Shearing(needed, frozenset()).schema(slim(tool.schema))


def bare_schema(tool: DescribedTool) -> Any:
    """Return the schema with names, types and choices alone."""
    return _Shearing(lambda _, __: "", _UNNEEDED).schema(slim(tool.schema))


class _Shearing:
    """A walk over a schema that shortens its words and drops some keywords."""

    def __init__(self, words: Words, dropped: frozenset[str]) -> None:
        self._words = words
        self._dropped = dropped

    def schema(self, schema: Any, name: str = "", depth: int = 0) -> Any:
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return schema
        kept: dict[str, Any] = {}
        for key, value in schema.items():
            if key == "description" and isinstance(value, str):
                if told := self._words(name, value):
                    kept[key] = told
            elif HEADER_KEY in schema or not self._is_dropped(key, value):
                kept[key] = self._below(key, value, depth + 1)
        return kept

    def _is_dropped(self, key: str, value: Any) -> bool:
        is_closed = key == "additionalProperties" and value is False
        return key in self._dropped or (bool(self._dropped) and is_closed)

    def _below(self, key: str, value: Any, depth: int) -> Any:
        if key in BY_NAME and isinstance(value, Mapping):
            return {name: self.schema(item, name, depth) for name, item in value.items()}
        if key in BY_POSITION and isinstance(value, list):
            return [self.schema(item, "", depth) for item in value]
        return self.schema(value, "", depth) if key in SINGLE else value
