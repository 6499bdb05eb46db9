"""A walk over a Vega-Lite or Vega spec that collects every name that may be a column's.

When in doubt, a column is kept. So each text of the spec counts, at any depth and under any key,
also in parts of the languages that are new. Only texts under a few keys, which never name a column,
do not count. Keys do not count either, because the languages use ordinary words (`x`, `type`,
`color`) as keys; the few places where a key names a column are listed.

A few constructs read columns that the spec does not name. With one of these, or with a transform
that is unknown here, every column is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from penstock.widgets.vega.texts import may_read_any_column, names_in

# Texts under these keys are keywords, prose, or names of things other than columns.
_NO_COLUMNS: Final = frozenset(
    [
        *("$schema", "aggregate", "as", "description", "encoding", "encodings", "mark", "name"),
        *("op", "ops", "scale", "timeUnit", "title", "type", "url"),
    ]
)
# `{"field": {"datum": "a"}}` looks up the name of a field. A nested lookup may give any name.
_REFERENCES: Final = frozenset(["datum", "parent", "group"])
_FIELDS: Final = _REFERENCES | {"field", "fields", "groupby", "key", "keys", "lookup", "parentKey"}
# Parameters of Vega's transforms that are fields. Elsewhere these keys mean something else.
_FIELDS_OF_TRANSFORMS: Final = frozenset(
    ["geojson", "radius", "value", "values", "weight", "x", "y"]
)
# The initial values of a selection, its bound inputs, and the types of columns.
_KEYS_ARE_NAMES: Final = frozenset(["value", "init", "bind", "parse"])
# Aggregates that return whole rows, and the tooltip that shows them.
_ROW_OPERATIONS: Final = frozenset(["argmax", "argmin"])
_ROWS: Final = frozenset(
    [("op", "values"), ("ops", "values"), ("aggregate", "values"), ("content", "data")]
)
# A row that is drawn as a shape is GeoJSON: a geometry, a feature, or a collection of them.
_GEOJSON: Final = (
    *("type", "geometry", "coordinates", "geometries", "features", "properties", "id"),
    *("bbox", "crs"),
)
# Transforms that read only columns that they name. Vega-Lite names a transform by its key
# (`{"fold": [...]}`), Vega by its type (`{"type": "fold", "fields": [...]}`).
_OF_VEGA_LITE: Final = frozenset(
    [
        *("aggregate", "bin", "calculate", "density", "extent", "filter", "flatten", "fold"),
        *("impute", "joinaggregate", "loess", "lookup", "pivot", "quantile", "regression"),
        *("sample", "stack", "timeUnit", "window"),
    ]
)
_OF_VEGA: Final = frozenset(
    [
        *("aggregate", "bin", "collect", "contour", "countpattern", "crossfilter", "density"),
        *("dotbin", "extent", "filter", "flatten", "fold", "formula", "geojson", "geopath"),
        *("geopoint", "geoshape", "graticule", "identifier", "impute", "joinaggregate", "kde"),
        *("kde2d", "label", "loess", "lookup", "nest", "pack", "partition", "pie", "pivot"),
        *("project", "quantile", "regression", "resolvefilter", "sample", "sequence", "stack"),
        *("stratify", "timeunit", "tree", "treemap", "voronoi", "window"),
    ]
)


class Walk:
    """The walk, with the names found so far.

    It has its own stack, because a spec may nest deeper than Python's stack. It visits each part
    once, because a spec may use a part many times.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.everything = False  # The chart may need a column that is not in `names`.
        self._waiting: list[tuple[str, Any]] = []
        self._seen: dict[tuple[int, str], Any] = {}

    def over(self, spec: Mapping[str, Any]) -> None:
        """Collect the names in this spec. The items of a list count under the list's key."""
        self._put("", spec)
        while self._waiting:
            key, part = self._waiting.pop()
            if isinstance(part, Mapping):
                self._read_object(key, part)
            else:
                for each in part:
                    self._put(key, each)

    def _put(self, key: str, value: Any) -> None:
        """Read a text now, and a part later, once. Keep each part, or its id might be reused."""
        if isinstance(value, str):
            self._read_text(key, value)
        elif isinstance(value, (Mapping, list, tuple)):
            if (id(value), key) not in self._seen:
                self._seen[id(value), key] = value
                self._waiting.append((key, value))
        elif isinstance(value, (int, float)) and key in _FIELDS:
            self.names.update(names_in(str(value)))

    def _read_text(self, key: str, text: str) -> None:
        """Collect the names in a text. A field `parent` is a column; elsewhere it is a row."""
        if "geo" in text:
            self.names.update(_GEOJSON)
        if text in _ROW_OPERATIONS or (key, text) in _ROWS:
            self.everything = True
        if key in _NO_COLUMNS:
            return
        self.names.update(names_in(text))
        is_column = key in _FIELDS and text == "parent"
        if not is_column and may_read_any_column(text):
            self.everything = True

    def _read_object(self, key: str, node: Mapping[str, Any]) -> None:
        if _is_looked_up(key, node) or (key == "transform" and not _is_known(node)):
            self.everything = True
        for name, value in node.items():
            if key in _KEYS_ARE_NAMES:
                self.names.update(names_in(str(name)))
            if key == "transform" and name in _FIELDS_OF_TRANSFORMS:
                self._put("field", value)
            elif _may_refer(key, name, value):
                self._put(name, value)


def _is_looked_up(key: str, node: Mapping[str, Any]) -> bool:
    """Return whether the column is known only at run time: `{"field": {"signal": "chosen"}}`."""
    return (key in _FIELDS and "signal" in node) or (
        key in _REFERENCES and not _REFERENCES.isdisjoint(node)
    )


def _is_known(transform: Mapping[str, Any]) -> bool:
    """Return whether a transform names the columns it reads. A lookup without fields gets rows."""
    kind = transform.get("type")
    if isinstance(kind, str):
        kind = kind.lower()
        return kind in _OF_VEGA and (kind != "lookup" or bool(transform.get("values")))
    if "lookup" in transform:
        source = transform.get("from")
        return isinstance(source, Mapping) and bool(source.get("fields"))
    return not _OF_VEGA_LITE.isdisjoint(transform)


def _may_refer(key: str, name: str, value: object) -> bool:
    """Return whether a member may refer to a column. Inline rows do not, unless an expression makes
    them, nor do the user's notes, except the options of vega-embed."""
    if key == "data" and name == "values":
        return isinstance(value, Mapping) and value.keys() == {"signal"}
    if key == "usermeta":
        return name == "embedOptions"
    return name != "datasets"
