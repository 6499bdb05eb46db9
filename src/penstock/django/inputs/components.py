"""The schema of a body, without references and unions at its root.

Hosts refuse a tool's schema whose root is a union or a reference: it must be an object with
properties. So definitions at the root are written out there, and deeper ones stay definitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from penstock.django.inputs.schemas import Schema

_PREFIX: Final = "#/$defs/"


def flattened(schema: Schema, definitions: Mapping[str, Schema]) -> Schema | None:
    """Return a schema as one object with properties, or None if it is not an object."""
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
    """Merge object schemas. Unless `is_all`, a property is required only if all require it."""
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
    """Return the definitions that a schema refers to, directly or through others."""
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
    """Drop `required` at every depth, for a partial update: values that are not sent stay."""
    if isinstance(node, list):
        return [without_required(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    return {
        key: without_required(value)
        for key, value in node.items()
        if not (key == "required" and isinstance(value, list))
    }
