"""The parameters of tools, as an agent learns them from a list, a reply or an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from benchmarks.agents.signatures import NoSignature, schema_of_kind, schema_of_signature

_SIMPLE: Final = frozenset({"string", "integer", "number", "boolean"})
_PATTERN_AS: Final = re.compile(r"\bPattern (as for [^.]+)\.")


def from_list(entry: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema that an entry of a list tells, or None if its parameters are hidden."""
    schema: dict[str, Any] = entry.get("inputSchema", {})
    if schema.get("properties") or not schema.get("additionalProperties"):
        return schema
    return from_description(entry.get("description", ""))


def from_description(text: str) -> dict[str, Any] | None:
    """Return the schema of a signature in parentheses that begins or ends a description."""
    told = map(from_signature, (_leading(text), _trailing(text)))
    return next((schema for schema in told if schema is not None), None)


def from_signature(text: str | None) -> dict[str, Any] | None:
    """Return the schema of a signature, or None if the text is none."""
    try:
        return None if text is None else schema_of_signature(text)
    except NoSignature:
        return None


def from_reply(part: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the schema in a tool's part of a reply, or None if it tells no parameters."""
    if isinstance(schema := part.get("inputSchema"), dict):
        return _Texts().read(schema)
    told = part.get("parameters")
    if isinstance(told, str):
        return from_signature(told)
    if isinstance(told, dict):
        return _of_table(told)
    if isinstance(needed := part.get("required"), list):
        return {"required": needed}
    return None


class _Texts:
    """The reading of a schema in which texts stand for keys, such as `"id": "str, minLength 3"`."""

    def __init__(self) -> None:
        self._patterns: dict[str, str] = {}  # by the name of the key that has it

    def read(self, schema: Mapping[str, Any], name: str = "") -> dict[str, Any]:
        read = {key: self._member(key, value) for key, value in schema.items()}
        return self._with_pattern(read, name)

    def _member(self, key: str, value: Any) -> Any:
        if key == "properties" and isinstance(value, str):
            return schema_of_kind(value).get("properties", {})
        if key == "properties":
            return {name: self._property(name, item) for name, item in value.items()}
        if isinstance(value, list):
            return [self.read(item) if isinstance(item, dict) else item for item in value]
        return self.read(value) if isinstance(value, dict) else value

    def _property(self, name: str, item: Any) -> Any:
        if isinstance(item, str):
            return self._with_pattern(schema_of_kind(item), name)
        return self.read(item, name) if isinstance(item, dict) else item

    def _with_pattern(self, schema: dict[str, Any], name: str) -> dict[str, Any]:
        described = _PATTERN_AS.search(str(schema.get("description")))
        pattern = described[1] if described else schema.get("pattern")
        if isinstance(pattern, str):
            told = self._patterns.get(pattern.removeprefix("as for "), pattern)
            self._patterns.setdefault(name, told)
            return {**schema, "pattern": told}
        return schema


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
        schema["properties"][name] = (
            _of_table(kind) if isinstance(kind, dict) else schema_of_kind(kind)
        )
        if starred != name:
            schema["required"].append(name)
    return schema


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
