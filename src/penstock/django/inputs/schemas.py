"""Parts of JSON Schemas, made from what Django and REST framework know about a value."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, Literal

import jsonschema_rs
from django.core import validators

from penstock.django.inputs.wording import joined, labels_of

Schema = dict[str, Any]
Kind = Literal["string", "number", "array"]

_LENGTHS: Final = {"string": ("minLength", "maxLength"), "array": ("minItems", "maxItems")}
# The limits of integer columns. They are left out: an agent hardly ever exceeds them.
_RANGES_OF_COLUMNS: Final = frozenset({2**31 - 1, -(2**31), 2**63 - 1, -(2**63)})
_SCALARS: Final = ("string", "number", "boolean")
_NOT_SCALARS: Final = ("array", "object", "null")
_COMBINED: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
_MOST_CHOICES: Final = 100
_SHOWN_CHOICES: Final = 5
_LONGEST_PATTERN: Final = 200
_TYPES: Final = {str: "string", int: "integer", bool: "boolean", float: "number"}
# Syntax that other dialects lack or read differently: named groups, flags, comments, conditions,
# classes of Unicode letters, {,n}, sets within sets.
_PYTHONIC: Final = re.compile(r"\(\?[P#(>aiLmsux-]|\\[wWbBNU]|\{,|\[\^?\]|\[\[|&&|--|~~|\|\|")


def described(schema: Schema, *texts: str) -> Schema:
    """Append the texts that are not empty to a schema's description."""
    text = joined(schema.get("description", ""), *texts)
    rest = {key: value for key, value in schema.items() if key != "description"}
    return {**rest, "description": text} if text else rest


def or_null(schema: Schema) -> Schema:
    if "type" not in schema and schema.keys() & _COMBINED:
        rest = {key: value for key, value in schema.items() if key != "description"}
        return described({"anyOf": [rest, {"type": "null"}]}, schema.get("description", ""))
    changed = dict(schema)
    if "enum" in schema:
        changed["enum"] = [*schema["enum"], *([] if None in schema["enum"] else [None])]
    if "type" in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        changed["type"] = [*kinds, *([] if "null" in kinds else ["null"])]
    return changed


def or_single(schema: Schema) -> Schema:
    """Let a list be given as its only item too, as in a query string. A pair needs both."""
    if schema.get("type") != "array" or schema.get("minItems", 1) > 1:
        return schema
    items = schema.get("items")
    kind = items.get("type") if isinstance(items, Mapping) else None
    kinds = kind if isinstance(kind, list) else [kind] if kind else _SCALARS
    return {**schema, "type": ["array", *(each for each in kinds if each not in _NOT_SCALARS)]}


def or_digits(schema: Schema) -> Schema:
    """Let an integer be given as text too, as in a path."""
    if schema.get("type") != "integer" or "enum" in schema:
        return schema
    sign = "" if schema.get("minimum", -1) >= 0 else "-?"
    return {**schema, "type": ["integer", "string"], "pattern": f"^{sign}[0-9]+$"}


def is_sound(schema: Schema, definitions: Mapping[str, Schema] = MappingProxyType({})) -> bool:
    """Return whether a schema of others is valid: one fault would spoil the tool's schema."""
    try:
        jsonschema_rs.validator_for({**schema, "$defs": dict(definitions)}, retriever=_nothing)
    except ValueError:
        return False
    return True


def _nothing(uri: str) -> Any:
    raise ValueError(f"{uri} is not fetched")


def one_of(choices: Iterable[tuple[Any, Any]]) -> Schema:
    """Return the schema of a choice among these pairs of key and label. A very long list is only
    described: it would take more of the context than the tool is worth."""
    listed = [(json_value(key), label) for key, label in choices]
    keys = list(dict.fromkeys(key for key, _ in listed))
    kinds = {_TYPES.get(type(key)) for key in keys}
    kind = kinds.pop() if len(kinds) == 1 else None
    schema: Schema = {"type": kind} if kind else {}
    if len(keys) > _MOST_CHOICES:
        shown = ", ".join(str(key) for key in keys[:_SHOWN_CHOICES])
        return described(schema, f"One of {len(keys)} choices, such as {shown}.")
    return described({**schema, "enum": keys}, labels_of(listed)) if keys else schema


def limits_of(kind: Kind, checks: Iterable[Any]) -> Schema:
    """Return the limits that Django's validators set for a text, a number or a list."""
    found: Schema = {}
    for check in checks:
        found.update(_limit(kind, check))
    return found


def _limit(kind: Kind, check: Any) -> Schema:
    if kind == "number":
        return _bound(check)
    if isinstance(check, validators.MinLengthValidator | validators.MaxLengthValidator):
        is_most = isinstance(check, validators.MaxLengthValidator)
        return {_LENGTHS[kind][is_most]: _value_of(check)}
    if kind == "string" and isinstance(check, validators.RegexValidator):
        pattern = None if isinstance(check, validators.URLValidator) else _pattern(check)
        return {"pattern": pattern} if pattern else {}
    return {}


def _bound(check: Any) -> Schema:
    if not isinstance(check, validators.MinValueValidator | validators.MaxValueValidator):
        return {}
    limit = json_number(_value_of(check))
    if limit is None or limit in _RANGES_OF_COLUMNS:
        return {}
    return {"maximum" if isinstance(check, validators.MaxValueValidator) else "minimum": limit}


def _value_of(check: validators.BaseValidator) -> Any:
    return check.limit_value() if callable(check.limit_value) else check.limit_value


def _pattern(check: validators.RegexValidator) -> str | None:
    return None if check.inverse_match else pattern_of(check.regex)


def pattern_of(regex: Any) -> str | None:
    """Return a Python regular expression for a JSON Schema; None if its meaning might differ there.
    A schema must not refuse a value that the site takes."""
    written, flags = getattr(regex, "pattern", regex), getattr(regex, "flags", 0)
    if not isinstance(written, str) or flags & ~(re.UNICODE | re.ASCII):
        return None
    if len(written) > _LONGEST_PATTERN or _PYTHONIC.search(written):
        return None
    pattern = written.replace(r"\A", "^").replace(r"\Z", "$")
    return pattern if is_sound({"pattern": pattern}) else None


def json_number(value: Any) -> int | float | None:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def json_value(value: Any) -> Any:
    """Return the key of a choice as a JSON value; if JSON has none, as the text Django compares."""
    if isinstance(value, enum.Enum):
        value = value.value
    if value is None or type(value) in _TYPES:
        return value
    if isinstance(value, int):
        return int(value)
    return str.__str__(value if isinstance(value, str) else str(value))


def is_json(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(is_json, value))
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and is_json(item) for key, item in value.items())
    return value is None or type(value) in _TYPES
