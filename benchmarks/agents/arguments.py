"""The fewest arguments that a schema admits, as far as an agent can tell from the schema."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

_DEEPEST: Final = 12
FORMATS: Final = {
    "date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "email": "x@example.com",
    "time": "12:00:00Z", "uri": "https://example.com", "url": "https://example.com",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
}  # fmt: skip
# An agent writes a text that matches a pattern. These match most patterns of real servers.
_TEXTS: Final = (
    "x", "1", "AAA", "x-1", "1.1", "1/1", "x/x", "/x", "#112233", "x@1", "+10000000000",
    *FORMATS.values(),
)  # fmt: skip
_BY_TYPE: Final[Mapping[str, Any]] = {"boolean": True, "null": None}


def fewest_arguments(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the required arguments only."""
    value = _Guess(schema).value({**schema, "type": "object"})
    assert isinstance(value, dict)
    return value


class _Guess:
    """Values for the places of one schema. References lead within it."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root

    def value(self, schema: Any, depth: int = 0) -> Any:
        if not isinstance(schema, Mapping) or depth > _DEEPEST:
            return "x"
        place = self._joined(schema)
        if "const" in place:
            return place["const"]
        choices = place.get("enum")
        if isinstance(choices, list) and choices:
            return choices[0]
        match kind := _kind(place):
            case "object":
                return self._object(place, depth)
            case "array":
                # A task needs at least one item, also where the schema admits none.
                count = max(1, place.get("minItems", 0))
                return [self.value(place.get("items"), depth + 1) for _ in range(count)]
            case "integer" | "number":
                return _number(place)
            case "string":
                return _text(place)
            case _:
                return _BY_TYPE.get(kind, "x")

    def _object(self, place: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = place.get("properties") or {}
        return {
            name: self.value(properties.get(name), depth + 1) for name in place.get("required", [])
        }

    def _joined(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return the schema with its reference, its parts and the first branch of its unions."""
        found = dict(schema)
        for _ in range(_DEEPEST):
            parts = [*found.pop("allOf", [])]
            for union in ("anyOf", "oneOf"):
                branches = [one for one in found.pop(union, []) if one != {"type": "null"}]
                parts += branches[:1]
            if "$ref" in found:
                parts.append(self._target(found.pop("$ref")))
            if not parts:
                break
            for part in parts:
                found = _merged(found, part)
        return found

    def _target(self, reference: str) -> Mapping[str, Any]:
        place: Any = self._root
        for step in reference.removeprefix("#").strip("/").split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(place, Mapping) or (name and name not in place):
                return {}
            place = place[name] if name else place
        return place if isinstance(place, Mapping) else {}


def _merged(schema: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    joined = {**schema, **part}
    for key in ("properties", "required"):
        if key in schema and key in part:
            both = schema[key], part[key]
            joined[key] = both[0] | both[1] if key == "properties" else [*both[0], *both[1]]
    return joined


def _kind(place: Mapping[str, Any]) -> str:
    kind = place.get("type")
    if isinstance(kind, str):
        return kind
    if isinstance(kind, Sequence) and kind:
        return str(next((one for one in kind if one != "null"), kind[0]))
    return "object" if "properties" in place else "array" if "items" in place else "string"


def _number(place: Mapping[str, Any]) -> Any:
    least = place.get("minimum", place.get("exclusiveMinimum", 0) + 1)
    most = place.get("maximum", place.get("exclusiveMaximum", max(1, least) + 1) - 1)
    step = place.get("multipleOf")
    return step or max(least, min(1, most))


def _text(place: Mapping[str, Any]) -> str:
    text = FORMATS.get(place.get("format", ""), "x")
    pattern = place.get("pattern")
    if isinstance(pattern, str):
        text = next((one for one in (text, *_TEXTS) if _matches(pattern, one)), text)
    return text.ljust(place.get("minLength", 0), text[-1])


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:  # the pattern of another language
        return False
