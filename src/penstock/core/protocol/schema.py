"""Schemas on their way to the agent, and arguments on their way back.

A tool's input schema gets the seven negotiation fields, and the tool gets its arguments without
them. A field that the tool itself defines keeps the tool's definition, and is the tool's argument
whenever no Penstock token is given.

An output schema becomes a union of the tool's own schema and the envelope that Penstock may send.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from penstock.core.model.values import Mode
from penstock.core.views.request import FIELDS, TOKEN_FIELD, is_absent

_WRAPPED = "result"
_UNIONS = ("anyOf", "oneOf", "allOf")
_UNMOVABLE = ("$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef")

NEGOTIATION_FIELDS: Mapping[str, Mapping[str, Any]] = {
    TOKEN_FIELD: {
        "type": "string",
        "description": "From an earlier reply: look at that stored result; the tool does not run.",
    },
    "mode": {
        "type": "string",
        "enum": [mode.value for mode in Mode],
        "description": "How to look at it; default paginated.",
    },
    "page": {"type": "integer", "minimum": 1, "description": "Page to show, from 1."},
    "page_size": {"type": "integer", "minimum": 0, "description": "Rows a page."},
    "filter_keys": {
        "type": "array",
        "items": {"type": "string"},
        "description": "Keys to keep in mode filtered; dots reach inside.",
    },
    "path": {
        "type": "string",
        "description": "JSON Pointer to a part of the result; / in a key is ~1.",
    },
    "query": {
        "type": "string",
        "description": "SELECT over table result (sql), jq program (query), or text (search).",
    },
}

# Sent instead of a result that is over the budget. In most lists a schema costs more than it tells,
# so it says no more than a client needs to accept it.
ENVELOPE: Mapping[str, Any] = {"type": "object"}


def owned_fields(schema: Mapping[str, Any] | None) -> frozenset[str]:
    """Return the negotiation fields that a tool defines itself."""
    properties = set().union(*(part.get("properties", {}) for part in _parts(schema or {})))
    return frozenset(name for name in FIELDS if name in properties)


def merge_input_schema(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the schema that the agent sees, without `required`: a second call needs no arguments.

    A tool that has a `continuation_token` of its own keeps its schema unchanged.
    """
    own = owned_fields(schema)
    if TOKEN_FIELD in own:
        return copy.deepcopy(dict(schema or {}))
    merged = _relaxed(copy.deepcopy(_inlined(schema or {})))
    ours = {name: dict(told) for name, told in NEGOTIATION_FIELDS.items() if name not in own}
    merged["properties"] |= ours
    merged.setdefault("type", "object")
    return merged


def _relaxed(schema: dict[str, Any]) -> dict[str, Any]:
    """Remove what only a first call satisfies: `required`, and unions with a branch that binds.

    The properties of such a union become properties of the whole schema.
    """
    schema.pop("required", None)
    properties = dict(schema.get("properties", {}))
    for union in _UNIONS:
        parts = [
            part
            for branch in schema.get(union, [])
            if isinstance(branch, Mapping)
            for part in _parts({**_definitions(schema), **branch})
        ]
        if any(map(_binds, parts)):
            del schema[union]
            for part in parts:
                properties = {**part.get("properties", {}), **properties}
    return {**schema, "properties": properties}


def _binds(part: Mapping[str, Any]) -> bool:
    return "required" in part or part.get("additionalProperties") is False


def _definitions(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"$defs": schema["$defs"]} if "$defs" in schema else {}


def _parts(schema: Mapping[str, Any], depth: int = 5) -> Iterator[Mapping[str, Any]]:
    """Yield a schema with a reference at its root resolved, and the branches of its unions."""
    whole = _inlined(schema)
    yield whole
    if depth:
        for union in _UNIONS:
            for branch in whole.get(union, []):
                if isinstance(branch, Mapping):
                    yield from _parts({**_definitions(schema), **branch}, depth - 1)


def first_call_note(schema: Mapping[str, Any] | None) -> str:
    """Return a sentence for the tool's description that replaces the removed `required`."""
    required = required_arguments(schema)
    if not required or TOKEN_FIELD in owned_fields(schema):
        return ""
    return f"Required on the first call, without {TOKEN_FIELD}: {', '.join(required)}."


def required_arguments(schema: Mapping[str, Any] | None) -> list[str]:
    required = _inlined(schema or {}).get("required", [])
    return [name for name in required if isinstance(name, str)]


def strip_arguments(
    arguments: Mapping[str, Any], schema: Mapping[str, Any] | None
) -> tuple[dict[str, Any], list[str]]:
    """Return the tool's arguments on a first call, and the negotiation fields that have no effect.

    Without a schema, all fields but the token count as the tool's.
    """
    own = owned_fields(schema) if schema is not None else frozenset(FIELDS) - {TOKEN_FIELD}
    kept = {name: value for name, value in arguments.items() if name not in FIELDS or name in own}
    vain = [name for name in FIELDS if name not in kept and not is_absent(arguments.get(name))]
    return kept, vain


def widen_output_schema(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a union of the tool's own output and an envelope, or None if it cannot be built.

    The root must say `type: object`: otherwise legacy clients reject the whole list of tools.
    """
    if schema.get("type") != "object" or _contains_key(schema, _UNMOVABLE):
        return None
    original = copy.deepcopy(dict(schema))
    outside: dict[str, Any] = {
        key: original.pop(key) for key in ("$schema", "$defs") if key in original
    }
    widened: dict[str, Any] = {
        "type": "object",
        **_wrapping(original),
        "anyOf": [original, dict(ENVELOPE)],
        **outside,
    }
    rerooted: dict[str, Any] = _rerooted(widened, "#/anyOf/0")
    return rerooted


def _wrapping(original: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `result` property for the root: FastMCP's client looks there for the type of a
    wrapped value. No envelope has such a property.

    Without `additionalProperties`, that client would drop all other members, and show an envelope as
    a result that is empty.
    """
    properties = original.get("properties", {})
    if not isinstance(properties, Mapping) or properties.keys() != {_WRAPPED}:
        return {}
    return {"properties": copy.deepcopy(dict(properties)), "additionalProperties": True}


def _rerooted(node: Any, root: str) -> Any:
    """Return a schema whose references to the old root point to its new place."""
    if isinstance(node, list):
        return [_rerooted(item, root) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _new_reference(value, root) if key == "$ref" else _rerooted(value, root)
        for key, value in node.items()
    }


def _new_reference(reference: Any, root: str) -> Any:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return reference
    if reference.startswith("#/$defs/"):
        return reference
    return root + reference[1:]


def _contains_key(node: Any, names: tuple[str, ...]) -> bool:
    if isinstance(node, list):
        return any(_contains_key(item, names) for item in node)
    if not isinstance(node, Mapping):
        return False
    return any(name in node for name in names) or any(
        _contains_key(value, names) for value in node.values()
    )


def _inlined(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema whose root, if it is a reference to a definition, is that definition."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/$defs/"):
        return dict(schema)
    target = schema.get("$defs", {}).get(reference.removeprefix("#/$defs/"))
    if not isinstance(target, Mapping):
        return dict(schema)
    return {**{k: v for k, v in schema.items() if k != "$ref"}, **target}
