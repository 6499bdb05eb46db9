"""A tool's arguments on their way into an HTTP request."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from penstock.django.inputs.values import InputPlace, Inputs, Where

_SEPARATORS: Final = {"csv": ",", "pipes": "|", "spaces": " "}


def path_values(arguments: Mapping[str, Any], inputs: Inputs) -> dict[str, str]:
    """The parameters of the path by their names there, as text that is not yet quoted. One that was
    not given has its default, if the schema says one."""
    properties = inputs.schema["properties"]
    given = {
        place.name: arguments.get(name, properties[name].get("default"))
        for name, place in inputs.places.items()
        if place.where == "path"
    }
    return {name: text_of(value) for name, value in given.items() if value is not None}


def query_pairs(arguments: Mapping[str, Any], inputs: Inputs) -> list[tuple[str, str]]:
    """The query string's pairs. Null and an empty list say nothing, as leaving them out does."""
    return [
        pair
        for place, value in _going("query", arguments, inputs)
        if value is not None
        for pair in _pairs(place, value)
    ]


def body_of(arguments: Mapping[str, Any], inputs: Inputs) -> Any:
    """The body as JSON values: an object, or what the one argument holds that is the whole body."""
    body = {place.name: value for place, value in _going("body", arguments, inputs)}
    if any(place.where == "body" and not place.name for place in inputs.places.values()):
        return body.get("", [] if inputs.is_list else None)
    return body


def text_of(value: Any) -> str:
    """A JSON value as URLs have it. Filters take booleans in lower case, and 5.0 is the integer 5
    to a JSON Schema, but not to a column of integers."""
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
