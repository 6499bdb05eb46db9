"""The body of an operation, taken out of the components that it refers to.

A tool's schema is an object with properties, and hosts refuse one whose root is a union or a reference.
So what stands at the root is written out there, and what lies deeper stays a definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from penstock.django.inputs.schemas import Schema

_PREFIX: Final = "#/$defs/"


def flattened(schema: Schema, definitions: Mapping[str, Schema]) -> Schema | None:
    """As one object with properties, or None where it is no object at all."""
    return _flat(schema, definitions, frozenset())


def _flat(schema: Schema, definitions: Mapping[str, Schema], seen: frozenset[str]) -> Schema | None:
    reference = _name_in(schema)
    if reference is not None:
        if reference in seen or reference not in definitions:
            return None
        return _flat(definitions[reference], definitions, seen | {reference})
    for key, is_all in (("allOf", True), ("oneOf", False), ("anyOf", False)):
        if key in schema:
            parts = [_flat(part, definitions, seen) for part in schema[key]]
            known = [part for part in parts if part is not None]
            return _merged(known, is_all=is_all) if known and len(known) == len(parts) else None
    is_object = schema.get("type", "object") == "object" or "object" in schema["type"]
    return schema if is_object and schema else None


def _merged(parts: list[Schema], *, is_all: bool) -> Schema:
    """Of several shapes, whatever one of them has; only what all of them demand is required."""
    properties: dict[str, Any] = {}
    for part in parts:
        for name, item in part.get("properties", {}).items():
            properties[name] = _either(properties[name], item) if name in properties else item
    demanded = [set(part.get("required", ())) for part in parts]
    required = set.union(*demanded) if is_all else set.intersection(*demanded)
    is_open = any("properties" not in part for part in parts)
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name in required],
        **({"additionalProperties": True} if is_open else {}),
    }


def _either(one: Schema, other: Schema) -> Schema:
    if one == other:
        return one
    known = one["anyOf"] if one.keys() == {"anyOf"} else [one]
    return {"anyOf": [*known, *([] if other in known else [other])]}


def reachable(schema: Any, definitions: Mapping[str, Schema]) -> dict[str, Schema]:
    """The definitions that a schema refers to, and those that they refer to."""
    found: dict[str, Schema] = {}
    waiting = list(_references(schema))
    while waiting:
        name = waiting.pop()
        if name not in found and name in definitions:
            found[name] = definitions[name]
            waiting += _references(definitions[name])
    return dict(sorted(found.items()))


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for item in node:
            yield from _references(item)
    elif isinstance(node, Mapping):
        if (name := _name_in(node)) is not None:
            yield name
        for value in node.values():
            yield from _references(value)


def _name_in(schema: Mapping[str, Any]) -> str | None:
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith(_PREFIX):
        return None
    return reference.removeprefix(_PREFIX)


def without_required(node: Any) -> Any:
    """For a partial update: what is not given stays as it is, inside of objects too."""
    if isinstance(node, list):
        return [without_required(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    return {
        key: without_required(value)
        for key, value in node.items()
        if not (key == "required" and isinstance(value, list))
    }
