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
from penstock.django.inputs.schemas import Schema
from penstock.django.inputs.values import NOTHING, UNKNOWN, Argument, Gap, InputPart, InputPlace

_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
WHOLE: Final = InputPlace("body", "")


def body_part(endpoint: Endpoint, view: APIView) -> InputPart:
    if not has_body(endpoint):
        return UNKNOWN if handlers.reads_body(endpoint) else NOTHING
    if handlers.is_standard(endpoint):
        return part_of_serializer(serializer_of(view), endpoint.method)
    reader: Any = handlers.validating_serializer(endpoint)
    if reader is not None:
        options = {"many": True} if handlers.reads_many(endpoint) else {}
        is_own = reader == "view"
        made = (
            serializer_of(view, **options) if is_own else reader(context=_context(view), **options)
        )
        return part_of_serializer(made, endpoint.method)
    if handlers.has_standard_action(endpoint) or handlers.has_own_serializer(endpoint):
        return loosened(part_of_serializer(serializer_of(view), endpoint.method))
    return UNKNOWN


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


def part_of_serializer(serializer: BaseSerializer[Any] | None, method: str) -> InputPart:
    if serializer is None:
        return UNKNOWN
    walk = FieldWalk(is_partial=method == "PATCH")
    if isinstance(serializer, serializers.ListSerializer):
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
        Argument(InputPlace("body", name), item, name in required, gaps.get(name, ""))
        for name, item in schema.get("properties", {}).items()
    )
    return InputPart(tuple(arguments))


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
