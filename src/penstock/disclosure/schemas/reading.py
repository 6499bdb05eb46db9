"""One place in a schema as a reader understands it: references followed, parts joined."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from penstock.disclosure.schemas.survey import target

_MOST_JOINED: Final = 20  # parts of one `allOf`, and references in a row
_DEEPEST: Final = 3  # an `allOf` in an `allOf`
# Generators that drop the keyword `readOnly` leave this sentence in the description.
_READ_ONLY: Final = re.compile(r"(?:^|[.;]\s)\s*read-?only\b\s*(?:[.;]|$)", re.IGNORECASE)


class SchemaPlace(NamedTuple):
    """A schema whose own references and `allOf` are resolved."""

    schema: Mapping[str, Any]
    way: frozenset[str] = frozenset()  # the references that led here
    is_circular: bool = False  # a reference led here a second time

    @property
    def properties(self) -> dict[str, Any]:
        """The properties that a call may give, and required ones without a schema of their own. A
        schema of `false` forbids a property."""
        found = self.schema.get("properties")
        if not isinstance(found, Mapping):
            return {}
        unnamed: dict[str, Any] = {
            name: {} for name in names_in(self.schema.get("required")) if name not in found
        }
        return {name: item for name, item in found.items() if item is not False} | unnamed

    @property
    def required(self) -> list[str]:
        """The required properties in the schema's order, each once."""
        names, known = set(names_in(self.schema.get("required"))), self.properties
        return [name for name in known if name in names]

    @property
    def branches(self) -> list[Any]:
        """The alternatives of a union."""
        found = self.schema.get("anyOf", self.schema.get("oneOf"))
        return found if isinstance(found, list) else []

    @property
    def types(self) -> list[str]:
        """The types, without null unless it is the only one."""
        given = self.schema.get("type")
        types = names_in([given] if isinstance(given, str) else given)
        return [kind for kind in types if kind != "null"] or types


def opened(
    schema: Any, root: Mapping[str, Any], way: frozenset[str] = frozenset(), nested: int = 0
) -> SchemaPlace:
    """Return a place in the schema `root`. The keywords beside a reference stay, and so does a
    reference that leads nowhere."""
    place = SchemaPlace(schema if isinstance(schema, Mapping) else {}, way)
    for _ in range(_MOST_JOINED):
        reference = place.schema.get("$ref")
        if reference is None:
            break
        if not isinstance(reference, str) or (found := target(reference, root)) is None:
            break
        beside = {key: value for key, value in place.schema.items() if key != "$ref"}
        is_circular = place.is_circular or reference in place.way
        joined = _joined([found if isinstance(found, Mapping) else {}, beside])
        place = SchemaPlace(joined, place.way | {reference}, is_circular)
        if is_circular:
            break
    return _with_all(place, root, nested)


def _with_all(place: SchemaPlace, root: Mapping[str, Any], nested: int) -> SchemaPlace:
    parts = place.schema.get("allOf")
    if not isinstance(parts, list) or place.is_circular or nested > _DEEPEST:
        return place
    places = [opened(part, root, place.way, nested + 1) for part in parts[:_MOST_JOINED]]
    rest = {key: value for key, value in place.schema.items() if key != "allOf"}
    return SchemaPlace(
        _joined([*(each.schema for each in places), rest]),
        place.way.union(*(each.way for each in places)),
        any(each.is_circular for each in places),
    )


def _joined(schemas: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    joined: dict[str, Any] = {}
    for schema in schemas:
        properties = {**_table(joined.get("properties")), **_table(schema.get("properties"))}
        required = names_in(joined.get("required")) + names_in(schema.get("required"))
        joined |= schema
        joined |= {"properties": properties} if properties else {}
        joined |= {"required": list(dict.fromkeys(required))} if required else {}
    return joined


def is_read_only(schema: Any) -> bool:
    """Return whether a property is set by the server alone, so that no call gives it."""
    if not isinstance(schema, Mapping):
        return False
    described = schema.get("description")
    said = isinstance(described, str) and _READ_ONLY.search(described) is not None
    return said or schema.get("readOnly") is True


def names_in(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
