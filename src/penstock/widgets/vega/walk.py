"""A walk over a spec of Vega-Lite or Vega that gathers every name that may be a column's.

When in doubt, a column is kept. So each text of the spec counts, at any depth and under any key, and
a part of the languages that is new is searched like all others. Left out are the texts under a few
keys that never name a column. Keys themselves do not count, because the languages use ordinary words
(`x`, `type`, `color`) as keys; the few places where a key names a column are listed.

A few constructs read columns that the spec does not name. With one of them, or with a transform that
is not known here, every column is needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from penstock.widgets.vega.texts import may_read_any_column, names_in

# Texts under these keys are words of the languages, prose, or names of other things than columns.
_NO_COLUMNS: Final = frozenset(
    [
        *("$schema", "aggregate", "as", "description", "encoding", "encodings", "mark", "name"),
        *("op", "ops", "scale", "timeUnit", "title", "type", "url"),
    ]
)
# `{"field": {"datum": "a"}}` looks the name up: a name that is itself looked up may be any.
_REFERENCES: Final = frozenset(["datum", "parent", "group"])
_FIELDS: Final = _REFERENCES | {"field", "fields", "groupby", "key", "keys", "lookup", "parentKey"}
# Parameters of Vega's transforms that are fields too; elsewhere their keys mean something else.
_FIELDS_OF_TRANSFORMS: Final = frozenset(
    ["geojson", "radius", "value", "values", "weight", "x", "y"]
)
# The first values of a selection, the inputs that it is bound to, and the types of columns.
_KEYS_ARE_NAMES: Final = frozenset(["value", "init", "bind", "parse"])
# Aggregates that give whole rows, and the tooltip that shows them.
_ROW_OPERATIONS: Final = frozenset(["argmax", "argmin"])
_ROWS: Final = frozenset(
    [("op", "values"), ("ops", "values"), ("aggregate", "values"), ("content", "data")]
)
# A row that is drawn as a shape is GeoJSON: a geometry, a feature, or a collection of them.
_GEOJSON: Final = (
    *("type", "geometry", "coordinates", "geometries", "features", "properties", "id"),
    *("bbox", "crs"),
)
# Transforms that read only columns that they name. One of Vega-Lite is known by its key
# (`{"fold": [...]}`), one of Vega by its type (`{"type": "fold", "fields": [...]}`).
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
    """The names found so far. With `everything`, a column may be needed that is not among them.

    The walk keeps a stack of its own, because a spec may nest deeper than Python's stack. It sees
    each part once, because a spec may use a part many times.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.everything = False
        self._waiting: list[tuple[str, Any]] = []
        self._seen: dict[tuple[int, str], Any] = {}

    def over(self, spec: Mapping[str, Any]) -> None:
        """Gather what this spec names. Items of a list stand under the key of the list."""
        self._put("", spec)
        while self._waiting:
            key, part = self._waiting.pop()
            if isinstance(part, Mapping):
                self._read_object(key, part)
            else:
                for each in part:
                    self._put(key, each)

    def _put(self, key: str, value: Any) -> None:
        """Read a text now, and a part later, once. Keep what was seen: its id may be used again."""
        if isinstance(value, str):
            self._read_text(key, value)
        elif isinstance(value, (Mapping, list, tuple)):
            if (id(value), key) not in self._seen:
                self._seen[id(value), key] = value
                self._waiting.append((key, value))
        elif isinstance(value, (int, float)) and key in _FIELDS:
            self.names.update(names_in(str(value)))

    def _read_text(self, key: str, text: str) -> None:
        """Take every name in a text. A field `parent` is a column; elsewhere it is a row."""
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
    """Tell whether only the run knows which column this is: `{"field": {"signal": "chosen"}}`."""
    return (key in _FIELDS and "signal" in node) or (
        key in _REFERENCES and not _REFERENCES.isdisjoint(node)
    )


def _is_known(transform: Mapping[str, Any]) -> bool:
    """Tell whether a transform names the columns it reads. A lookup without fields finds rows."""
    kind = transform.get("type")
    if isinstance(kind, str):
        kind = kind.lower()
        return kind in _OF_VEGA and (kind != "lookup" or bool(transform.get("values")))
    if "lookup" in transform:
        source = transform.get("from")
        return isinstance(source, Mapping) and bool(source.get("fields"))
    return not _OF_VEGA_LITE.isdisjoint(transform)


def _may_refer(key: str, name: str, value: object) -> bool:
    """Leave inline rows alone, unless an expression makes them, and the notes of the user, of which
    only the options of vega-embed have an effect."""
    if key == "data" and name == "values":
        return isinstance(value, Mapping) and value.keys() == {"signal"}
    if key == "usermeta":
        return name == "embedOptions"
    return name != "datasets"
