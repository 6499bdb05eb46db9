"""The arguments of a request's body, by the serializer that reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from rest_framework import serializers
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from penstock.django.endpoints import Endpoint
from penstock.django.inputs import handlers
from penstock.django.inputs.fields import (
    FieldWalk,
    reads_its_own_way,
    schema_of_field,
    schema_of_serializer,
)
from penstock.django.inputs.files import FILE_NOTE, is_file_schema
from penstock.django.inputs.media import MULTIPART, content_type_of, takes_files, takes_only_a_file
from penstock.django.inputs.schemas import Schema
from penstock.django.inputs.values import NOTHING, UNKNOWN, Argument, Gap, InputPart, InputPlace

_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
WHOLE: Final = InputPlace("body", "")


def body_part(endpoint: Endpoint, view: APIView) -> InputPart:
    if not has_body(endpoint):
        return UNKNOWN if handlers.reads_body(endpoint) else NOTHING
    if handlers.is_standard(endpoint):
        return part_of_serializer(serializer_of(view), view)
    reader: Any = handlers.validating_serializer(endpoint)
    if reader is not None:
        options = {"many": True} if handlers.reads_many(endpoint) else {}
        is_own = reader == "view"
        made = (
            serializer_of(view, **options) if is_own else reader(context=_context(view), **options)
        )
        return part_of_serializer(made, view)
    if handlers.has_standard_action(endpoint) or handlers.has_own_serializer(endpoint):
        return loosened(part_of_serializer(serializer_of(view), view))
    return unknown_body(view)


def unknown_body(view: APIView) -> InputPart:
    """Return an open body, with a note on the files that can be sent in it, or cannot."""
    if takes_only_a_file(view):
        return replace(UNKNOWN, notes=("The body is a file, which cannot be sent here.",))
    is_form = content_type_of(view) == MULTIPART
    return replace(UNKNOWN, notes=(FILE_NOTE,)) if is_form else UNKNOWN


def has_body(endpoint: Endpoint) -> bool:
    return endpoint.method in _WITH_BODY


def serializer_of(view: APIView, **options: Any) -> BaseSerializer[Any] | None:
    """Make a view's serializer. Even a plain APIView may have the attributes of a generic view."""
    if callable(make := getattr(view, "get_serializer", None)):
        return make(**options)  # type: ignore[no-any-return]  # an attribute of any view
    choose = getattr(view, "get_serializer_class", None)
    kind = choose() if callable(choose) else getattr(view, "serializer_class", None)
    return kind(context=_context(view), **options) if kind is not None else None


def _context(view: APIView) -> dict[str, Any]:
    return {"request": view.request, "view": view, "format": None}


def part_of_serializer(serializer: BaseSerializer[Any] | None, view: APIView) -> InputPart:
    if serializer is None:
        return unknown_body(view)
    is_list = isinstance(serializer, serializers.ListSerializer)
    is_partial = view.request.method == "PATCH"
    walk = FieldWalk(is_partial, takes_files=takes_files(view) and not is_list)
    if is_list:
        schema = schema_of_field(serializer, walk)
        is_told = "told" in walk.gaps.values()
        whole = part_of_whole(schema, "told" if is_told else "")
        return replace(whole, notes=notes_on(walk.files))
    schema = schema_of_serializer(serializer, walk)
    is_known = "properties" in schema and not reads_its_own_way(serializer)
    part = part_of_object(schema, walk.gaps)
    return replace(part, closed=is_known, notes=notes_on(walk.files))


def part_of_object(schema: Schema, gaps: Mapping[str, Gap] = MappingProxyType({})) -> InputPart:
    """Make an argument of each property."""
    required = schema.get("required", ())
    arguments = (
        Argument(_place(name, item), item, name in required, gaps.get(name, ""))
        for name, item in schema.get("properties", {}).items()
    )
    return InputPart(tuple(arguments))


def _place(name: str, schema: Schema) -> InputPlace:
    return InputPlace("body", name, "file" if is_file_schema(schema) else "plain")


def part_of_whole(schema: Schema, gap: Gap = "") -> InputPart:
    """Make one argument of the whole body."""
    return InputPart((Argument(WHOLE, schema, is_required=True, gap=gap),))


def is_whole(part: InputPart) -> bool:
    """Return whether one argument is the whole body, as for a list."""
    return any(argument.place == WHOLE for argument in part.arguments)


def notes_on(files: Mapping[str, bool]) -> tuple[str, ...]:
    """Return a note that names the files and says which are required, so that an agent does not try
    a request that cannot succeed."""
    named = ", ".join(name + " (required)" * is_required for name, is_required in files.items())
    return (f"Files cannot be sent here: {named}.",) if named else ()


def loosened(part: InputPart) -> InputPart:
    """Make a part a mere hint: nothing is required, and other arguments may be given."""
    arguments = (replace(item, is_required=False) for item in part.arguments)
    return replace(part, arguments=tuple(arguments), closed=False)
