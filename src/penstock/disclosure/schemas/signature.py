"""One line that tells a model what a tool takes: `path* head:int mode:fast|slow`.

Required parameters come first, with a star. A parameter without a type is a text. Anything that is
cut is counted (`… 12 more`), or marked (`a|b|…`), and so are names that the caller may choose (`…`). Over 3,367 tools of real servers, spaces instead
of commas and no space after a colon save a sixth of the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from penstock.core.json.encoding import encode
from penstock.disclosure.schemas.reading import SchemaPlace, is_read_only
from penstock.disclosure.texts.shortening import ELLIPSIS, clipped
from penstock.log import logger

_MOST_PARAMETERS: Final = 30
_MOST_CHOICES: Final = 12
_NAME_CHARS: Final = 100
_CHOICE_CHARS: Final = 100
_FEW_KEYS: Final = 2  # an object with so few keys wraps others, and is shown along with them
_SHORT: Final = {
    "string": "str", "integer": "int", "number": "num", "boolean": "bool", "object": "obj",
}  # fmt: skip
_PLAIN: Final = re.compile(r"[^\W\d][\w./@+-]*")
_SPLITTING: Final = re.compile(r"[\s\"*:{}()\[\]|]")
_WORDS_OF_JSON: Final = frozenset({"true", "false", "null"})


class Parameters(NamedTuple):
    """The parameters of a tool, each as a signature shows it."""

    required: list[str]
    optional: dict[str, str]  # by name
    is_open: bool = False  # there are others, which have no names here

    def line(self, leaving_out: Collection[str] = ()) -> str:
        others = [told for name, told in self.optional.items() if name not in leaving_out]
        return _line(self.required, others, is_open=self.is_open)


def signature(
    schema: Mapping[str, Any], *, depth: int = 0, leaving_out: Collection[str] = ()
) -> str:
    """Return the parameters of a tool in one line. `depth` is the number of levels of objects whose
    keys are shown. `leaving_out` names optional parameters that are told elsewhere."""
    return parameters_of(schema, depth=depth).line(leaving_out)


def parameters_of(schema: Mapping[str, Any], *, depth: int = 0) -> Parameters:
    """Return the parameters of a tool. A schema that cannot be read gives a mark alone, because the
    list or the search that asks shows other tools too."""
    try:
        return _Signer(depth).parameters(SchemaPlace.at_root(schema))
    except Exception:  # noqa: BLE001 (one tool must not cost the list)
        logger().exception("a tool is shown without its parameters: its schema cannot be read")
        return Parameters([], {}, is_open=True)


def _line(required: list[str], others: list[str], *, is_open: bool) -> str:
    some = others[: max(0, _MOST_PARAMETERS - len(required))]
    hidden = len(others) - len(some)
    mark = f"{ELLIPSIS} {hidden} more" if hidden else ELLIPSIS if is_open else ""
    return " ".join(filter(None, [*required, *some, mark]))


def kind_text(place: SchemaPlace) -> str:
    """Return the type or format of a place, with its keys if it is an object. Where keys are left
    out, show the required ones: `{id* …}`."""
    return _Signer(1, is_exact=True).kind(place, 1)


@dataclass(frozen=True, slots=True)
class _Signer:
    depth: int
    is_exact: bool = False  # shows formats, and `{…}` instead of `obj` where keys are left out

    def parameters(self, place: SchemaPlace) -> Parameters:
        if place.is_union:
            lines = " | ".join(filter(None, dict.fromkeys(self._alternatives(place))))
            return Parameters([lines] if lines else [], {})
        place = place.with_branches()
        below = {name: place.below(item) for name, item in place.properties.items()}
        return self._told(below, place, self.depth)

    def _alternatives(self, place: SchemaPlace) -> Iterator[str]:
        """Yield a line for each branch of a union, and of the unions in it."""
        if not place.is_union:
            yield self.parameters(place).line()
            return
        for branch in place.branches:
            yield from self._alternatives(place.below(branch))
        if place.is_open:
            yield ELLIPSIS

    def _told(self, keys: Mapping[str, SchemaPlace], place: SchemaPlace, depth: int) -> Parameters:
        """Return some keys of a place as parameters."""
        required = dict.fromkeys(name for name in place.required if name in keys)
        return Parameters(
            [self._parameter(name, keys[name], depth, star="*") for name in required],
            {
                name: self._parameter(name, below, depth)
                for name, below in keys.items()
                if name not in required
            },
            place.is_open,
        )

    def _parameter(self, name: str, place: SchemaPlace, depth: int, star: str = "") -> str:
        kind = self.kind(place, depth)
        short = clipped(name, _NAME_CHARS)
        told = (encode(short).decode() if _SPLITTING.search(short) else short) + star
        return told if kind == "str" else f"{told}:{kind}"

    def kind(self, place: SchemaPlace, depth: int) -> str:
        return "|".join(self._kinds(place, depth))

    def _kinds(self, place: SchemaPlace, depth: int) -> list[str]:
        """Return the alternatives, each once, without null unless it is the only one."""
        kinds = dict.fromkeys(self._each_kind(place, depth))
        if place.is_cut:
            kinds[ELLIPSIS] = None
        return [kind for kind in kinds if kind != "null"] or [*kinds] or ["any"]

    def _each_kind(self, place: SchemaPlace, depth: int) -> Iterator[str]:
        if choices := _choices(place.schema):
            yield from choices
        elif place.is_union:
            for branch in place.branches:
                yield from self._kinds(place.below(branch), depth)
        else:
            for kind in place.types or _implied(place.schema):
                yield self._typed(kind, place, depth)

    def _typed(self, kind: str, place: SchemaPlace, depth: int) -> str:
        if kind == "array":
            items = None if place.is_circular else place.schema.get("items")
            kinds = self._kinds(place.below(items), depth)
            return f"({'|'.join(kinds)})[]" if len(kinds) > 1 else f"{kinds[0]}[]"
        form = place.schema.get("format")
        if kind == "string" and self.is_exact and isinstance(form, str):
            return form
        keys = self._keys(place.with_branches(), depth) if kind == "object" and self.depth else ""
        return keys or _SHORT.get(kind, kind)

    def _keys(self, place: SchemaPlace, depth: int) -> str:
        """Return the keys of an object, or nothing if they are too many for this depth."""
        required = set(place.required)
        below = {name: place.below(item) for name, item in place.properties.items()}
        keys = {
            name: item
            for name, item in below.items()
            if name in required or not is_read_only(item.schema)
        }
        is_level = len(keys) > _FEW_KEYS
        if place.is_circular or depth < is_level:
            return self._least_keys(keys, place) if self.is_exact else ""
        return f"{{{self._told(keys, place, depth - is_level).line()}}}" if keys else ""

    def _least_keys(self, keys: Mapping[str, SchemaPlace], place: SchemaPlace) -> str:
        """Return the required keys, or none of a place that is in itself, and a mark."""
        names = [] if place.is_circular else place.required
        told = self._told({name: keys[name] for name in names}, place, 0)
        return f"{{{told._replace(is_open=True).line()}}}"


def _implied(schema: Mapping[str, Any]) -> list[str]:
    is_object = "properties" in schema or "required" in schema
    return ["object"] if is_object else ["array"] if "items" in schema else []


def _choices(schema: Mapping[str, Any]) -> list[str]:
    given = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(given, list):
        return []
    some = [choice for choice in given if choice is not None]
    shown = [*map(_choice, some[:_MOST_CHOICES])]
    return [*shown, ELLIPSIS] if len(some) > _MOST_CHOICES else shown


def _choice(value: Any) -> str:
    """Return a choice, in quotation marks if it would otherwise read as something else."""
    if not isinstance(value, str):
        return clipped(encode(value).decode(), _CHOICE_CHARS)
    is_plain = _PLAIN.fullmatch(value) and value not in _WORDS_OF_JSON
    short = clipped(value, _CHOICE_CHARS)
    return short if is_plain else encode(short).decode()
