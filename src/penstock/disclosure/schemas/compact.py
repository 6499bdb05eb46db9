"""A schema with what a call needs: two levels of keys below each parameter, no sentence twice.

References are replaced by what they lead to. Where keys are left out, `properties` is a text that
names the required ones: `{id* …}`. The whole schema can be asked for, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from penstock.disclosure.schemas.reading import SchemaPlace, is_read_only, names_in, opened
from penstock.disclosure.schemas.signature import kind_text
from penstock.disclosure.schemas.survey import BY_NAME, BY_POSITION, DEFINITIONS, SINGLE
from penstock.disclosure.texts import stems
from penstock.disclosure.texts.shortening import ELLIPSIS, clipped, sentences

_MOST_CHOICES: Final = 60
# Characters of a description, by its level: of the first sentence, and of several.
_FIRST_CHARS: Final = (160, 80)
_TEXT_CHARS: Final = (100, 60)
_HUGE: Final = 2**31 - 1  # a generator's bound for numbers, and no limit that a caller would meet
_DEEPEST: Final = 40  # lists in lists, unions in unions
_MOST_PLACES: Final = 2_000  # references can make a small schema very large
_BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_FEWEST: Final = frozenset({"minLength", "minItems", "minProperties"})
_LIMITS: Final = _BOUNDS | _FEWEST | {"pattern", "maxLength", "maxItems", "multipleOf"}
_SIZES: Final = frozenset({"int32", "int64", "float", "double"})
_EMPTY_WORDS: Final = (
    "value",
    "property",
    "field",
    "parameter",
    "optional",
    "required",
    "nullable",
)
_PLAIN_KEYS: Final = frozenset({"type", "items"})
_NOT_FOR_CALLERS: Final = DEFINITIONS | {
    "$schema", "$id", "$comment", "$anchor", "title", "examples", "readOnly", "writeOnly",
    "nullable", "additionalItems", "propertyNames", "unevaluatedProperties",
}  # fmt: skip


@dataclass(slots=True)
class CompactSchema:
    """The making of one compact schema."""

    root: Mapping[str, Any]
    name: str = ""  # of the tool
    said: set[str] = field(default_factory=set)  # sentences that need not be repeated
    patterns: dict[str, str] = field(default_factory=dict)  # where each pattern was shown
    places: int = 0  # that were visited
    is_cut: bool = False  # something that a call may need was left out

    def made(self, said: Iterable[str] = ()) -> dict[str, Any]:
        self.said.update(map(_normal, said))
        return self._node(opened(self.root, self.root), "", -1, 0)

    def _node(self, place: SchemaPlace, name: str, level: int, nested: int) -> dict[str, Any]:
        self.places += 1
        if nested > _DEEPEST or self.places > _MOST_PLACES:
            self.is_cut = True
            return {}
        place = self._without_null(place)
        shown: dict[str, Any] = {}
        for key, value in place.schema.items():
            if key in _NOT_FOR_CALLERS or key.startswith("x-"):
                continue
            kept = self._kept(key, value, place, name, level, nested)
            if kept is not None:
                shown[key] = kept
        if "enum" in shown or "const" in shown:
            shown.pop("type", None)
        return shown

    def _without_null(self, place: SchemaPlace) -> SchemaPlace:
        """Return the one alternative of a union with null in place of the union."""
        left = [each for each in place.branches if each != {"type": "null"}]
        rest = {key: item for key, item in place.schema.items() if key not in ("anyOf", "oneOf")}
        if len(left) == 1 and isinstance(left[0], Mapping):
            return opened({**left[0], **rest}, self.root, place.way)
        united = _united(left)
        return place._replace(schema={**united, **rest}) if united else place

    def _kept(
        self, key: str, value: Any, place: SchemaPlace, name: str, level: int, nested: int
    ) -> Any:
        """Return what is shown of one keyword, or None."""
        match key:
            case "description":
                return self._text(value, name, level) or None
            case "type":
                types = place.types
                return types[0] if len(types) == 1 else types or None
            case "properties":
                return self._properties(place, level, nested)
            case "required":
                return None if place.is_circular else names_in(value) or None
            case "enum":
                return self._choices(value)
            case "pattern":
                return self._pattern(value, place.schema, name)
            case "additionalProperties" if not isinstance(value, Mapping) or not value:
                return None
        if key in BY_NAME or key in BY_POSITION or key in SINGLE:
            return self._below(key, value, place, level, nested)
        return None if _is_noise(key, value) else value

    def _properties(self, place: SchemaPlace, level: int, nested: int) -> Any:
        if place.is_circular:
            return self._marked(kind_text(place, self.root))
        properties = place.properties
        if level < 0:
            return {
                key: self._node(opened(item, self.root, place.way), key, level + 1, nested + 1)
                for key, item in properties.items()
            }
        required = set(place.required)
        return {
            key: self._leaf(key, item, place.way)
            for key, item in properties.items()
            if key in required or not is_read_only(opened(item, self.root).schema)
        }

    def _leaf(self, name: str, schema: Any, way: frozenset[str]) -> str:
        """Return a key below a parameter in one text: its type, its limits and its description."""
        place = self._without_null(opened(schema, self.root, way))
        kind = self._marked(kind_text(place, self.root))
        limits = [f"{key} {value}" for key, value in self._limits(place.schema, name)]
        text = self._text(place.schema.get("description"), name, 1)
        return ": ".join(filter(None, [", ".join([kind, *limits]), text]))

    def _limits(self, schema: Mapping[str, Any], name: str) -> Iterator[tuple[str, Any]]:
        for key, value in schema.items():
            kept = self._pattern(value, schema, name) if key == "pattern" else value
            if key in _LIMITS and kept is not None and not _is_noise(key, value):
                yield key, kept

    def _marked(self, text: str) -> str:
        self.is_cut = self.is_cut or ELLIPSIS in text
        return text

    def _below(self, key: str, value: Any, place: SchemaPlace, level: int, nested: int) -> Any:
        def node(item: Any) -> Any:
            if not isinstance(item, Mapping):
                return item
            return self._node(opened(item, self.root, place.way), "", level, nested + 1)

        if place.is_circular:
            self.is_cut = True
            return None
        if key in BY_NAME and isinstance(value, Mapping):
            return {name: node(item) for name, item in value.items()}
        if key in BY_POSITION and isinstance(value, list):
            return [node(item) for item in value if item != {"type": "null"}]
        return node(value)

    def _text(self, text: Any, name: str, level: int) -> str:
        """Return the sentences that were not said before, unless they only repeat the name."""
        if not isinstance(text, str):
            return ""
        by_words = {_normal(each): each for each in sentences(text)}
        new = [each for words, each in by_words.items() if words not in self.said]
        self.said.update(by_words)
        telling = [each for each in new if not self._is_plain_from(each, name)]
        depth, told = max(0, level), ""
        for count in range(1, len(telling) + 1):
            longer = " ".join(telling[:count])
            if told and len(longer) > _TEXT_CHARS[depth]:
                self.is_cut = True
                return f"{told} {ELLIPSIS}"
            told = longer
        return self._marked(clipped(told, _FIRST_CHARS[depth]))

    def _is_plain_from(self, sentence: str, name: str) -> bool:
        """Return whether a sentence says no more than the names do: `The subject of the message`."""
        named = (*stems.in_name(name), *stems.in_name(self.name), *_EMPTY_WORDS)
        return {*stems.in_text(sentence)} <= {*map(stems.stem, named)}

    def _choices(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        some = [choice for choice in value if choice is not None]
        self.is_cut = self.is_cut or len(some) > _MOST_CHOICES
        return some if len(some) <= _MOST_CHOICES else [*some[:_MOST_CHOICES], ELLIPSIS]

    def _pattern(self, value: Any, schema: Mapping[str, Any], name: str) -> Any:
        """Return a pattern once. A format says the same in fewer words."""
        if not isinstance(value, str) or schema.get("format"):
            return None
        if value in self.patterns and name:
            return f"as for {self.patterns[value]}"
        self.patterns.setdefault(value, name)
        return value


def _is_noise(key: str, value: Any) -> bool:
    if key in _BOUNDS:
        return isinstance(value, (int, float)) and abs(value) >= _HUGE
    if key in _FEWEST:
        return bool(value == 0)
    return (key == "default" and value is None) or (key == "format" and value in _SIZES)


def _united(branches: list[Any]) -> dict[str, Any]:
    """Return one schema for a text or a list of texts, which many servers accept, or nothing."""
    plain = [each for each in branches if isinstance(each, Mapping) and each.keys() <= _PLAIN_KEYS]
    types = [each.get("type") for each in plain]
    if len(plain) != len(branches) or len({*map(str, types)}) != len(types):
        return {}
    if not types or not all(isinstance(kind, str) for kind in types):
        return {}
    return {key: each[key] for each in plain for key in each} | {"type": types}


def _normal(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
