"""The path, the query and the body of an HTTP request, made from a tool's arguments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from penstock.django.inputs.files import sent_files
from penstock.django.inputs.values import InputPlace, Inputs, Where

_SEPARATORS: Final = {"csv": ",", "pipes": "|", "spaces": " "}


def path_values(arguments: Mapping[str, Any], inputs: Inputs) -> dict[str, str]:
    """Return the parameters of the path by name, as text that is not quoted yet. A missing
    parameter gets the default of its schema, if any."""
    properties = inputs.schema["properties"]
    given = {
        place.name: arguments.get(name, properties[name].get("default"))
        for name, place in inputs.places.items()
        if place.where == "path"
    }
    return {name: text_of(value) for name, value in given.items() if value is not None}


def query_pairs(arguments: Mapping[str, Any], inputs: Inputs) -> list[tuple[str, str]]:
    """Return the pairs of the query string. Null and an empty list count as left out."""
    return [
        pair
        for place, value in _going("query", arguments, inputs)
        if value is not None
        for pair in _pairs(place, value)
    ]


def body_of(arguments: Mapping[str, Any], inputs: Inputs) -> Any:
    """Return the body as JSON values and files: an object, or the value of the argument that is the
    body."""
    body = {
        place.name: sent_files(place.name, value) if place.style == "file" else value
        for place, value in _going("body", arguments, inputs)
    }
    if any(place.where == "body" and not place.name for place in inputs.places.values()):
        return body.get("", [] if inputs.is_list else None)
    return body


def text_of(value: Any) -> str:
    """Return a JSON value as text for a URL. Filters take booleans in lower case. 5.0 becomes 5: a
    JSON Schema takes 5.0 for an integer, but an integer column does not."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _going(
    where: Where, arguments: Mapping[str, Any], inputs: Inputs
) -> Iterator[tuple[InputPlace, Any]]:
    for name, value in arguments.items():
        place = inputs.places.get(name)
        if place is None and inputs.rest is not None:
            place = InputPlace(inputs.rest, name)
        if place is not None and place.where == where:
            yield place, value


def _pairs(place: InputPlace, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and place.style == "deep":
        for key, item in value.items():
            yield f"{place.name}[{key}]", text_of(item)
    elif not isinstance(value, list | tuple):
        yield place.name, text_of(value)
    elif place.style in _SEPARATORS and value:
        yield place.name, _SEPARATORS[place.style].join(map(text_of, value))
    else:
        for item in value:
            yield place.name, text_of(item)
