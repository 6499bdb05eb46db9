"""A survey of a whole schema, needed before `slimming` removes anything from one place in it.

The survey is a loop that visits each schema once, so depth and circular references do no harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from penstock.core.json.pointers import unescaped

# Keywords whose value is an object of schemas, a list of schemas, or one schema. `items` may be
# a list or one schema.
BY_NAME: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
BY_POSITION: Final = frozenset({"anyOf", "oneOf", "allOf", "prefixItems", "items"})
SINGLE: Final = frozenset(
    {"items", "additionalItems", "additionalProperties", "contains", "not", "if", "then", "else",
     "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema"}
)  # fmt: skip
DEFINITIONS: Final = frozenset({"$defs", "definitions"})

# With these keywords, references lead to names. The survey does not follow such references.
_NAMED_PLACES: Final = frozenset(
    {"$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"}
)
# With one of these keywords, several schemas may apply to one value. The same holds for a schema
# that combines `allOf`, `_ALTERNATIVES` and `_OF_MEMBERS`.
_JOINING: Final = frozenset(
    {"not", "if", "dependentSchemas", "dependentRequired", "dependencies", "patternProperties",
     "contains", "unevaluatedItems", "unevaluatedProperties"}
)  # fmt: skip
_ALTERNATIVES: Final = frozenset({"anyOf", "oneOf", "$ref"})
_OF_MEMBERS: Final = frozenset(
    {"properties", "required", "additionalProperties", "items", "prefixItems", "additionalItems"}
)
_LONGEST_INDEX: Final = 9
_NOWHERE: Final = object()


@dataclass(slots=True)
class SchemaSurvey:
    """Facts about a whole schema. They hold only as long as the surveyed schema object lives."""

    definitions: set[tuple[str, str]] = field(default_factory=set)  # those that are referred to
    places: set[int] = field(default_factory=set)  # `id` of every node on the way of a reference
    keywords: set[str] = field(default_factory=set)  # of all schemas
    required: set[str] = field(default_factory=set)  # names that any schema requires
    is_joined: bool = False  # several schemas may apply to one value

    @property
    def has_named_places(self) -> bool:
        return not _NAMED_PLACES.isdisjoint(self.keywords)

    def optional(self, schema: Mapping[str, Any]) -> set[str]:
        """Return the properties that may be left out of an object. If several schemas apply to one
        object, a different schema may require them."""
        properties, required = schema.get("properties"), schema.get("required", [])
        if not isinstance(properties, Mapping) or not isinstance(required, list):
            return set()
        return set(properties) - (self.required if self.is_joined else _names(required))


def survey(root: Mapping[str, Any]) -> SchemaSurvey:
    found, seen = SchemaSurvey(), set[int]()
    waiting: list[Any] = [{key: value for key, value in root.items() if key not in DEFINITIONS}]
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, Mapping) or id(schema) in seen:
            continue
        seen.add(id(schema))
        _note(schema, found)
        waiting += _below(schema)
        waiting += _referred_to(schema.get("$ref"), root, found)
    return found


def _note(schema: Mapping[str, Any], found: SchemaSurvey) -> None:
    found.keywords |= schema.keys()
    found.required |= _names(schema.get("required"))
    for keyword in ("dependentRequired", "dependencies"):
        by_name = schema.get(keyword)
        if isinstance(by_name, Mapping):
            found.required.update(*map(_names, by_name.values()))
    all_of = schema.get("allOf")
    parts = len(all_of) if isinstance(all_of, list) else 0
    parts += len(_ALTERNATIVES & schema.keys()) + (not _OF_MEMBERS.isdisjoint(schema))
    found.is_joined = found.is_joined or parts > 1 or not _JOINING.isdisjoint(schema)


def _names(required: Any) -> set[str]:
    return (
        {name for name in required if isinstance(name, str)}
        if isinstance(required, list)
        else set()
    )


def _below(schema: Mapping[str, Any]) -> Iterator[Any]:
    for keyword, value in schema.items():
        if keyword in BY_NAME and isinstance(value, Mapping):
            yield from value.values()
        elif keyword in BY_POSITION and isinstance(value, list):
            yield from value
        elif keyword in SINGLE:
            yield value


def _referred_to(reference: Any, root: Mapping[str, Any], found: SchemaSurvey) -> list[Any]:
    """Return the target of a reference, and the definition that the target is part of."""
    tokens = _tokens(reference)
    way = [*_way(tokens, root)]
    found.places.update(map(id, way))
    if len(tokens) > 1 and tokens[0] in DEFINITIONS:
        found.definitions.add((tokens[0], tokens[1]))
    return way[1:2] + way[-1:]


def target(reference: Any, root: Mapping[str, Any]) -> Any:
    """Return the schema that a reference within the document leads to, or None."""
    tokens = _tokens(reference)
    way = [*_way(tokens, root)]
    return root if reference == "#" else way[-1] if tokens and len(way) == len(tokens) else None


def _tokens(reference: Any) -> list[str]:
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return []
    return [unescaped(token) for token in unquote(reference[2:]).split("/")]


def _way(tokens: Iterable[str], node: Any) -> Iterator[Any]:
    """Yield each node on the way down, until one does not exist."""
    for token in tokens:
        node = _member(node, token)
        if node is _NOWHERE:
            return
        yield node


def _member(node: Any, token: str) -> Any:
    if isinstance(node, Mapping):
        return node.get(token, _NOWHERE)
    is_index = token.isdecimal() and token.isascii() and len(token) <= _LONGEST_INDEX
    if isinstance(node, list) and is_index and int(token) < len(node):
        return node[int(token)]
    return _NOWHERE
