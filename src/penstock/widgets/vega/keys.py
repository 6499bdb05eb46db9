"""Keys of a spec that mean something of their own, each a function that knows what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from penstock.widgets.vega.references import GEOJSON
from penstock.widgets.vega.transforms import (
    ROW_OPERATIONS,
    field_parameters,
    note_implied,
    note_row_operations,
    shape_parameters,
    texts,
)
from penstock.widgets.vega.walk import Place, Special, Walk

_COMPOSITIONS = frozenset(["and", "or", "not"])


def _objects(value: object) -> Iterable[Mapping[str, Any]]:
    """The objects of a list, or the only one."""
    each = value if isinstance(value, (list, tuple)) else [value]
    return (one for one in each if isinstance(one, Mapping))


def _label(walk: Walk, value: Any, _place: Place) -> None:
    walk.expression(value, in_guide=True)


def _transform(walk: Walk, value: Any, _place: Place) -> None:
    for transform in _objects(value):
        parameters = field_parameters(transform)
        if parameters is None:
            walk.references.need_everything()
            continue
        shapes = shape_parameters(transform)
        note_implied(transform, walk.references)
        note_row_operations(transform, walk.references)
        for key, each in transform.items():
            if key in shapes and isinstance(each, str):
                walk.references.add_shape(each)
            elif key in parameters:
                walk.field(each)
            elif key != "signal" or not isinstance(each, str):  # the signal is what it makes
                walk.member(key, each, transform, in_guide=False)


def _data(walk: Walk, value: Any, _place: Place) -> None:
    """Inline rows are not walked, but rows can come from an expression."""
    for source in _objects(value):
        for key, each in source.items():
            if key == "values":
                is_signal = isinstance(each, Mapping) and each.keys() == {"signal"}
                walk.later(each if is_signal else None)
            elif key == "format" and isinstance(each, Mapping):
                _parsed(walk, each.get("parse"))
            else:
                walk.member(key, each, source, in_guide=False)


def _parsed(walk: Walk, parse: object) -> None:
    """`"parse": {"when": "date"}`: a column by its name, or by a path."""
    if isinstance(parse, Mapping):
        walk.references.add_names(map(str, parse))
        for name in parse:
            walk.references.add_field(str(name))


def _values(walk: Walk, value: Any, place: Place) -> None:
    """An expression beside a trigger; elsewhere (in an axis) a list of values."""
    if isinstance(value, str) and "trigger" in place.node:
        walk.references.add_expression(value)
    walk.later(value, in_guide=place.in_guide)


def _repeat(walk: Walk, value: Any, _place: Place) -> None:
    """The columns that take turns, in one list or one for each of row, column and layer. In a
    field, `{"repeat": "row"}` says which of them, and nothing new."""
    lists = value.values() if isinstance(value, Mapping) else [value]
    for each in lists:
        if isinstance(each, (list, tuple)):
            walk.field(each)


def _mark(walk: Walk, value: Any, place: Place) -> None:
    kind = value.get("type") if isinstance(value, Mapping) else value
    if kind == "geoshape":
        walk.references.add_names(GEOJSON)
    walk.later(value, in_guide=place.in_guide)


def _shape(walk: Walk, value: Any, place: Place) -> None:
    """The channel that tells a `geoshape` mark where its shape is."""
    if not isinstance(value, Mapping) or not isinstance(value.get("field"), str):
        walk.later(value, in_guide=place.in_guide)
        return
    walk.references.add_shape(value["field"])
    for key, each in value.items():
        if key != "field":
            walk.member(key, each, value, place.in_guide)


def _tooltip(walk: Walk, value: Any, place: Place) -> None:
    if isinstance(value, Mapping) and value.get("content") == "data":
        walk.references.need_everything()
    walk.later(value, in_guide=place.in_guide)


def _aggregate(walk: Walk, value: Any, place: Place) -> None:
    """A channel that shows whole rows."""
    if isinstance(value, str) and value in ROW_OPERATIONS:
        walk.references.need_everything()
    walk.later(value, in_guide=place.in_guide)


def _scale(walk: Walk, value: Any, place: Place) -> None:
    """In Vega the name of a scale can be in a row."""
    if isinstance(value, Mapping):
        walk.indirect(value)
    walk.later(value, in_guide=place.in_guide)


def _domain(walk: Walk, value: Any, place: Place) -> None:
    """`{"data": "table", "fields": ["a", {"signal": "limits"}]}`: what is no name gives values."""
    if not isinstance(value, Mapping):
        walk.later(value, in_guide=place.in_guide)
        return
    for key, each in value.items():
        if key == "fields" and isinstance(each, (list, tuple)):
            walk.field(texts(each))
            walk.later(each)
        else:
            walk.member(key, each, value, place.in_guide)


def _fit(walk: Walk, value: Any, place: Place) -> None:
    """A projection is fitted to shapes: `{"signal": "data('states')"}`."""
    for text in texts(value.get("signal")) if isinstance(value, Mapping) else ():
        walk.references.add_expression(text, gives_shapes=True)
    if not isinstance(value, Mapping) or "signal" not in value:
        walk.later(value, in_guide=place.in_guide)


def _parameters(walk: Walk, value: Any, _place: Place) -> None:
    for parameter in _objects(value):
        if "select" in parameter:
            _selected(walk, parameter)
    walk.later(value)


def _selections(walk: Walk, value: Any, _place: Place) -> None:
    """Definitions by name (Vega-Lite before version 5), or, in a filter, names of them."""
    if not isinstance(value, Mapping) or value.keys() <= _COMPOSITIONS:
        return
    for selection in value.values():
        if isinstance(selection, Mapping):
            _selected(walk, selection)
            walk.later(selection)


def _selected(walk: Walk, selection: Mapping[str, Any]) -> None:
    """The first values of a selection, and the inputs it is bound to, are told by field. x and y
    are channels there, whatever they show."""
    for key in ("value", "init"):
        for each in _objects(selection.get(key)):
            walk.field([name for name in each if name not in ("x", "y")])
    inputs = selection.get("bind")
    if isinstance(inputs, Mapping):
        walk.field([name for name, each in inputs.items() if isinstance(each, Mapping)])


def _config(walk: Walk, value: Any, _place: Place) -> None:
    """It has many kinds of axis: axisX, axisBand and so on."""
    if not isinstance(value, Mapping):
        return
    for key, each in value.items():
        if str(key).startswith(("axis", "legend", "header")):
            walk.later(each, in_guide=True)
        else:
            walk.member(key, each, value, in_guide=False)


def _user_meta(walk: Walk, value: Any, _place: Place) -> None:
    """Anything at all, of which only the options of vega-embed have an effect."""
    if isinstance(value, Mapping):
        walk.later(value.get("embedOptions"))


SPECIAL: Final[MappingProxyType[str, Special]] = MappingProxyType(
    {
        "aggregate": _aggregate,
        "config": _config,
        "data": _data,
        "domain": _domain,
        "fit": _fit,
        "gradient": _scale,
        "labelExpr": _label,
        "mark": _mark,
        "params": _parameters,
        "repeat": _repeat,
        "scale": _scale,
        "selection": _selections,
        "shape": _shape,
        "tooltip": _tooltip,
        "transform": _transform,
        "usermeta": _user_meta,
        "values": _values,
    }
)
