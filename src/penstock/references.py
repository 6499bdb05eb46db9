"""`@result:` arguments: a stored result handed to another tool, unread by the agent.

{"rows": "@result:pen_…"}          the whole of it
{"rows": "@result:pen_…#/items"}   a part, by JSON Pointer
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from penstock import rawjson
from penstock.effects import Steps
from penstock.model import Refusal
from penstock.outline import type_name

PREFIX = "@result:"

_JSON_TYPES = {
    "str": ("string",), "dict": ("object",), "list": ("array",), "null": ("null",),
    "bool": ("boolean",), "int": ("integer", "number"), "float": ("number",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reference:
    """An argument that stands for a stored value. `schema` is what the tool says about it."""

    where: str
    token: str
    path: str
    schema: Any


# Given a token and a path, the stored value as JSON.
Fetch = Callable[[str, str], Steps[bytes | Refusal]]


def has_references(value: Any) -> bool:
    if isinstance(value, str):
        return value.startswith(PREFIX)
    if isinstance(value, Mapping):
        return any(map(has_references, value.values()))
    return isinstance(value, list | tuple) and any(map(has_references, value))


def resolve_arguments(
    arguments: Mapping[str, Any], schema: Mapping[str, Any] | None, fetch: Fetch
) -> Steps[dict[str, Any] | Refusal]:
    """The arguments with stored values in place of references, or why that cannot be."""
    resolved: dict[str, Any] = {}
    for name, value in arguments.items():
        below = _property(schema, schema or {}, name)
        part = yield from _resolve(value, name, schema or {}, below, fetch)
        if isinstance(part, Refusal):
            return part
        resolved[name] = part
    return resolved


def _resolve(
    value: Any, where: str, root: Mapping[str, Any], schema: Any, fetch: Fetch
) -> Steps[Any]:
    if isinstance(value, str) and value.startswith(PREFIX):
        token, _, path = value.removeprefix(PREFIX).partition("#")
        return (yield from _substitute(Reference(where, token, path, schema), root, fetch))
    if isinstance(value, Mapping):
        return (yield from _resolve_dict(value, where, root, schema, fetch))
    if isinstance(value, list | tuple) and has_references(value):
        items = []
        for number, item in enumerate(value):
            part = yield from _resolve(
                item, f"{where}[{number}]", root, _items(root, schema), fetch
            )
            if isinstance(part, Refusal):
                return part
            items.append(part)
        return items
    return value


def _resolve_dict(
    value: Mapping[str, Any], where: str, root: Mapping[str, Any], schema: Any, fetch: Fetch
) -> Steps[Any]:
    resolved = {}
    for name, item in value.items():
        below = _property(root, schema, name)
        part = yield from _resolve(item, f"{where}.{name}", root, below, fetch)
        if isinstance(part, Refusal):
            return part
        resolved[name] = part
    return resolved


def _substitute(reference: Reference, root: Mapping[str, Any], fetch: Fetch) -> Steps[Any]:
    raw = yield from fetch(reference.token, reference.path)
    if isinstance(raw, Refusal):
        return Refusal(raw.error, f"In argument {reference.where}: {raw.next_step}")
    admitted = _types(root, reference.schema)
    if admitted is None or any(name in admitted for name in _JSON_TYPES[type_name(raw)]):
        return msgspec.Raw(raw)
    if "string" in admitted:
        return rawjson.text(raw)
    return Refusal(
        f"Argument {reference.where} takes {' or '.join(sorted(admitted))}, "
        f"and the stored value is {type_name(raw)}.",
        "Point to a part that fits with #/json/pointer, or make one with mode query.",
    )


# -- what a schema says about a place in the arguments -----------------------------------------


def _property(root: Mapping[str, Any] | None, schema: Any, name: str) -> Any:
    target = _followed(root or {}, schema)
    properties = target.get("properties", {})
    return properties.get(name, target.get("additionalProperties", {}))


def _items(root: Mapping[str, Any], schema: Any) -> Any:
    return _followed(root, schema).get("items", {})


def _types(root: Mapping[str, Any], schema: Any) -> set[str] | None:
    """The JSON types that are admitted; None where the schema does not say."""
    target = _followed(root, schema)
    for union in ("anyOf", "oneOf"):
        if union in target:
            branches = [_types(root, branch) for branch in target[union]]
            known = [branch for branch in branches if branch is not None]
            return set().union(*known) if len(known) == len(branches) else None
    named = target.get("type")
    if isinstance(named, str):
        return {named}
    return set(named) if isinstance(named, list) else None


def _followed(root: Mapping[str, Any], schema: Any) -> Mapping[str, Any]:
    """A schema with its local references followed, a few deep."""
    for _ in range(10):
        if not isinstance(schema, Mapping):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#/"):
            return schema
        schema = root
        for step in reference[2:].split("/"):
            schema = schema.get(step, {}) if isinstance(schema, Mapping) else {}
    return {}
