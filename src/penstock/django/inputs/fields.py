"""JSON Schemas of the fields of serializers.

The nearest REST framework class in a field's ancestry decides. A value that a schema refuses never
reaches the site, so a schema refuses little that a serializer might take: a relation, a choice or a
serializer with parsing code of its own is loosened, and a field of an unknown kind takes anything.
No queryset is evaluated: the schema gives the type of a relation's keys, not a list of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from rest_framework import ISO_8601, serializers
from rest_framework.fields import Field, empty
from rest_framework.relations import ManyRelatedField, RelatedField
from rest_framework.settings import api_settings
from rest_framework.utils import humanize_datetime

from penstock.django.inputs.code_names import overrides
from penstock.django.inputs.columns import column_at, schema_of_column
from penstock.django.inputs.documented import excluded_fields, is_told_of
from penstock.django.inputs.faults import attempt, quietly
from penstock.django.inputs.files import file_schema
from penstock.django.inputs.nearest import nearest
from penstock.django.inputs.schemas import (
    Schema,
    described,
    is_json,
    limits_of,
    one_of,
    or_null,
)
from penstock.django.inputs.values import Gap
from penstock.django.inputs.views import model_of_serializer
from penstock.django.inputs.wording import description_of


@dataclass(frozen=True, slots=True)
class FieldWalk:
    """A walk through the fields of a serializer and of those inside it."""

    is_partial: bool = False
    takes_files: bool = False  # the view takes files beside the fields at the top
    within: tuple[type, ...] = ()  # the serializers around this field
    at: str = ""  # the path of the serializer, such as `owner.`
    # Files that cannot be sent, by path: whether each is required.
    files: dict[str, bool] = field(default_factory=dict)
    gaps: dict[str, Gap] = field(default_factory=dict)  # by the name of the field at the top


Maker = Callable[[Any, FieldWalk], Schema]


def schema_of_serializer(serializer: Any, walk: FieldWalk) -> Schema:
    """Return the schema of an object with the fields that can be written."""
    fields = getattr(serializer, "fields", None)
    if fields is None:
        return {}  # a BaseSerializer has only code
    inner = replace(walk, within=(*walk.within, type(serializer)))
    properties: Schema = {}
    required: list[str] = []
    excluded = excluded_fields(serializer)
    for name, item in fields.items():
        if item.read_only or isinstance(item, serializers.HiddenField) or name in excluded:
            continue
        if holds_files(item) and not _is_sent(item, walk):
            walk.files[walk.at + name] = item.required and not walk.is_partial
            continue
        properties[name] = _schema_of_named(name, item, inner)
        if item.required:
            required.append(name)
    schema: Schema = {"properties": properties}
    if reads_its_own_way(serializer):
        return schema  # its code may take other values than objects, and fill in what is missing
    if required and not walk.is_partial:
        schema["required"] = required
    return {"type": "object", **schema}


def reads_its_own_way(item: Any) -> bool:
    return overrides(type(item), "to_internal_value") or overrides(type(item), "run_validation")


def holds_files(item: Any) -> bool:
    return isinstance(item, serializers.FileField) or isinstance(
        getattr(item, "child", None), serializers.FileField
    )


def _is_sent(item: Any, walk: FieldWalk) -> bool:
    """Return whether a form can carry a field of files: one file or a list, at the top."""
    is_plain = isinstance(item, serializers.FileField | serializers.ListField)
    return is_plain and walk.takes_files and not walk.at


def _schema_of_named(name: str, item: Any, walk: FieldWalk) -> Schema:
    at = replace(walk, at=f"{walk.at}{name}.")
    what = f"The field {name} of {walk.within[-1].__qualname__}"
    unknown: Schema = {}
    schema = attempt(what, lambda: schema_of_field(item, at), unknown)
    text = description_of(name, help_text=item.help_text, label=item.label)
    schema = described({**schema, "description": text}, schema.get("description", ""))
    if not walk.is_partial and (default := _default(item)) is not None:
        schema["default"] = default
    return schema


def schema_of_field(item: Any, walk: FieldWalk) -> Schema:
    """Return the schema of a field, without a description by its name."""
    make = _maker_of(item)
    if make is None:
        _note_gap(item, walk)
        return {}
    schema = make(item, walk)
    return or_null(schema) if item.allow_null else schema


def _maker_of(item: Any) -> Maker | None:
    """Return the maker for a field; None for an unknown kind, and for what a developer declared."""
    if holds_files(item):
        return _files
    if is_told_of(item):
        return None
    return nearest(_MAKERS, type(item)) or _maker_of_foreign(type(item))


def _note_gap(item: Any, walk: FieldWalk) -> None:
    """Note a gap of the field at the top. An unknown field deeper inside is not noted, because the
    documentation only guesses there."""
    name, _, deeper = walk.at.partition(".")
    if is_told_of(item):
        walk.gaps[name] = "told"
    elif not deeper and item.field_name == name:
        walk.gaps.setdefault(name, "unknown")


def _maker_of_foreign(kind: type) -> Maker | None:
    """Return the maker for a field of another package. Packages for maps share one class name."""
    is_geometry = any(base.__name__ == "GeometryField" for base in kind.__mro__)
    return _geometry if is_geometry else None


def _default(item: Any) -> Any:
    """Return a plain default as the field would show it; None if it is computed or empty."""
    default = item.default
    if default is empty or callable(default) or isinstance(item, RelatedField):
        return None
    shown = default if is_json(default) else quietly(lambda: item.to_representation(default))
    return shown if is_json(shown) and shown not in ("", [], {}) else None


def _text(item: Any, _: FieldWalk) -> Schema:
    schema: Schema = {"type": "string", **limits_of("string", item.validators)}
    if item.allow_blank:
        schema.pop("minLength", None)
        if "pattern" in schema:
            schema["pattern"] += "|^$"
    return schema


def _formatted(format_: str) -> Maker:
    def make(item: Any, walk: FieldWalk) -> Schema:
        is_text = isinstance(item, serializers.CharField)
        return {**(_text(item, walk) if is_text else {"type": "string"}), "format": format_}

    return make


def _moment(format_: str, setting: str, humanize: Callable[[Sequence[str]], str]) -> Maker:
    """Return a maker for a date or time: in ISO 8601, unless the field or the site sets formats."""

    def make(item: Any, _: FieldWalk) -> Schema:
        formats = getattr(item, "input_formats", None) or getattr(api_settings, setting)
        if ISO_8601 in formats:
            return {"type": "string", "format": format_}
        return described({"type": "string"}, f"Written {humanize(formats)}")

    return make


def _number(kind: str | list[str]) -> Maker:
    def make(item: Any, _: FieldWalk) -> Schema:
        return {"type": kind, **limits_of("number", item.validators)}

    return make


def _ip_address(item: Any, walk: FieldWalk) -> Schema:
    protocol = item.protocol.lower()
    return {**_text(item, walk), **({} if protocol == "both" else {"format": protocol})}


def _choice(item: Any, _: FieldWalk) -> Schema:
    if reads_its_own_way(item):
        return described({}, f"Choices: {', '.join(map(str, item.choices))}.")
    blank = [("", "")] if item.allow_blank and "" not in item.choices else []
    return one_of([*item.choices.items(), *blank])


def _files(item: Any, _: FieldWalk) -> Schema:
    return file_schema(is_list=not isinstance(item, serializers.FileField))


def _choices(item: Any, walk: FieldWalk) -> Schema:
    return _list_of(_choice(item, walk), item)


def _list(item: Any, walk: FieldWalk) -> Schema:
    return _list_of(schema_of_field(item.child, walk), item)


def _list_of_serializers(item: Any, walk: FieldWalk) -> Schema:
    if reads_its_own_way(item):
        return {}
    schema = _list_of(_nested(item.child, walk), item)
    for limit, key in ((item.min_length, "minItems"), (item.max_length, "maxItems")):
        if limit is not None:
            schema[key] = limit
    return schema


def _list_of(items: Schema, item: Any) -> Schema:
    least = {} if item.allow_empty else {"minItems": 1}
    limits = limits_of("array", item.validators)
    return {"type": "array", **({"items": items} if items else {}), **least, **limits}


def _mapping(item: Any, walk: FieldWalk) -> Schema:
    values = schema_of_field(item.child, walk)
    least = {} if item.allow_empty else {"minProperties": 1}
    return {"type": "object", **({"additionalProperties": values} if values else {}), **least}


def _json(item: Any, _: FieldWalk) -> Schema:
    return described({"type": "string"}, "JSON text.") if item.binary else {}


def _nested(item: Any, walk: FieldWalk) -> Schema:
    if type(item) in walk.within:
        return {"type": "object"}  # it holds itself; the level above lists its fields
    return schema_of_serializer(item, walk)


def _primary_key(item: Any, walk: FieldWalk) -> Schema:
    if reads_its_own_way(item):
        return {}
    if item.pk_field is not None:
        return schema_of_field(item.pk_field, walk)
    model = _model_of_relation(item)
    return schema_of_column(model._meta.pk) if model is not None else {}  # noqa: SLF001 (public)


def _slug(item: Any, _: FieldWalk) -> Schema:
    model = None if reads_its_own_way(item) else _model_of_relation(item)
    column = column_at(model, item.slug_field) if model is not None else None
    return schema_of_column(column) if column is not None else {}


def _link(item: Any, _: FieldWalk) -> Schema:
    return {} if reads_its_own_way(item) else {"type": "string", "format": "uri-reference"}


def _relations(item: Any, walk: FieldWalk) -> Schema:
    return _list_of(schema_of_field(item.child_relation, walk), item)


def _model_of_relation(item: Any) -> Any:
    """Return the model of a relation: its queryset's, else that of the column it is named after."""
    if item.queryset is not None:
        return getattr(item.queryset, "model", None)
    holder: Any = item.parent if isinstance(item.parent, ManyRelatedField) else item
    model = model_of_serializer(holder.parent)
    column = column_at(model, holder.source.replace(".", "__")) if model is not None else None
    return getattr(column, "related_model", None)


