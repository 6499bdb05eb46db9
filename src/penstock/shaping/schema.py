"""The JSON Schemas of the two forms, which differ in the literal field `output`.

A schema that refuses its own tool's result breaks the call; one that allows too much breaks
nothing. So the schema of the author's types is loosened to what the JSON may hold: cells get
labels, NaN is null, text has no format, and a cut cell has only some of its fields.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from penstock.errors import InvalidSetting
from penstock.shaping.records import VALUE
from penstock.shaping.series import MOST_ENTRIES
from penstock.shaping.survey import MOST_TOP

# Keywords for promises of Python types that the JSON need not keep.
_DROPPED = frozenset(
    {"required", "additionalProperties", "unevaluatedProperties", "pattern", "format", "default"}
    | {"discriminator", "minProperties", "maxProperties", "contentEncoding", "contentMediaType"}
)
# Below these keywords, keys are names that the author chose.
_NAMED = frozenset({"properties", "$defs", "patternProperties", "dependentSchemas"})
_LITERAL = frozenset({"const", "enum", "examples"})
_COUNT = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string"}


def cell_schema(annotation: Any) -> dict[str, Any]:
    """Return the schema of a cell of this type, or `{}` if nothing is known about the type."""
    found = _loosened(_described(annotation))
    if not found or not isinstance(found, dict):
        return {}
    if _is_number(found):
        return {"type": "object", "properties": {VALUE: found}}
    return found


def output_schema(
    kind: Literal["grid", "series"], cell: Mapping[str, Any], *, name: str | None = "entries"
) -> dict[str, Any]:
    """Return the output schema of a tool that returns a grid, or a series whose entries have this
    name. The name is None if it is unknown."""
    if kind not in ("grid", "series"):
        raise InvalidSetting("kind", kind, "is not known", next_step='Write "grid" or "series".')
    definitions = dict(cell.get("$defs", {}))
    own = {word: below for word, below in cell.items() if word != "$defs"}
    cell_name, cut_name = _free("Cell", definitions), _free("CutCell", definitions)
    definitions |= {cell_name: own, cut_name: _cut()}
    shown = {"anyOf": [{"$ref": f"#/$defs/{cell_name}"}, {"$ref": f"#/$defs/{cut_name}"}]}
    whole = {"$ref": f"#/$defs/{cell_name}"}
    forms = _grid_forms(shown, whole) if kind == "grid" else _series_forms(shown, whole, name)
    return {"type": "object", "oneOf": forms, "$defs": definitions}


def _grid_forms(cell: Any, whole: Any) -> list[dict[str, Any]]:
    """Return the forms of a grid. Only a summary may hold cut cells."""
    best = {"anyOf": [*cell["anyOf"], {"type": "null"}]}
    top = {"type": "array", "items": cell, "maxItems": MOST_TOP}
    counts = {"total": _COUNT, "feasible": _COUNT, "returned": _COUNT, "omitted": _COUNT}
    grid = {"type": "array", "items": whole}
    found = {"anyOf": [whole, {"type": "null"}]}
    return [
        _form("summary", {"best": best, "top_cells": top, "ascii_summary": _TEXT, **counts}),
        _form("full", {"grid": grid, "best": found, "ascii_summary": _TEXT, "total": _COUNT}),
    ]


def _series_forms(cell: Any, whole: Any, name: str | None) -> list[dict[str, Any]]:
    """Return the forms of a series. Entries of an unknown name are the additional property."""
    some = _array([*cell["anyOf"], {"type": "null"}]) | {"maxItems": MOST_ENTRIES}
    every = _array([whole, {"type": "null"}])
    indices = {"type": "array", "items": _COUNT, "maxItems": MOST_ENTRIES}
    counts = {"total": _COUNT, "returned": _COUNT, "omitted": _COUNT}
    return [
        _form("summary", {"indices": indices, "ascii_summary": _TEXT, **counts}, (name, some)),
        _form("full", {"ascii_summary": _TEXT, "total": _COUNT}, (name, every)),
    ]


def _array(items: list[Any]) -> dict[str, Any]:
    return {"type": "array", "items": {"anyOf": items}}


def _form(
    output: str, properties: dict[str, Any], entries: tuple[str | None, Any] = (None, None)
) -> dict[str, Any]:
    name, below = entries
    own = {"output": {"type": "string", "const": output}, **properties}
    if name is not None:
        own[name] = below
    form = {"type": "object", "properties": own, "required": list(own)}
    return form if name is not None or below is None else {**form, "additionalProperties": below}


def _cut() -> dict[str, Any]:
    where = {"anyOf": [_COUNT, {"type": "array", "items": _COUNT}]}
    names = {"type": "array", "items": _TEXT}
    own = {"$at": where, "$omitted": names, "$omitted_count": _COUNT, "$size": _COUNT}
    told = "Too large for a summary: `output` full has the omitted fields."
    measure = {"$measure": {"type": ["number", "string"]}}
    return {
        "type": "object",
        "description": told,
        "properties": own | measure,
        "required": list(own),
    }


def _free(name: str, taken: Mapping[str, Any]) -> str:
    while name in taken:
        name += "_"
    return name


def _described(annotation: Any) -> Any:
    """Return the schema by pydantic if it is installed and knows the type, else by msgspec."""
    for describe in (_by_pydantic, _by_msgspec):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return describe(annotation)
        except Exception:  # noqa: BLE001, S112 (a library may fail in any way at an unknown type)
            continue
    return {}


def _by_pydantic(annotation: Any) -> Any:
    pydantic = importlib.import_module("pydantic")
    # Cells are dumped by their field names, not by aliases.
    return pydantic.TypeAdapter(annotation).json_schema(mode="serialization", by_alias=False)


def _by_msgspec(annotation: Any) -> Any:
    return msgspec.json.schema(annotation)


def _loosened(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_loosened(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {word: _below(word, value) for word, value in schema.items() if word not in _DROPPED}
    if "oneOf" in kept:  # Without `required`, several alternatives may match.
        kept["anyOf"] = [*kept.get("anyOf", []), *kept.pop("oneOf")]
    return _nullable(kept)


def _below(word: str, value: Any) -> Any:
    if word in _LITERAL:
        return value
    if word in _NAMED and isinstance(value, dict):
        return {name: _loosened(below) for name, below in value.items()}
    return _loosened(value)


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Allow null: NaN, the infinities and an invalid date become null."""
    kind = schema.get("type")
    if kind in ("number", "integer", "string") and not _LITERAL & schema.keys():
        return {**schema, "type": [kind, "null"]}
    return schema


def _is_number(schema: Mapping[str, Any]) -> bool:
    """Return whether the type is a number, or a Decimal, which is text: a cell then has one field."""
    kinds = schema.get("type")
    if kinds is not None:
        return "object" not in kinds and "array" not in kinds
    return bool(schema.get("anyOf")) and all(map(_is_number, schema["anyOf"]))
