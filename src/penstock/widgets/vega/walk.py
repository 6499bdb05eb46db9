"""A walk over a spec of Vega-Lite or Vega, to find every reference to a column.

Both languages name columns and write expressions under the same keys wherever they allow them, in
any composition and at any depth; so the walk goes by the key, and a key that says nothing is
walked through. It keeps its own stack (a spec may nest deeper than Python's), sees each part once
(a part may be used many times in one spec), and leaves inline data alone.

Whoever adds a key: one that names a column goes to FIELDS, one that holds an expression to
EXPRESSIONS; what means something of its own goes to `penstock.widgets.vega.keys`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from penstock.widgets.vega.references import References
from penstock.widgets.vega.transforms import note_row_operations, texts

FIELDS = frozenset(["field", "fields", "groupby", "key", "argmax", "argmin"])
EXPRESSIONS = frozenset(
    [
        *("expr", "signal", "calculate", "init", "update"),
        *("test", "filter", "and", "or", "not"),
        *("trigger", "insert", "remove", "toggle", "modify"),
    ]
)
_EVENTS = frozenset(["on", "events", "clear", "translate", "zoom", "between", "stream"])
_GUIDES = frozenset(["axis", "axes", "legend", "legends", "header"])
# `param` names a selection, or several with and, or, not.
_NO_REFERENCES = frozenset(["param", "datasets", "as"])


class Place(NamedTuple):
    """The object that has a key. `in_guide`: it is in an axis, a legend or a header, where `datum`
    is a tick and not a row."""

    node: Any
    in_guide: bool


Special: TypeAlias = Callable[["Walk", Any, Place], None]


class Walk:
    """`special`: what to do at a key that is not simply walked through."""

    def __init__(self, references: References, special: Mapping[str, Special]) -> None:
        self.references = references
        self._special = special
        self._waiting: list[tuple[str, Any, Place]] = []
        self._seen: dict[tuple[int, bool, str], Any] = {}

    def over(self, spec: Mapping[str, Any]) -> None:
        self.later(spec)
        while self._waiting:
            key, value, place = self._waiting.pop()
            if key:
                self._special[key](self, value, place)
            elif isinstance(value, Mapping):
                self.members(value, place.in_guide)
            else:
                for each in value:
                    self.later(each, in_guide=place.in_guide)

    def later(self, part: object, *, in_guide: bool = False) -> None:
        """Puts a part on the stack, to be walked through."""
        if isinstance(part, (dict, list, tuple, Mapping)):
            self._put("", part, Place(part, in_guide))

    def _put(self, key: str, value: Any, place: Place) -> None:
        """Unless it was there before. What was seen is kept, because an id may be used again."""
        mark = (id(value), place.in_guide, key)
        if isinstance(value, str) or mark not in self._seen:
            self._seen[mark] = value
            self._waiting.append((key, value, place))

    def members(self, node: Mapping[str, Any], in_guide: bool) -> None:
        if "op" in node or "ops" in node:
            note_row_operations(node, self.references)
        for key, value in node.items():
            self.member(key, value, node, in_guide)

    def member(self, key: str, value: Any, node: Mapping[str, Any], in_guide: bool) -> None:
        if key in FIELDS:
            self.field(value, in_guide=in_guide)
        elif key in EXPRESSIONS:
            self.expression(value, in_guide=in_guide)
        elif key in _EVENTS:
            for text in texts(value):
                self.references.add_event(text)
            self.later(value, in_guide=in_guide)
        elif key in _GUIDES:
            self.later(value, in_guide=True)
        elif key in self._special:
            self._put(key, value, Place(node, in_guide))
        elif key not in _NO_REFERENCES:
            self.later(value, in_guide=in_guide)

    def field(self, value: Any, *, in_guide: bool = False) -> None:
        """A path, a list of them, or an object that tells where to find one."""
        if isinstance(value, str):
            self.references.add_field(value, in_guide=in_guide)
        elif isinstance(value, (list, tuple)):
            for each in value:
                if isinstance(each, (list, tuple)):  # in the domain of a scale, constants
                    self.later(each, in_guide=in_guide)
                else:
                    self.field(each, in_guide=in_guide)
        elif isinstance(value, Mapping):
            if "signal" in value:
                self.references.need_everything()
            self.indirect(value)
            self.later(value, in_guide=in_guide)
        elif isinstance(value, int) and not isinstance(value, bool):
            self.references.add_names([str(value)])

    def indirect(self, reference: Mapping[str, Any]) -> None:
        """Vega's `{"datum": "a"}`, `{"parent": "a"}` and `{"group": "width"}`. The group is an item
        and no row; a name that is itself looked up may be any."""
        for key in ("datum", "parent", "group"):
            name = reference.get(key)
            if isinstance(name, Mapping):
                self.references.need_everything()
            elif isinstance(name, str) and (key != "group" or name.startswith("datum")):
                self.references.add_field(name)

    def expression(self, value: Any, *, in_guide: bool = False) -> None:
        """An expression, a list of them, or an object (a predicate) with more inside."""
        if isinstance(value, str):
            self.references.add_expression(value, in_guide=in_guide)
            return
        for text in texts(value):
            self.references.add_expression(text, in_guide=in_guide)
        self.later(value, in_guide=in_guide)
