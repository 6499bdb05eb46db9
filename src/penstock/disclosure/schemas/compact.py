"""A schema with what a call needs: two levels of keys below each parameter, no sentence twice.

References are replaced by what they lead to. Where keys are left out, `properties` is a text that
names the required ones: `{id* …}`. The whole schema can be asked for, so nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from penstock.disclosure.schemas.reading import SchemaPlace, is_read_only, names_in
from penstock.disclosure.schemas.signature import kind_text
from penstock.disclosure.schemas.survey import BY_NAME, BY_POSITION, DEFINITIONS, SINGLE
from penstock.disclosure.schemas.telling import tells_more
from penstock.disclosure.texts.shortening import ELLIPSIS, Wording, clipped
from penstock.log import logger

_MOST_CHOICES: Final = 60
# Characters of a description, by its level: of the first sentence, and of several.
_FIRST_CHARS: Final = (160, 80)
_TEXT_CHARS: Final = (100, 60)
_HUGE: Final = 2**31 - 1  # a generator's bound for numbers, and no limit that a caller would meet
_BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_FEWEST: Final = frozenset({"minLength", "minItems", "minProperties"})
_LIMITS: Final = _BOUNDS | _FEWEST | {"maxLength", "maxItems", "multipleOf"}
_SIZES: Final = frozenset({"int32", "int64", "float", "double"})
_PLAIN_KEYS: Final = frozenset({"type", "items"})
_NOT_FOR_CALLERS: Final = DEFINITIONS | {
    "$schema", "$id", "$comment", "$anchor", "title", "examples", "readOnly", "writeOnly",
    "nullable", "additionalItems", "propertyNames", "unevaluatedProperties",
}  # fmt: skip


class _Node(NamedTuple):
    """One place of the schema to be shown."""

    place: SchemaPlace
    name: str = ""  # of the property; empty for any other place
    level: int = -1  # of keys: 0 for a parameter, 1 for a key below it


@dataclass(slots=True)
class CompactSchema:
    """The making of one compact schema."""

    root: Mapping[str, Any]
    name: str = ""  # of the tool
    said: set[str] = field(default_factory=set)  # sentences that need not be repeated
    patterns: dict[str, str] = field(default_factory=dict)  # the property that showed each pattern
    is_cut: bool = False  # something that a call may need was left out

    def made(self, said: Iterable[str] = ()) -> dict[str, Any]:
        """Return the compact schema. A schema that cannot be read becomes an open one, because the
        reply describes other tools too."""
        self.said.update(map(_normal, said))
        try:
            return self._shown(_Node(SchemaPlace.at_root(self.root)))
        except Exception:  # noqa: BLE001 (one tool must not cost the reply)
            logger().exception("%s is described without its schema: it cannot be read", self.name)
            self.is_cut = True
            return {"type": "object"}

    def _shown(self, node: _Node) -> dict[str, Any]:
        node = node._replace(place=_without_null(node.place))
        self.is_cut = self.is_cut or node.place.is_cut
        shown: dict[str, Any] = {}
        for key, value in node.place.schema.items():
            if key in _NOT_FOR_CALLERS or key.startswith("x-"):
                continue
            kept = self._kept(key, value, node)
            if kept is not None:
                shown[key] = kept
        if "enum" in shown or "const" in shown:
            shown.pop("type", None)
        return self._with_marks(shown, node)

    def _kept(self, key: str, value: Any, node: _Node) -> Any:
        """Return what is shown of one keyword, or None."""
        match key:
            case "description":
                return self._text(value, node) or None
            case "type":
                types = node.place.types
                return types[0] if len(types) == 1 else types or None
            case "properties":
                return self._properties(node)
            case "required":
                return None if node.place.is_circular else names_in(value) or None
            case "enum":
                return self._choices(value)
            case "pattern":
                return None
            case "additionalProperties" if not isinstance(value, Mapping) or not value:
                return None
        if key in BY_NAME or key in BY_POSITION or key in SINGLE:
            return self._below(key, value, node)
        return None if _is_noise(key, value) else value

    def _properties(self, node: _Node) -> Any:
        place = node.place
        if place.is_circular:
            return self._marked(kind_text(place))
        if node.level < 0:
            return {
                key: self._shown(_Node(place.below(item), key, 0))
                for key, item in place.properties.items()
            }
        required = set(place.required)
        below = {key: place.below(item) for key, item in place.properties.items()}
        return {
            key: self._leaf(_Node(item, key, 1))
            for key, item in below.items()
            if key in required or not is_read_only(item.schema)
        }

    def _leaf(self, node: _Node) -> str:
        """Return a key below a parameter in one text: its type, its limits and its description."""
        node = node._replace(place=_without_null(node.place))
        kind = self._marked(kind_text(node.place))
        limits = [f"{key} {value}" for key, value in self._limits(node)]
        text = self._text(node.place.schema.get("description"), node)
        return ": ".join(filter(None, [", ".join([kind, *limits]), text]))

    def _limits(self, node: _Node) -> Iterator[tuple[str, Any]]:
        for key, value in node.place.schema.items():
            if key == "pattern" and (pattern := self._pattern(node)):
                yield key, pattern
            elif key in _LIMITS and not _is_noise(key, value):
                yield key, value

    def _marked(self, text: str) -> str:
        self.is_cut = self.is_cut or ELLIPSIS in text
        return text

    def _below(self, key: str, value: Any, node: _Node) -> Any:
        def shown(item: Any) -> Any:
            if not isinstance(item, Mapping):
                return item
            return self._shown(_Node(node.place.below(item), "", node.level))

        if node.place.is_circular:
            self.is_cut = True
            return None
        if key in BY_NAME and isinstance(value, Mapping):
            return {name: shown(item) for name, item in value.items()}
        if key in BY_POSITION and isinstance(value, list):
            return [shown(item) for item in value if item != {"type": "null"}]
        return shown(value)

    def _text(self, text: Any, node: _Node) -> str:
        """Return the sentences that were not said before, unless they only repeat the name."""
        if not isinstance(text, str):
            return ""
        by_words = {_normal(each): each for each in Wording(text, is_markup=False).pieces}
        new = [each for words, each in by_words.items() if words not in self.said]
        self.said.update(by_words)
        telling = [each for each in new if tells_more(each, node.name, self.name)]
        depth, told = max(0, node.level), ""
        for count in range(1, len(telling) + 1):
            longer = "".join(telling[:count]).strip()
            if told and len(longer) > _TEXT_CHARS[depth]:
                self.is_cut = True
                return f"{told} {ELLIPSIS}"
            told = longer
        return self._marked(clipped(told, _FIRST_CHARS[depth]))

    def _choices(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        some = [choice for choice in value if choice is not None]
        self.is_cut = self.is_cut or len(some) > _MOST_CHOICES
        return some if len(some) <= _MOST_CHOICES else [*some[:_MOST_CHOICES], ELLIPSIS]

    def _with_marks(self, shown: dict[str, Any], node: _Node) -> dict[str, Any]:
        """Add the pattern, or say in the description which property shows it, and mark a cut."""
        told, pattern = [shown.get("description")], self._pattern(node)
        if pattern and pattern == node.place.schema["pattern"]:
            shown["pattern"] = pattern
        elif pattern:
            told.append(f"Pattern {pattern}.")
        if node.place.is_cut:
            told.append(ELLIPSIS)
        text = " ".join(filter(None, told))
        return {**shown, "description": text} if text else shown

    def _pattern(self, node: _Node) -> str:
        """Return a pattern once, and then the name of the property that shows it. A format says the
        same in fewer words."""
        pattern = node.place.schema.get("pattern")
        if not isinstance(pattern, str) or node.place.schema.get("format"):
            return ""
        if not node.name:
            return pattern
        if pattern in self.patterns:
            return f"as for {self.patterns[pattern]}"
        self.patterns[pattern] = node.name
        return pattern


def _without_null(place: SchemaPlace) -> SchemaPlace:
    """Return the one alternative of a union with null in place of the union."""
    left = [each for each in place.branches if each != {"type": "null"}]
    rest = {key: item for key, item in place.schema.items() if key not in ("anyOf", "oneOf")}
    if len(left) == 1 and isinstance(left[0], Mapping):
        return place.below({**left[0], **rest})
    united = _united(left)
    return place._replace(schema={**united, **rest}) if united else place


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
    """Return a sentence as it is compared. Its signs count: `> 0` and `< 0` are different."""
    return "".join(text.casefold().split()).replace("`", "").rstrip(".")
