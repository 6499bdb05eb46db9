"""The parameters of tools, as an agent learns them from a list, a reply or an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from benchmarks.agents.signatures import NoSignature, schema_of_kind, schema_of_signature

_SIMPLE: Final = frozenset({"string", "integer", "number", "boolean"})
_PARAMETERS: Final = ("parameters", "takes", "signature")


def from_list(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema that an entry of a list tells, or None if its parameters are hidden."""
    schema: dict[str, Any] = entry.get("inputSchema", {})
    if schema.get("properties") or not schema.get("additionalProperties"):
        return schema
    return from_description(entry.get("description", ""))


def from_description(text: str) -> dict[str, Any] | None:
    """Return the schema of a signature in parentheses that begins or ends a description."""
    for inside in (_leading(text), _trailing(text)):
        if inside is not None:
            try:
                return schema_of_signature(inside)
            except NoSignature:
                continue
    return None


def from_reply(part: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema in a tool's part of a reply, or None if it tells no parameters."""
    if isinstance(schema := part.get("inputSchema"), dict):
        return schema
    told = next((part[name] for name in _PARAMETERS if name in part), None)
    if isinstance(told, str):
        return schema_of_signature(told.removeprefix("(").removesuffix(")"))
    if isinstance(told, dict):
        return _of_table(told)
    if isinstance(needed := part.get("required"), list):
        return {"required": needed}
    return None


def is_enough(schema: Mapping[str, Any] | None) -> bool:
    """Return whether an agent can fill in all required parameters without asking for more."""
    if schema is None:
        return False
    properties = schema.get("properties", {})
    return all(_is_known(properties.get(name, {})) for name in schema.get("required", []))


def _is_known(schema: Mapping[str, Any]) -> bool:
    if "enum" in schema or schema.get("type") in _SIMPLE:
        return True
    if schema.get("type") == "array":
        return _is_known(schema.get("items", {}))
    return bool(schema.get("properties")) and is_enough(schema)


def _of_table(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of parameters by name, each with its type or its own parameters."""
    schema: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
    for starred, kind in parameters.items():
        name = starred.rstrip("*")
        schema["properties"][name] = _of_table(kind) if isinstance(kind, dict) else _kind(kind)
        if starred != name:
            schema["required"].append(name)
    return schema


def _kind(kind: Any) -> dict[str, Any]:
    try:
        return schema_of_kind(str(kind))
    except NoSignature:
        return {}


def _leading(text: str) -> str | None:
    """Return the inside of a parenthesis that begins the text."""
    if not text.startswith("("):
        return None
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return text[1:at]
    return None


def _trailing(text: str) -> str | None:
    turned = text.rstrip()[::-1].translate(str.maketrans("()", ")("))
    found = _leading(turned)
    return None if found is None else found[::-1].translate(str.maketrans("()", ")("))
