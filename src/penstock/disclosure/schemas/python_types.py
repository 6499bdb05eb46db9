"""Types of Python for the places of a schema: one for a model to read, one for a type checker.

The checked type is never stricter than the schema, so that no correct program is refused. It does
not look into lists and objects: a checker takes `list[int]` for an error where `list[float]` is
expected, although every integer is a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from penstock.core.json.encoding import encode
from penstock.disclosure.schemas.reading import SchemaPlace, is_read_only, names_in
from penstock.disclosure.texts.shortening import ELLIPSIS

ANY: Final = "Any"
NONE: Final = "None"
_MOST_CHOICES: Final = 12
_CHOICES_CHARS: Final = 200
# The most characters of an object with its keys, by the levels of objects that may still be shown.
_OBJECT_CHARS: Final = (0, 150, 400)
_LEVELS: Final = len(_OBJECT_CHARS) - 1
_SHOWN: Final = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": NONE,
    "array": "list", "object": "dict",
}  # fmt: skip
# A number without a fraction is an integer of JSON Schema, also if Python holds it as a float. For
# a type checker, `float` includes `int`.
_CHECKED: Final = {
    **_SHOWN,
    "integer": "float",
    "array": "list[Any] | tuple[Any, ...]",
    "object": "dict[Any, Any]",
}
_KINDS: Final[Mapping[type, str]] = {
    str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null",
    list: "array", dict: "object",
}  # fmt: skip


class _Alternative(NamedTuple):
    """One of the types that a place admits, or one of its values."""

    kind: str  # a type of JSON Schema, or "" if the schema names none
    place: SchemaPlace
    choices: tuple[Any, ...] = ()  # the only value, if there is one


def checked_type(place: SchemaPlace) -> str:
    """Return the type of an argument for a type checker: `Any` where the schema leaves a doubt."""
    return _union(_CHECKED.get(each.kind, ANY) for each in _alternatives(place))


def shown_type(place: SchemaPlace, levels: int = _LEVELS, *, is_optional: bool = False) -> str:
    """Return the type of a place for a model. `levels` is the number of levels of objects whose
    keys are shown. An optional place may be left out, so its null is not told."""
    found = [*_alternatives(place)]
    choices = _shown_choices([value for each in found for value in each.choices])
    types = [
        choices if choices and each.choices and each.kind != "null" else _shown(each, levels)
        for each in found
    ]
    return _union(types if not is_optional else [each for each in types if each != NONE] or types)


def _alternatives(place: SchemaPlace) -> Iterator[_Alternative]:
    """Yield what a place admits. Never yield less: a keyword that is not read admits anything."""
    schema = place.schema
    given = [schema["const"]] if "const" in schema else schema.get("enum")
    types = schema.get("type")
    if isinstance(given, list) and given:
        yield from (_Alternative(_KINDS.get(type(one), ""), place, (one,)) for one in given)
    elif types:
        named = names_in([types] if isinstance(types, str) else types)
        yield from (_Alternative(kind, place) for kind in named or [""])
    elif place.branches and not place.is_circular:
        for branch in place.branches:
            yield from _branch(branch, place)
    else:
        yield _Alternative("", place)
    if schema.get("nullable") is True:
        yield _Alternative("null", place)


def _branch(branch: Any, place: SchemaPlace) -> Iterator[_Alternative]:
    if branch is not False:
        yield from _alternatives(place.below(branch))


def _union(types: Iterable[str]) -> str:
    each = dict.fromkeys(types)
    return ANY if ANY in each or not each else " | ".join(each)


# -- for a model -------------------------------------------------------------------------------


def _shown(each: _Alternative, levels: int) -> str:
    kind, place = each.kind or _implied(each.place.schema), each.place
    if each.choices or place.is_circular:
        return _SHOWN.get(kind, ANY)
    if kind == "array" and isinstance(place.schema.get("items"), Mapping):
        return f"list[{shown_type(place.below(place.schema['items']), levels)}]"
    return _shown_object(place, levels) if kind == "object" else _SHOWN.get(kind, ANY)


def _implied(schema: Mapping[str, Any]) -> str:
    """Return the type that a schema without one most likely means."""
    return "object" if schema.get("properties") else "array" if "items" in schema else ""


def _shown_choices(values: list[Any]) -> str:
    """Return the choices of a place, or nothing if they are too many or no literals."""
    some = [value for value in values if value is not None]
    if len(some) > _MOST_CHOICES or not all(isinstance(one, (str, int, float)) for one in some):
        return ""
    told = ", ".join(dict.fromkeys(map(literal, some)))
    return f"Literal[{told}]" if told and len(told) <= _CHOICES_CHARS else ""


def literal(value: str | float) -> str:
    """Return a text, number or truth value as Python writes it."""
    return encode(value).decode() if isinstance(value, str) else repr(value)


def _shown_object(place: SchemaPlace, levels: int) -> str:
    """Return an object with its keys: all of them, or else the required ones, or a mark alone."""
    place = place.with_branches()
    needed = set(place.required)
    keys = {
        name: place.below(item)
        for name, item in place.properties.items()
        if name in needed or not is_read_only(item)
    }
    if not keys:
        return _shown_map(place, levels)
    if not levels:
        return f"{{{ELLIPSIS}}}"
    told = {name: _shown_key(name, item, needed, levels - 1) for name, item in keys.items()}
    more = [ELLIPSIS] if place.is_open else []
    forms = (
        [*told.values(), *more],
        [*(each for name, each in told.items() if name in needed), ELLIPSIS],
    )
    texts = (f"{{{', '.join(parts)}}}" for parts in forms)
    return next((text for text in texts if len(text) <= _OBJECT_CHARS[levels]), f"{{{ELLIPSIS}}}")


def _shown_map(place: SchemaPlace, levels: int) -> str:
    """Return an object without known keys."""
    values = place.schema.get("additionalProperties")
    if not isinstance(values, Mapping) or not values:
        return "dict"
    return f"dict[str, {shown_type(place.below(values), levels)}]"


def _shown_key(name: str, place: SchemaPlace, needed: set[str], levels: int) -> str:
    mark = "" if name in needed else "?"
    told = shown_type(place, levels, is_optional=bool(mark))
    return f"{literal(name)}{mark}: {told}"
