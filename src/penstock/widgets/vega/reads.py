"""What may be read of a row, and what the functions of Vega's expressions read of it.

For every part of an expression it is known whether it may be the row itself, a value inside it, or
something else. Where the row goes on as a whole (`toString(datum)`, `datum[name]`) every column may
be read, and that is noted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from penstock.widgets.vega.paths import split_path


class Root(Enum):
    """Where a path begins."""

    DATUM = auto()
    """`datum`: the row, or in the label of an axis its tick."""
    ROW = auto()
    """A row by another way: `parent`, `item().datum`, `data('source')[0]`."""
    ROWS = auto()
    """A list of rows: `data('source')`."""
    SHAPE = auto()
    """A value that is taken for GeoJSON, be it a row or in one: `geoArea(null, datum)`."""


class Read(NamedTuple):
    """A value that is read; without steps the row itself. `whole`: not only is it asked whether it
    is there, but all that is inside it may be read too."""

    root: Root
    steps: tuple[str, ...]
    whole: bool = True


Place: TypeAlias = tuple[Root, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Value:
    """What a part of an expression may stand for: places in a row, or one of a few constants."""

    places: tuple[Place, ...] = ()
    constants: frozenset[str] | None = None

    def or_else(self, other: Value) -> Value:
        known = self.constants is not None and other.constants is not None
        constants = (self.constants or frozenset()) | (other.constants or frozenset())
        places = tuple(dict.fromkeys(self.places + other.places))
        return Value(places, constants if known and not places else None)

    def variable(self) -> Value:
        """The same, but no constant any more."""
        return Value(self.places)


OTHER: Final = Value()
DATUM: Final = Value(((Root.DATUM, ()),))
ROW: Final = Value(((Root.ROW, ()),))
ROWS: Final = Value(((Root.ROWS, ()),))


def constant(text: str) -> Value:
    return Value(constants=frozenset([text]))


def union(values: Sequence[Value]) -> Value:
    """Any of these, of which there must be one."""
    value = values[0]
    for other in values[1:]:
        value = value.or_else(other)
    return value


class Reading:
    """Notes what is read, while an expression is followed."""

    def __init__(self) -> None:
        self.reads: set[Read] = set()

    def use(self, *values: Value) -> Value:
        """Something is done with the values, and may look at all of them."""
        for value in values:
            self.reads.update(Read(root, steps) for root, steps in value.places)
        return OTHER

    def ask(self, *values: Value) -> Value:
        """It is only asked whether the values are there, or of which type they are."""
        for value in values:
            self.reads.update(Read(root, steps, whole=False) for root, steps in value.places)
        return OTHER

    def member(self, value: Value, key: Value) -> Value:
        """`value.key` and `value[key]`."""
        if key.constants is None:
            self.use(key)
            return self._some_member(value)
        return union([self._named_member(value, name) for name in sorted(key.constants)])

    def _named_member(self, value: Value, name: str) -> Value:
        """Whatever has a datum (an item, a mark, an event), the datum is a row."""
        if not value.places:
            return ROW if name == "datum" else OTHER
        return union([self._inside(place, name) for place in value.places])

    def _inside(self, place: Place, name: str) -> Value:
        root, steps = place
        if root is not Root.ROWS:
            return Value(((root, (*steps, name)),))
        if name.isdecimal():
            return ROW
        return OTHER if name == "length" else self.use(ROWS)

    def _some_member(self, value: Value) -> Value:
        """A member with a name that only the run will tell."""
        self.use(Value(tuple(place for place in value.places if place[0] is not Root.ROWS)))
        return ROW if any(root is Root.ROWS for root, _ in value.places) else OTHER

    def call(self, name: str, arguments: Sequence[Value]) -> Value:
        """A function that is not known to look at less may look at all of its arguments."""
        known = _FUNCTIONS.get(name)
        return known(self, *arguments) if known and arguments else self.use(*arguments)

    # ---- functions that look at less, or give rows

    def choose(self, test: Value, *ways: Value) -> Value:
        """if(test, one, other)"""
        self.ask(test)
        return union(ways) if ways else OTHER

    def rows(self, *arguments: Value) -> Value:
        """data('source'), treePath('tree', source, target)"""
        self.use(*arguments)
        return ROWS

    def part_of_list(self, whole: Value, *bounds: Value) -> Value:
        """slice(list, from, to), reverse(list)"""
        self.use(*bounds)
        return ROWS if whole.places == ROWS.places else self.use(whole)

    def last(self, whole: Value, *rest: Value) -> Value:
        """peek(list)"""
        self.use(*rest)
        return self._some_member(whole)

    def length(self, whole: Value, *rest: Value) -> Value:
        """length(list). A row has a length only if that is a column."""
        self.use(*rest)
        is_row = any(not steps and root is not Root.ROWS for root, steps in whole.places)
        return self.ask(self._named_member(whole, "length") if is_row else whole)

    def pluck(self, whole: Value, *path: Value) -> Value:
        """pluck(list, 'path'): this value of each row."""
        if len(path) != 1 or path[0].constants is None:
            return self.use(whole, *path)
        for text in path[0].constants:
            for root, steps in whole.places:
                source = Root.ROW if root is Root.ROWS else root
                self.reads.add(Read(source, (*steps, *split_path(text))))
        return OTHER

    def in_data(self, source: Value, *rest: Value) -> Value:
        """indata('source', 'path', value)"""
        self.use(source, *rest)
        paths = rest[0].constants if rest else None
        steps = [()] if paths is None else map(split_path, paths)
        self.reads.update(Read(Root.ROW, each) for each in steps)
        return OTHER

    def shape(self, *arguments: Value) -> Value:
        """geoCentroid('projection', feature)"""
        for argument in arguments:
            for _, steps in argument.places:
                self.reads.add(Read(Root.SHAPE, steps))
        return OTHER


_SHAPES = ("geoArea", "geoBounds", "geoCentroid", "geoShape")
_QUESTIONS = (
    *("isArray", "isBoolean", "isDate", "isDefined", "isNumber", "isObject"),
    *("isRegExp", "isString", "isTuple", "isValid", "toBoolean"),
    # These look at the fields that the selection names, which are in the spec.
    *("vlSelectionTest", "vlSelectionIdTest"),
)
_FUNCTIONS: Final[MappingProxyType[str, Callable[..., Value]]] = MappingProxyType(
    {
        "if": Reading.choose,
        "data": Reading.rows,
        "treePath": Reading.rows,
        "treeAncestors": Reading.rows,
        "slice": Reading.part_of_list,
        "reverse": Reading.part_of_list,
        "peek": Reading.last,
        "length": Reading.length,
        "pluck": Reading.pluck,
        "indata": Reading.in_data,
        **dict.fromkeys(_SHAPES, Reading.shape),
        **dict.fromkeys(_QUESTIONS, Reading.ask),
    }
)
