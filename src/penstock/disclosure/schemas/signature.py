"""One line that tells a model what a tool takes: `path* head:int mode:fast|slow`.

Required parameters come first, with a star. A parameter without a type is a text. Anything that is
cut is counted (`… 12 more`), or marked (`a|b|…`). Over 3,367 tools of real servers, spaces instead
of commas and no space after a colon save a sixth of the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from penstock.core.json.encoding import encode
from penstock.disclosure.schemas.reading import SchemaPlace, is_read_only, opened
from penstock.disclosure.texts.shortening import ELLIPSIS, clipped

_MOST_PARAMETERS: Final = 30
_MOST_CHOICES: Final = 12
_NAME_CHARS: Final = 100
_CHOICE_CHARS: Final = 100
_DEEPEST: Final = 20  # lists in lists, unions in unions
_MOST_PLACES: Final = 2_000  # references can make a small schema very large
_FEW_KEYS: Final = 2  # an object with so few keys wraps others, and is shown along with them
_SHORT: Final = {
    "string": "str", "integer": "int", "number": "num", "boolean": "bool", "object": "obj",
}  # fmt: skip
_PLAIN: Final = re.compile(r"[^\W\d][\w./@+-]*")
_SPLITTING: Final = re.compile(r"[\s\"*:{}|]")
_WORDS_OF_JSON: Final = frozenset({"true", "false", "null"})


class Parameters(NamedTuple):
    """The parameters of a tool, each as a signature shows it."""

    required: list[str]
    optional: dict[str, str]  # by name

    def line(self, leaving_out: Collection[str] = ()) -> str:
        others = [told for name, told in self.optional.items() if name not in leaving_out]
        some = others[: max(0, _MOST_PARAMETERS - len(self.required))]
        return _line([*self.required, *some], len(others) - len(some))


def signature(
    schema: Mapping[str, Any], *, depth: int = 0, leaving_out: Collection[str] = ()
) -> str:
    """Return the parameters of a tool in one line. `depth` is the number of levels of objects whose
    keys are shown. `leaving_out` names optional parameters that are told elsewhere."""
    return parameters_of(schema, depth=depth).line(leaving_out)


def parameters_of(schema: Mapping[str, Any], *, depth: int = 0) -> Parameters:
    return _Signer(schema, depth).parameters(opened(schema, schema))


def _line(shown: list[str], hidden: int) -> str:
    return " ".join([*shown, f"{ELLIPSIS} {hidden} more"] if hidden else shown)


def kind_text(place: SchemaPlace, root: Mapping[str, Any]) -> str:
    """Return the type or format of a place, with its keys if it is an object. Where keys are left
    out, show the required ones: `{id* …}`."""
    return _Signer(root, 1, is_exact=True).kind(place)


@dataclass(frozen=True, slots=True)
class _Signer:
    root: Mapping[str, Any]
    depth: int
    is_exact: bool = False  # shows formats, and `{…}` instead of `obj` where keys are left out
    seen: list[None] = field(default_factory=list)  # one for each place, to bound the work

    def parameters(self, place: SchemaPlace) -> Parameters:
        if not place.properties and place.branches and not place.is_circular:
            way = place.way | {"#"}
            told = (self.parameters(opened(each, self.root, way)) for each in place.branches)
            lines = dict.fromkeys(each.line() for each in told)
            return Parameters([" | ".join(filter(None, lines))] if any(lines) else [], {})
        properties = place.properties
        required = dict.fromkeys(place.required)
        others = [name for name in properties if name not in required]
        told_of = partial(self._parameter, way=place.way, depth=self.depth, nested=0)
        return Parameters(
            [told_of(name, properties[name], star="*") for name in required],
            {name: told_of(name, properties[name]) for name in others},
        )

    def _listed(
        self, place: SchemaPlace, required: list[str], others: list[str], depth: int, nested: int
    ) -> str:
        some = others[: max(0, _MOST_PARAMETERS - len(required))]
        stars = {**dict.fromkeys(required, "*"), **dict.fromkeys(some, "")}
        properties = place.properties
        shown = [
            self._parameter(name, properties[name], place.way, depth, nested, star)
            for name, star in stars.items()
        ]
        return _line(shown, len(others) - len(some))

    def _parameter(
        self,
        name: str,
        schema: Any,
        way: frozenset[str],
        depth: int,
        nested: int,
        star: str = "",
    ) -> str:
        kind = "|".join(self._kinds(schema, way, depth, nested))
        short = clipped(name, _NAME_CHARS)
        told = (encode(short).decode() if _SPLITTING.search(short) else short) + star
        return told if kind == "str" else f"{told}:{kind}"

    def _kinds(self, schema: Any, way: frozenset[str], depth: int, nested: int) -> list[str]:
        """Return the alternatives, each once, without null unless it is the only one."""
        if nested > _DEEPEST or len(self.seen) > _MOST_PLACES:
            return [ELLIPSIS]
        self.seen.append(None)
        kinds = dict.fromkeys(self._each_kind(opened(schema, self.root, way), depth, nested + 1))
        return [kind for kind in kinds if kind != "null"] or [*kinds] or ["any"]

    def _each_kind(self, place: SchemaPlace, depth: int, nested: int) -> Iterator[str]:
        if choices := _choices(place.schema):
            yield from choices
        elif (branches := place.branches) and not place.properties and not place.is_circular:
            for branch in branches:
                yield from self._kinds(branch, place.way, depth, nested)
        else:
            for kind in place.types or _implied(place.schema):
                yield self._typed(kind, place, depth, nested)

    def _typed(self, kind: str, place: SchemaPlace, depth: int, nested: int) -> str:
        if kind == "array":
            items = None if place.is_circular else place.schema.get("items")
            kinds = self._kinds(items, place.way, depth, nested)
            return f"({'|'.join(kinds)})[]" if len(kinds) > 1 else f"{kinds[0]}[]"
        form = place.schema.get("format")
        if kind == "string" and self.is_exact and isinstance(form, str):
            return form
        keys = self._keys(place, depth, nested) if kind == "object" and self.depth else ""
        return keys or _SHORT.get(kind, kind)

    def kind(self, place: SchemaPlace) -> str:
        return "|".join(self._kinds(place.schema, place.way, self.depth, 0))

    def _keys(self, place: SchemaPlace, depth: int, nested: int) -> str:
        """Return the keys of an object, or nothing if they are too many for this depth."""
        required = place.required
        others = [
            name
            for name, item in place.properties.items()
            if name not in required and not is_read_only(opened(item, self.root).schema)
        ]
        is_level = len(required) + len(others) > _FEW_KEYS
        if place.is_circular or depth < is_level:
            least = self._listed(place, [] if place.is_circular else required, [], 0, nested)
            return f"{{{' '.join(filter(None, [least, ELLIPSIS]))}}}" if self.is_exact else ""
        listed = self._listed(place, required, others, depth - is_level, nested)
        return f"{{{listed}}}" if listed else ""


def _implied(schema: Mapping[str, Any]) -> list[str]:
    return ["object"] if "properties" in schema else ["array"] if "items" in schema else []


def _choices(schema: Mapping[str, Any]) -> list[str]:
    given = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(given, list):
        return []
    some = [_choice(choice) for choice in given if choice is not None]
    return [*some[:_MOST_CHOICES], *[ELLIPSIS][: len(some) > _MOST_CHOICES]]


def _choice(value: Any) -> str:
    """Return a choice, in quotation marks if it would otherwise read as something else."""
    if not isinstance(value, str):
        return clipped(encode(value).decode(), _CHOICE_CHARS)
    is_plain = _PLAIN.fullmatch(value) and value not in _WORDS_OF_JSON
    short = clipped(value, _CHOICE_CHARS)
    return short if is_plain else encode(short).decode()