def _column(item: Any, walk: FieldWalk) -> Schema:
    """Return the schema of a column for which REST framework has no field."""
    if hasattr(item.model_field, "geom_type"):
        return _geometry(item, walk)
    schema = schema_of_column(item.model_field)
    is_text = schema.get("type") == "string"
    return {**schema, **(limits_of("string", item.validators) if is_text else {})}


def _geometry(_item: Any, _walk: FieldWalk) -> Schema:
    return {"type": ["object", "string"], "description": "A geometry, as GeoJSON."}


_MAKERS: Final[dict[type[Field[Any, Any, Any, Any]], Maker]] = {
    serializers.CharField: _text,
    serializers.EmailField: _formatted("email"),
    serializers.URLField: _formatted("uri"),
    serializers.UUIDField: _formatted("uuid"),
    serializers.IPAddressField: _ip_address,
    serializers.DurationField: _formatted("duration"),
    serializers.DateTimeField: _moment(
        "date-time", "DATETIME_INPUT_FORMATS", humanize_datetime.datetime_formats
    ),
    serializers.DateField: _moment("date", "DATE_INPUT_FORMATS", humanize_datetime.date_formats),
    serializers.TimeField: _moment("time", "TIME_INPUT_FORMATS", humanize_datetime.time_formats),
    serializers.BooleanField: lambda _item, _walk: {"type": "boolean"},
    serializers.IntegerField: _number("integer"),
    serializers.FloatField: _number("number"),
    serializers.DecimalField: _number(["number", "string"]),
    serializers.ChoiceField: _choice,
    serializers.MultipleChoiceField: _choices,
    serializers.ListField: _list,
    serializers.DictField: _mapping,
    serializers.JSONField: _json,
    serializers.ModelField: _column,
    serializers.ListSerializer: _list_of_serializers,
    serializers.Serializer: _nested,
    serializers.PrimaryKeyRelatedField: _primary_key,
    serializers.SlugRelatedField: _slug,
    serializers.HyperlinkedRelatedField: _link,
    serializers.ManyRelatedField: _relations,
}
