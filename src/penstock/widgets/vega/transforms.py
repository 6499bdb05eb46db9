"""Which parameters of a transform name columns, in Vega-Lite and in Vega.

A transform of Vega-Lite is known by its key (`{"fold": [...]}`), one of Vega by its type
(`{"type": "fold", "fields": [...]}`). Listed here are only the parameters that name columns in
transforms alone; `field`, `fields`, `groupby`, `key`, `sort` and expressions are found wherever
they are. A transform that is not in these lists may need every column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from penstock.widgets.vega.references import GEOJSON, References

# Aggregates that give whole rows.
ROW_OPERATIONS = frozenset(["argmax", "argmin", "values"])

_NOTHING: Final = frozenset[str]()
_VEGA_LITE: Final = MappingProxyType(
    {
        "aggregate": _NOTHING,
        "bin": _NOTHING,
        "calculate": _NOTHING,
        "density": frozenset(["density"]),
        "extent": frozenset(["extent"]),
        "filter": _NOTHING,
        "flatten": frozenset(["flatten"]),
        "fold": frozenset(["fold"]),
        "impute": frozenset(["impute"]),
        "joinaggregate": _NOTHING,
        "loess": frozenset(["loess", "on"]),
        "lookup": frozenset(["lookup"]),
        "pivot": frozenset(["pivot", "value"]),
        "quantile": frozenset(["quantile"]),
        "regression": frozenset(["regression", "on"]),
        "sample": _NOTHING,
        "stack": frozenset(["stack"]),
        "timeUnit": _NOTHING,
        "window": _NOTHING,
    }
)
_POINT = frozenset(["x", "y", "weight"])
_VEGA: Final = MappingProxyType(
    {
        **dict.fromkeys(
            [
                *("aggregate", "bin", "collect", "countpattern", "cross", "crossfilter"),
                *("density", "dotbin", "extent", "filter", "flatten", "fold", "force", "formula"),
                *("geopath", "geopoint", "geoshape", "graticule", "heatmap", "identifier"),
                *("impute", "isocontour", "joinaggregate", "kde", "label", "partition", "pie"),
                *("project", "quantile", "resolvefilter", "sample", "sequence", "stack"),
                *("timeunit", "tree", "treelinks", "treemap", "window"),
            ],
            _NOTHING,
        ),
        **dict.fromkeys(["contour", "kde2d", "loess", "regression", "voronoi"], _POINT),
        "geojson": frozenset(["geojson"]),
        "linkpath": frozenset(["sourceX", "sourceY", "targetX", "targetY"]),
        "lookup": frozenset(["values"]),
        "nest": frozenset(["keys"]),
        "pack": frozenset(["radius"]),
        "pivot": frozenset(["value"]),
        "stratify": frozenset(["parentKey"]),
        "wordcloud": frozenset(["text"]),
    }
)
# Columns that are read although nothing names them. A simulation begins where its nodes are.
_IMPLIED: Final = MappingProxyType(
    {
        "force": ("x", "y", "vx", "vy", "fx", "fy", "index", "source", "target"),
        "linkpath": ("source.x", "source.y", "target.x", "target.y"),
        "wordcloud": ("text",),
    }
)
_SHAPES: Final = MappingProxyType(
    {
        "geopath": frozenset(["field"]),
        "geoshape": frozenset(["field"]),
        "geojson": frozenset(["geojson"]),
    }
)
_LINK_ENDS = ("source", "target")


def field_parameters(transform: Mapping[str, Any]) -> frozenset[str] | None:
    """The parameters that name columns, besides those that do so everywhere; None if this is not
    a transform that is known."""
    kind = transform.get("type")
    if isinstance(kind, str):
        return _VEGA.get(kind.lower())
    kinds = [key for key in _VEGA_LITE if key in transform]
    if kinds != ["extent"]:
        kinds = [key for key in kinds if key != "extent"]  # of a density it is two numbers
    return _NOTHING.union(*(_VEGA_LITE[key] for key in kinds)) if kinds else None


def shape_parameters(transform: Mapping[str, Any]) -> frozenset[str]:
    """The parameters that name a column with GeoJSON in it."""
    kind = transform.get("type")
    return _SHAPES.get(kind.lower(), _NOTHING) if isinstance(kind, str) else _NOTHING


def note_implied(transform: Mapping[str, Any], references: References) -> None:
    """What a transform reads without naming it, and the columns it makes that hold rows."""
    kind = transform.get("type")
    if not isinstance(kind, str):
        _note_of_vega_lite(transform, references)
        return
    kind = kind.lower()
    for path in (*_IMPLIED.get(kind, ()), *_of_forces(transform)):
        references.add_field(path, whole=False)
    if kind in ("geopath", "geoshape", "geojson") and not transform.keys() & {"field", "geojson"}:
        if "fields" not in transform:
            references.add_names(GEOJSON)
    elif kind in ("heatmap", "isocontour") and "field" not in transform:
        references.need_everything()
    for column in _row_holders(kind, transform):
        references.add_row_holder(column)
    if kind == "pivot" and not ROW_OPERATIONS.isdisjoint(texts(transform.get("op"))):
        references.need_everything()


def _of_forces(transform: Mapping[str, Any]) -> Iterable[str]:
    """`{"type": "force", "forces": [{"force": "x", "x": "field"}]}`"""
    forces = transform.get("forces")
    for force in forces if isinstance(forces, (list, tuple)) else ():
        if isinstance(force, Mapping):
            yield from (path for key in ("x", "y", "id") for path in texts(force.get(key)))


def _row_holders(kind: str, transform: Mapping[str, Any]) -> Iterable[str]:
    if kind == "cross":
        return texts(transform.get("as", ("a", "b")))
    if kind == "lookup" and not transform.get("values"):
        return texts(transform.get("as"))
    if kind in ("treelinks", "force"):
        return _LINK_ENDS
    return ()


def _note_of_vega_lite(transform: Mapping[str, Any], references: References) -> None:
    if "pivot" in transform and not ROW_OPERATIONS.isdisjoint(texts(transform.get("op"))):
        references.need_everything()
    source = transform.get("from")
    if "lookup" in transform and isinstance(source, Mapping) and not source.get("fields"):
        name = source.get("param", source.get("selection", "_lookup"))
        for column in texts(transform.get("as", name)):
            references.add_row_holder(column)


def note_row_operations(node: Mapping[str, Any], references: References) -> None:
    """`{"op": "argmax", "field": "a", "as": "top"}` makes a column `top` that holds a row; Vega
    has lists of `ops`, `fields` and `as`."""
    operations = texts(node.get("ops", node.get("op")), gaps=True)
    if ROW_OPERATIONS.isdisjoint(operations):
        return
    fields = texts(node.get("fields", node.get("field")), gaps=True)
    names = texts(node.get("as"), gaps=True)
    for number, operation in enumerate(operations):
        if operation in ROW_OPERATIONS:
            field = fields[number] if number < len(fields) else ""
            default = f"{operation}_{field}" if field else operation
            given = names[number] if number < len(names) else ""
            references.add_row_holder(given or default)


def texts(value: object, *, gaps: bool = False) -> list[str]:
    """A text or a list of them, as a list. With `gaps`, what is no text leaves an empty one."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, (list, tuple)):
        return []
    return [
        each if isinstance(each, str) else "" for each in value if gaps or isinstance(each, str)
    ]
