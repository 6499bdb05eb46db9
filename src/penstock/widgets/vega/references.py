"""The columns that a spec was found to refer to, gathered while it is walked.

Most references are names. Some columns that a transform makes hold a whole row (`argmax` gives the
row with the largest value, a lookup without fields the row it found): of these, what is read
inside is a column too, and where such a row is used as it is, every column may be. Which columns
hold rows is known only at the end of the walk, so that is when names are made of what was read.
"""

from __future__ import annotations

from collections.abc import Iterable

from penstock.widgets.vega.expressions import expression_reads
from penstock.widgets.vega.paths import NotAPath, split_path
from penstock.widgets.vega.reads import Read, Root
from penstock.widgets.vega.tokens import NotAnExpression

# A row that is drawn as a shape is GeoJSON: a geometry, a feature, or a collection of them.
GEOJSON = (
    *("type", "geometry", "coordinates", "geometries", "features", "properties", "id"),
    *("bbox", "crs"),
)
# What `datum` has in the label of an axis, a legend or a header. It is a tick there, not a row.
_OF_A_TICK = frozenset(["label", "value", "index"])
# Words without which an event selector cannot reach a row; a backslash could spell them otherwise.
_ROW_IN_EVENT = ("datum", "parent", "data", "\\")


class References:
    """`is_vega`: the spec is one of Vega. There marks can be the data of other marks, so that
    `datum.datum.x` is x of the first one's row."""

    def __init__(self, *, is_vega: bool) -> None:
        self._is_vega = is_vega
        self._reads: set[Read] = set()
        self._names: set[str] = set()
        self._row_holders: set[str] = set()
        self._expressions: set[tuple[str, bool, bool]] = set()
        self._everything = False

    def need_everything(self) -> None:
        self._everything = True

    def add_names(self, names: Iterable[str]) -> None:
        """Columns by their very names, not as paths."""
        self._names.update(names)

    def add_field(self, path: str, *, in_guide: bool = False, whole: bool = True) -> None:
        self._add_path(path, Root.DATUM, in_guide=in_guide, whole=whole)

    def add_shape(self, path: str) -> None:
        """A column that is drawn as GeoJSON."""
        self._add_path(path, Root.SHAPE)

    def _add_path(
        self, path: str, root: Root, *, in_guide: bool = False, whole: bool = True
    ) -> None:
        try:
            steps = split_path(path)
        except NotAPath:
            # Vega refuses it, Vega-Lite may not: the name, or what comes before the first step.
            self._names.update((path, path.partition(".")[0], path.partition("[")[0]))
            return
        if len(steps) > 1 and not self._is_vega:
            # In some places (a test, a bin, an argmax) Vega-Lite looks for a column `a.b` where a
            # field `a.b` is named.
            self._names.add(".".join(steps))
        if steps:
            self._add(Read(root, steps, whole), in_guide=in_guide)

    def add_expression(
        self, text: str, *, in_guide: bool = False, gives_shapes: bool = False
    ) -> None:
        """In a guide (an axis, a legend, a header) `datum` is a tick. With `gives_shapes`, a list
        of rows is taken for GeoJSON."""
        if (text, in_guide, gives_shapes) in self._expressions:
            return
        self._expressions.add((text, in_guide, gives_shapes))
        try:
            reads = expression_reads(text)
        except NotAnExpression:
            self.need_everything()
            return
        for read in reads:
            is_shape = gives_shapes and read.root is Root.ROWS
            self._add(Read(Root.SHAPE, ()) if is_shape else read, in_guide=in_guide)

    def add_event(self, selector: str) -> None:
        """`click[datum.x > 3]`: an event with a condition in brackets."""
        if "[" in selector and any(word in selector for word in _ROW_IN_EVENT):
            self.need_everything()

    def add_row_holder(self, column: str) -> None:
        """A column that is made by a transform and holds a whole row."""
        self._row_holders.add(column)

    def _add(self, read: Read, *, in_guide: bool) -> None:
        if in_guide and read.root is Root.DATUM and set(read.steps[:1]) <= _OF_A_TICK:
            return
        self._reads.add(read)

    def found(self) -> tuple[frozenset[str], bool]:
        """The names, and whether every column is needed."""
        for read in self._reads:
            self._resolve(read)
        return frozenset(self._names), self._everything

    def _resolve(self, read: Read) -> None:
        steps: tuple[str, ...] | None = read.steps
        while steps:
            self._names.add(steps[0])
            steps = self._inside_row(steps)
        is_row = steps is not None
        if is_row and read.root is Root.SHAPE:
            self.add_names(GEOJSON)
        elif is_row and read.whole:
            self.need_everything()

    def _inside_row(self, steps: tuple[str, ...]) -> tuple[str, ...] | None:
        """What is left of a path that leads into a row inside a row; None if it does not."""
        if self._is_vega and "datum" in steps:
            return steps[steps.index("datum") + 1 :]
        if steps[0] not in self._row_holders:
            return None
        inside = steps[1:]
        while inside and inside[0].isdecimal():
            inside = inside[1:]
        return inside
