"""One place in a schema as a reader understands it: references followed, parts joined.

A small schema can describe a huge one, because references multiply and unions nest. So all places
of one reading share a number of steps. A place that is not read, or not wholly, is marked as cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self

from penstock.disclosure.schemas.survey import target

# The largest of 3,367 schemas of real servers takes 11,000 steps and 13 levels; most take far fewer.
_MOST_STEPS: Final = 30_000
_DEEPEST: Final = 30  # a level takes up to nine of Python's thousand stack frames
_UNIONS: Final = ("anyOf", "oneOf")
_CONDITIONAL: Final = ("then", "else")
_DEPENDENT: Final = ("dependentSchemas", "dependencies")
_OPEN: Final = ("additionalProperties", "patternProperties", "unevaluatedProperties")
_NULL: Final = {"type": "null"}
# Generators that drop the keyword `readOnly` leave this sentence in the description.
_READ_ONLY: Final = re.compile(r"(?:^|[.;]\s)\s*read-?only\b\s*(?:[.;]|$)", re.IGNORECASE)


@dataclass(slots=True)
class _Work:
    """The steps that the reading of one schema may still take."""

    root: Mapping[str, Any]
    steps: int = _MOST_STEPS
    targets: dict[str, Any] = field(default_factory=dict)  # of references, each looked up once

    def pays_for(self, place: SchemaPlace) -> bool:
        """Take the steps of one place: as many as it has properties and references behind it."""
        self.steps -= 1 + len(table_in(place.schema.get("properties"))) + len(place.way)
        return self.steps >= 0

    def target(self, reference: Any) -> Any:
        """Return the schema that a reference leads to, or None."""
        if not isinstance(reference, str):
            return None
        if reference not in self.targets:
            self.targets[reference] = target(reference, self.root)
        return self.targets[reference]


class SchemaPlace(NamedTuple):
    """A schema whose own references and `allOf` are resolved."""

    schema: Mapping[str, Any]
    work: _Work
    way: frozenset[str] = frozenset()  # the references that led here
    nested: int = 0  # the levels above
    is_circular: bool = False  # a reference led here a second time
    is_cut: bool = False  # the schema says more than was read

    @classmethod
    def at_root(cls, root: Mapping[str, Any]) -> Self:
        return cls(root, _Work(root)).opened()

    def below(self, schema: Any) -> Self:
        """Return a place one level below. The keywords beside a reference stay, and so does a
        reference that leads nowhere."""
        below = self._replace(
            schema=table_in(schema), nested=self.nested + 1, is_circular=False, is_cut=False
        )
        return below.opened()

    def opened(self) -> Self:
        """Follow the references of this place, and join its `allOf`."""
        place = self
        while place.nested <= _DEEPEST and place.work.pays_for(place):
            found = place.work.target(place.schema.get("$ref"))
            if found is None or place.is_circular:
                return place._with_all()
            place = place._referred_to(table_in(found))
        return place._replace(schema={}, is_cut=True)

    @property
    def properties(self) -> dict[str, Any]:
        """The properties that a call may give, and required ones without a schema of their own. A
        schema of `false` forbids a property."""
        found = table_in(self.schema.get("properties"))
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
    def is_union(self) -> bool:
        """Return whether the branches say everything about the properties."""
        return bool(self.branches) and not self.properties and not self.is_circular

    @property
    def types(self) -> list[str]:
        """The types, without null unless it is the only one."""
        given = self.schema.get("type")
        types = names_in([given] if isinstance(given, str) else given)
        return [kind for kind in types if kind != "null"] or types

    @property
    def is_open(self) -> bool:
        """Return whether a call may give properties that `properties` does not name, of which the
        schema says something."""
        return self.is_cut or any(table_in(self.schema.get(key)) for key in _OPEN)

    def with_branches(self) -> Self:
        """Join the properties of all branches and conditions to those of this place. A property is
        required if this place requires it, or all branches of a union."""
        unions = [[self.below(each).with_branches() for each in union] for union in self._unions()]
        places = [place for union in unions for place in union]
        if not places:
            return self
        common = [set.intersection(*(set(each.required) for each in union)) for union in unions]
        required = [
            *names_in(self.schema.get("required")),
            *(name for each in common for name in each),
        ]
        schema = {
            **self.schema,
            "properties": self._with_properties_of(places),
            "required": required,
        }
        return self._replace(
            schema={key: value for key, value in schema.items() if key not in _UNIONS},
            way=self.way.union(*(each.way for each in places)),
            is_cut=self.is_cut or any(each.is_open or each.is_circular for each in places),
        )

    def _unions(self) -> Iterator[list[Any]]:
        """Yield the alternatives of each union. A condition is one of two: it may not apply."""
        if self.is_circular:
            return
        for key in _UNIONS:
            union = self.schema.get(key)
            if isinstance(union, list) and (some := [each for each in union if each != _NULL]):
                yield some
        conditions = [self.schema[key] for key in _CONDITIONAL if key in self.schema]
        for key in _DEPENDENT:
            conditions += table_in(self.schema.get(key)).values()
        yield from ([condition, {}] for condition in conditions)

    def _with_properties_of(self, places: Iterable[SchemaPlace]) -> dict[str, Any]:
        """Return the properties of this place, then those that only other places have. If several
        describe the same one, any of their descriptions holds."""
        own = table_in(self.schema.get("properties"))
        found: dict[str, list[Any]] = {}
        for place in places:
            for name, item in place.properties.items():
                known = found.setdefault(name, [])
                if item != {} and item not in known:
                    known.append(item)
        others = {
            name: known[0] if len(known) == 1 else {"anyOf": known} if known else {}
            for name, known in found.items()
            if name not in own
        }
        return {**own, **others}

    def _referred_to(self, found: Mapping[str, Any]) -> Self:
        reference = self.schema["$ref"]
        beside = {key: value for key, value in self.schema.items() if key != "$ref"}
        return self._replace(
            schema=_joined([found, beside]),
            way=self.way | {reference},
            is_circular=reference in self.way,
            is_cut=_has_rival_unions([found, beside]),
        )

    def _with_all(self) -> Self:
        parts = self.schema.get("allOf")
        if not isinstance(parts, list) or self.is_circular:
            return self
        places = [self.below(part) for part in parts]
        rest = {key: value for key, value in self.schema.items() if key != "allOf"}
        schemas = [*(each.schema for each in places), rest]
        is_cut = any(each.is_cut for each in places) or _has_rival_unions(schemas)
        return self._replace(
            schema=_joined(schemas),
            way=self.way.union(*(each.way for each in places)),
            is_circular=any(each.is_circular for each in places),
            is_cut=self.is_cut or is_cut,
        )


def _joined(schemas: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    joined: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    required: dict[str, None] = {}
    for schema in schemas:
        joined |= schema
        properties |= table_in(schema.get("properties"))
        required |= dict.fromkeys(names_in(schema.get("required")))
    joined |= {"properties": properties} if properties else {}
    return joined | ({"required": [*required]} if required else {})


def _has_rival_unions(schemas: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether joined schemas have different unions, of which only the last is read."""
    unions = [schema[key] for schema in schemas for key in _UNIONS if key in schema]
    return any(union != unions[0] for union in unions)


def is_read_only(schema: Any) -> bool:
    """Return whether a property is set by the server alone, so that no call gives it."""
    if not isinstance(schema, Mapping):
        return False
    described = schema.get("description")
    said = isinstance(described, str) and _READ_ONLY.search(described) is not None
    return said or schema.get("readOnly") is True


def names_in(value: Any) -> list[str]:
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def table_in(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
