"""Arguments and JSON Schemas, made from OpenAPI's parameters and schemas.

OpenAPI 3.0 writes some of JSON Schema in its own way, and generators add what tells an agent
nothing: titles, examples, the size of a number in memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final, cast

from penstock.django.inputs.components import reachable
from penstock.django.inputs.schemas import Schema, described, is_json, is_sound, or_null
from penstock.django.inputs.values import Argument, InputPlace, Style, Where
from penstock.django.inputs.wording import labels_of, plain

_NOISE: Final = frozenset(
    {"title", "example", "examples", "xml", "externalDocs", "discriminator", "readOnly", "writeOnly",
     "nullable", "description"}
)  # fmt: skip
_NUMBERS: Final = frozenset({"int32", "int64", "float", "double"})
_BY_NAME: Final = frozenset({"properties", "patternProperties", "$defs"})
_BY_POSITION: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLE: Final = frozenset({"items", "additionalProperties", "not"})
_COMPONENTS: Final = "#/components/schemas/"
_DELIMITERS: Final[dict[str, Style]] = {"pipeDelimited": "pipes", "spaceDelimited": "spaces"}
_NO_DEFINITIONS: Final[Mapping[str, Schema]] = MappingProxyType({})
# The form in which drf-spectacular lists the labels of choices.
_CHOICE: Final = re.compile(r"^\* `([^`]*)` - (.*)$", re.MULTILINE)


def arguments_of(
    parameters: Iterable[Mapping[str, Any]], definitions: Mapping[str, Schema] = _NO_DEFINITIONS
) -> tuple[Argument, ...]:
    """Return the arguments of the path and the query. An agent must not set headers and cookies."""
    return tuple(
        _argument(item, definitions) for item in parameters if item.get("in") in ("path", "query")
    )


def _argument(parameter: Mapping[str, Any], definitions: Mapping[str, Schema]) -> Argument:
    schema = sound(json_schema(parameter.get("schema") or {}), definitions)
    schema = described(schema, *_said(parameter.get("description")))
    place = InputPlace(
        cast("Where", parameter["in"]), str(parameter["name"]), _style(parameter, schema)
    )
    return Argument(place, schema, bool(parameter.get("required")))


def sound(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """Return a schema if it is valid, else one with only its description."""
    if is_sound(schema, reachable(schema, definitions)):
        return schema
    return described({}, plain(schema.get("description")))


def _style(parameter: Mapping[str, Any], schema: Schema) -> Style:
    style = parameter.get("style", "form")
    if style == "deepObject":
        return "deep"
    if schema.get("type") != "array":
        return "plain"
    if style in _DELIMITERS:
        return _DELIMITERS[style]
    return "repeat" if parameter.get("explode", True) else "csv"


def json_schema(schema: Any) -> Any:
    """Return an OpenAPI schema as JSON Schema 2020-12, without what tells an agent nothing."""
    if not isinstance(schema, Mapping):
        return schema
    kept = {
        key: _below(key, value)
        for key, value in schema.items()
        if key not in _NOISE and not key.startswith("x-")
    }
    if kept.keys() == {"allOf"} and len(kept["allOf"]) == 1:
        kept = dict(kept["allOf"][0])  # OpenAPI 3.0 wraps a reference so, to describe it
    if isinstance(kept.get("required"), bool):
        del kept["required"]
    _mend_bounds(kept)
    if kept.get("format") in _NUMBERS:
        del kept["format"]
    if "default" in kept and (kept["default"] is None or not is_json(kept["default"])):
        del kept["default"]
    if "properties" in kept:
        _drop_read_only(kept, schema["properties"])
    kept = described(kept, *_said(schema.get("description")))
    return or_null(kept) if schema.get("nullable") else kept


def _below(key: str, value: Any) -> Any:
    if key in _BY_NAME and isinstance(value, Mapping):
        return {name: json_schema(item) for name, item in value.items()}
    if key in _BY_POSITION and isinstance(value, list):
        return [json_schema(item) for item in value]
    if key in _SINGLE:
        return json_schema(value)
    if key == "$ref" and isinstance(value, str):
        return value.replace(_COMPONENTS, "#/$defs/", 1)
    return value


def _mend_bounds(schema: Schema) -> None:
    """Rewrite exclusive bounds, which OpenAPI 3.0 marks by a boolean beside the bound."""
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(exclusive), bool):
            is_exclusive = schema.pop(exclusive)
            if is_exclusive and bound in schema:
                schema[exclusive] = schema.pop(bound)


def _drop_read_only(schema: Schema, properties: Mapping[str, Any]) -> None:
    gone = {name for name, item in properties.items() if _is_read_only(item)}
    schema["properties"] = {k: v for k, v in schema["properties"].items() if k not in gone}
    required = [name for name in schema.get("required", ()) if name not in gone]
    schema.pop("required", None)
    if required:
        schema["required"] = required


def _is_read_only(item: Any) -> bool:
    return isinstance(item, Mapping) and bool(item.get("readOnly"))


def _said(description: Any) -> tuple[str, str]:
    """Return the description, and the labels of choices that say more than the values."""
    text = str(description or "")
    labels = labels_of((found[1], found[2]) for found in _CHOICE.finditer(text))
    return plain(_CHOICE.sub("", text)), labels
