"""The assembly of a tool's arguments from their parts, each with a name of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable
from typing import Any, Final
from zlib import crc32

from penstock.django.inputs.schemas import Schema, described, or_digits, or_single
from penstock.django.inputs.values import InputPart, InputPlace, Inputs, Where

ITEMS: Final = "items"
BODY: Final = "body"
_PREFIXES: Final = {"path": "path", "query": "filter", "body": "body"}
# Hosts refuse a tool whose arguments have other characters in their names.
_NOT_IN_NAMES: Final = re.compile(r"[^a-zA-Z0-9_.-]+")
_LONGEST_NAME: Final = 64


# A URL has no types: it takes what reads the same there.
_LOOSENED: Final[dict[Where, Callable[[Schema], Schema]]] = {
    "path": or_digits,
    "query": or_single,
    "body": dict,
}


def assembled(path: InputPart, query: InputPart, body: InputPart) -> Inputs:
    """Make one schema of all parts. The first keeps a shared name: path, then query, then body."""
    properties: dict[str, Any] = {}
    places: dict[str, InputPlace] = {}
    required: list[str] = []
    for part in (path, query, body):
        for argument in part.arguments:
            name = _name(argument.place, argument.schema, places)
            places[name] = argument.place
            properties[name] = _LOOSENED[argument.place.where](argument.schema)
            required += [name] if argument.is_required else []
    rest = _rest(query, body)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    schema["additionalProperties"] = rest is not None
    if definitions := {**query.definitions, **body.definitions}:
        schema["$defs"] = definitions
    return Inputs(
        described(schema, *path.notes, *query.notes, *body.notes),
        places,
        is_list=any(_is_list(argument.place, argument.schema) for argument in body.arguments),
        rest=rest,
    )


def _rest(query: InputPart, body: InputPart) -> Where | None:
    if not body.closed:
        return "body"
    return None if query.closed else "query"


def _is_list(place: InputPlace, schema: dict[str, Any]) -> bool:
    return not place.name and schema.get("type", "array") == "array"


def _name(place: InputPlace, schema: dict[str, Any], taken: Container[str]) -> str:
    plain = place.name or (ITEMS if _is_list(place, schema) else BODY)
    fitting = _fitting(plain)
    return next(name for name in _candidates(fitting, place) if name not in taken)


def _candidates(name: str, place: InputPlace) -> Iterable[str]:
    yield name
    prefixed = _fitting(f"{_PREFIXES[place.where]}_{name}")
    yield prefixed
    number = 2
    while True:
        yield _fitting(f"{prefixed}_{number}")
        number += 1


def _fitting(name: str) -> str:
    """Return a name for hosts: filter_name for `filter[name]`; a long one cut, with a checksum."""
    plain = name
    if _NOT_IN_NAMES.search(name):
        plain = _NOT_IN_NAMES.sub("_", name).strip("_") or "_"
    if len(plain) <= _LONGEST_NAME:
        return plain
    return f"{plain[: _LONGEST_NAME - 9]}_{crc32(name.encode()):08x}"
