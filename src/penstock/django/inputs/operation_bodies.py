"""The body of an operation that drf-spectacular describes, as arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rest_framework.views import APIView

from penstock.django.inputs.bodies import notes_on, part_of_object, part_of_whole, unknown_body
from penstock.django.inputs.components import flattened, reachable, without_required
from penstock.django.inputs.files import file_schema
from penstock.django.inputs.media import JSON, takes_files
from penstock.django.inputs.openapi import json_schema, sound
from penstock.django.inputs.schemas import Schema, described
from penstock.django.inputs.values import InputPart


def documented_body(
    said: Mapping[str, Any], definitions: Mapping[str, Schema], view: APIView
) -> InputPart | None:
    """Return the arguments of OpenAPI's `requestBody`; None if it is empty."""
    content = said.get("content") or {}
    if not content:
        return None
    kind = JSON if JSON in content else next(iter(content))
    schema = json_schema(content[kind].get("schema") or {})
    if not schema:
        return unknown_body(view)
    part = _part_of(schema, definitions, view)
    if view.request.method == "PATCH":
        definitions = without_required(definitions)
    checked = (replace(item, schema=sound(item.schema, definitions)) for item in part.arguments)
    return referring(replace(part, arguments=tuple(checked)), definitions)


def referring(part: InputPart, definitions: Mapping[str, Schema]) -> InputPart:
    """Add the definitions that a part's schemas refer to."""
    used = reachable([argument.schema for argument in part.arguments], definitions)
    return replace(part, definitions=used)


def _part_of(schema: Schema, definitions: Mapping[str, Schema], view: APIView) -> InputPart:
    """Make an argument of each property of an object, or one argument of any other body. A partial
    update requires nothing, but a row of a list requires what its own schema does: the key of the
    record to change."""
    is_partial = view.request.method == "PATCH"
    if schema.get("type") == "array":
        row = flattened(schema.get("items", {}), definitions)
        return part_of_whole(schema) if row is None else _part_of_list(schema, row, is_partial)
    flat = flattened(schema, definitions)
    found: Schema = without_required(flat or schema) if is_partial else flat or schema
    return part_of_whole(found) if flat is None else _part_of_fields(found, takes_files(view))


def _part_of_list(schema: Schema, row: Schema, is_partial: bool) -> InputPart:
    """Make one argument of a list of objects, without files, which JSON cannot carry."""
    required = row.get("required", ())
    loose: Schema = without_required(row) if is_partial else row
    properties = loose.get("properties", {})
    files = {name: name in required for name, item in properties.items() if _is_binary(item)}
    items = {key: value for key, value in loose.items() if key != "required"}
    items["properties"] = {name: it for name, it in properties.items() if name not in files}
    if needed := [name for name in required if name not in files]:
        items["required"] = needed
    return replace(part_of_whole({**schema, "items": items}), notes=notes_on(files))


def _part_of_fields(schema: Schema, takes_files: bool) -> InputPart:
    """Make arguments of an object's properties. Only a form can carry files."""
    is_open = "properties" not in schema or bool(schema.get("additionalProperties"))
    properties, required = schema.get("properties", {}), schema.get("required", ())
    files = {name: _file(item) for name, item in properties.items() if _is_binary(item)}
    lost = {} if takes_files else {name: name in required for name in files}
    kept = {name: files.get(name, item) for name, item in properties.items() if name not in lost}
    part = part_of_object({**schema, "properties": kept})
    return replace(part, closed=not is_open, notes=notes_on(lost))


def _file(schema: Schema) -> Schema:
    made = file_schema(is_list=schema.get("type") == "array")
    return described(made, schema.get("description", ""))


def _is_binary(schema: Schema) -> bool:
    return "binary" in (schema.get("format"), schema.get("items", {}).get("format"))
