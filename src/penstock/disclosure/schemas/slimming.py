"""Schemas without the noise that generators leave in them.

A model pays for noise and learns nothing from it: titles that repeat a name, defaults of null, and
a union with null around an optional property.

A slim schema admits what the original admits, except null for an optional property, which the agent
can leave out instead. Anything that is not certainly noise stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from penstock.disclosure.schemas.survey import (
    BY_NAME,
    BY_POSITION,
    DEFINITIONS,
    SINGLE,
    SchemaSurvey,
    survey,
)

# Deeper levels are shown unchanged: a level takes four of Python's thousand stack frames.
_DEEPEST: Final = 50
_AUTOMATIC_ENDINGS: Final = ("Arguments", "Args", "Parameters", "Params", "Input", "Output")
_ANNOTATIONS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
     "$comment"}
)  # fmt: skip
_EXTENSION: Final = "x-"
_NULL: Final = {"type": "null"}


def slim(schema: Any) -> Any:
    """Return a schema for a model to read. It may share parts with the given schema."""
    if not isinstance(schema, Mapping):
        return schema
    found = survey(schema)
    shown = {
        key: _used(key, value, found) if key in DEFINITIONS else value
        for key, value in schema.items()
        if key != "$schema" and not (key == "title" and _is_automatic(value))
    }
    unused = {key for key in DEFINITIONS & shown.keys() if shown[key] == {}}
    return _Slimmer(found).schema({key: shown[key] for key in shown if key not in unused})


def _used(key: str, definitions: Any, found: SchemaSurvey) -> Any:
    if not isinstance(definitions, Mapping) or found.has_named_places:
        return definitions
    return {name: item for name, item in definitions.items() if (key, name) in found.definitions}


def _is_automatic(title: Any) -> bool:
    """Return whether a generator made this title for arguments: addArguments, AddParams."""
    return isinstance(title, str) and title.isidentifier() and title.endswith(_AUTOMATIC_ENDINGS)


class _Role(NamedTuple):
    """The role of a schema in the schema around it."""

    name: Any = ""  # of the property or definition; empty if the schema is neither
    is_optional: bool = False


_NO_ROLE: Final = _Role()


@dataclass(frozen=True, slots=True)
class _Slimmer:
    found: SchemaSurvey

    def schema(self, schema: Any, depth: int = 0, role: _Role = _NO_ROLE) -> Any:
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return schema
        role = role._replace(is_optional=role.is_optional and self._is_free(schema))
        kept = {
            key: self._below(key, value, schema, depth + 1, role)
            for key, value in schema.items()
            if not self._is_noise(key, value, role.name)
        }
        return _without_null(kept) if role.is_optional else kept

    def _below(
        self, key: str, value: Any, schema: Mapping[str, Any], depth: int, role: _Role
    ) -> Any:
        if key in BY_NAME and isinstance(value, Mapping):
            optional = self.found.optional(schema) if key == "properties" else set()
            return {
                name: self.schema(item, depth, _Role(name, name in optional))
                for name, item in value.items()
            }
        if key in BY_POSITION and isinstance(value, list):
            role = role if key == "anyOf" else _NO_ROLE
            return [self.schema(item, depth, role) for item in value]
        return self.schema(value, depth) if key in SINGLE else value

    def _is_free(self, schema: Mapping[str, Any]) -> bool:
        """Return whether no reference leads to this schema or into it."""
        return not self.found.has_named_places and id(schema) not in self.found.places

    def _is_noise(self, key: str, value: Any, name: Any) -> bool:
        match key:
            case "title":
                return repeats(value, name)
            case "default":
                return value is None
            case "required":
                return isinstance(value, list) and not value
            case "additionalProperties":
                return value is True and self._is_openness_implied()
        return False

    def _is_openness_implied(self) -> bool:
        """Return whether `additionalProperties: true` has no effect. It has one if
        `unevaluatedProperties` is used, or if a reference leads to it."""
        return (
            "unevaluatedProperties" not in self.found.keywords and id(True) not in self.found.places
        )


def repeats(title: Any, name: Any) -> bool:
    """Return whether a generator made this title from the name: User Id from user_id."""
    is_text = isinstance(title, str) and isinstance(name, str)
    return is_text and _letters(title) == _letters(name) != ""


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Remove null from the types and from the options, unless it is the only one."""
    types, options = schema.get("type"), schema.get("anyOf")
    if isinstance(types, list) and "null" in types:
        left = [kind for kind in types if kind != "null"] or types
        schema = {**schema, "type": left[0] if len(left) == 1 else left}
    if isinstance(options, list) and _NULL in options:
        left = [option for option in options if option != _NULL] or options
        schema = _with_only(left[0], schema) if len(left) == 1 else {**schema, "anyOf": left}
    return schema


def _with_only(option: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """Replace the union by its one option, if all keywords beside the union are annotations."""
    beside = schema.keys() - {"anyOf"}
    describes = all(key in _ANNOTATIONS or str(key).startswith(_EXTENSION) for key in beside)
    if not isinstance(option, Mapping) or not describes or not beside.isdisjoint(option):
        return {**schema, "anyOf": [option]}
    merged: dict[str, Any] = {}
    for key, value in schema.items():
        merged |= option if key == "anyOf" else {key: value}
    return merged
