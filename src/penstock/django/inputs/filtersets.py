"""Arguments for the filters of django-filter. This module is loaded only for a view that has some.

A filter makes its form field on demand, and some filters query the database for that. So no field
is made: its class, the filter's options and the model's column tell as much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext
from django_filters import filters, utils  # type: ignore[import-untyped]  # it ships no types
from django_filters.conf import settings  # type: ignore[import-untyped]  # as above
from django_filters.fields import (  # type: ignore[import-untyped]  # as above
    BaseCSVField,
    BaseRangeField,
    DateRangeField,
    DateTimeRangeField,
    IsoDateTimeRangeField,
    RangeField,
    TimeRangeField,
)
from django_filters.filterset import BaseFilterSet  # type: ignore[import-untyped]  # as above
from rest_framework.views import APIView

from django import forms
from penstock.django.inputs.columns import column_at, schema_of_column
from penstock.django.inputs.documented import is_told_of
from penstock.django.inputs.faults import quietly, tell
from penstock.django.inputs.nearest import nearest
from penstock.django.inputs.ordering import ordering_schema
from penstock.django.inputs.schemas import Schema, described, one_of
from penstock.django.inputs.values import NOTHING, Argument, Gap, InputPart, InputPlace, Style
from penstock.django.inputs.views import model_of, queryset_or_none
from penstock.django.inputs.wording import description_of

_PACKAGE: Final = "django_filters."
_MULTIPLE: Final = (forms.MultipleChoiceField, forms.ModelMultipleChoiceField)
# A list of two, as a query string may write it.
_WRITTEN: Final[dict[Style, str]] = {"repeat": "it=a&it=b", "csv": "it=a,b"}
_UNKNOWN_NAME: Final = "[invalid name]"  # what django-filter calls a column it does not find


def part_of(backend: Any, view: APIView) -> InputPart:
    filterset = backend.get_filterset_class(view, queryset_or_none(view))
    if filterset is None:
        return NOTHING
    model = filterset._meta.model or model_of(view)  # noqa: SLF001 (its only way to say so)
    found: list[Argument] = []
    # A filter set with an `__init__` of its own may add filters there.
    closed = filterset.__init__ is BaseFilterSet.__init__
    for name, item in filterset.base_filters.items():
        try:
            found += _arguments(name, _Filter(name, item, filterset, model))
        except Exception as fault:  # noqa: BLE001 (it is the site's code: it may raise anything)
            tell(f"The filter {name} of {filterset.__qualname__}", fault)
            closed = False
    return InputPart(tuple(found), closed=closed)


class _Filter:
    """A filter and its column."""

    def __init__(self, name: str, item: Any, filterset: Any, model: Any) -> None:
        self.item = item
        self.extra = item.extra
        self.kind: type[forms.Field] = item.field_class
        self.model = model
        self.column: Any = column_at(model, item.field_name) if model and item.field_name else None
        self.is_required = bool(item.extra.get("required"))
        self.description = self._description(name, filterset)

    def _description(self, name: str, filterset: Any) -> str:
        item = self.item
        if isinstance(item, filters.OrderingFilter):
            return ""
        help_text = str(self.extra.get("help_text") or "")
        if help_text == gettext("Multiple values may be separated by commas."):
            help_text = ""  # django-filter's text for forms; an agent sends a JSON list
        said = description_of(name, help_text=help_text, label=item.label)
        return said or ("" if self._is_named_after_lookup(name, filterset) else self._meaning())

    def _is_named_after_lookup(self, name: str, filterset: Any) -> bool:
        item = self.item
        is_plain = isinstance(item.lookup_expr, str) and not item.exclude
        return is_plain and name == filterset.get_filter_name(item.field_name, item.lookup_expr)

    def _meaning(self) -> str:
        """Return django-filter's label: `Price is less than or equal to` for max_price. The label
        says what django-filter does, so a filter that does otherwise has none."""
        item = self.item
        is_own = not type(item).filter.__module__.startswith(_PACKAGE)
        if is_own or item.method is not None or self.column is None:
            return ""
        said = quietly(
            lambda: utils.label_for_filter(
                self.model, item.field_name, item.lookup_expr, item.exclude
            )
        )
        return "" if said is None or _UNKNOWN_NAME in said else str(said)

    @property
    def null_values(self) -> list[str]:
        """The value that stands for null, if the site lets callers ask for null."""
        label = self.extra.get("null_label", settings.NULL_CHOICE_LABEL)
        value = getattr(self.item, "null_value", None)
        return [] if label is None or value is None else [value]


def _arguments(name: str, found: _Filter) -> Iterator[Argument]:
    if isinstance(found.item, filters.OrderingFilter):
        yield _argument(name, found, *_ordering(found))
    elif isinstance(found.item, filters.LookupChoiceFilter):
        yield _argument(name, found, _type(found))
        yield Argument(InputPlace("query", f"{name}_lookup"), _lookups(found))
    elif issubclass(found.kind, RangeField):
        for suffix in _suffixes(found):
            yield _argument(f"{name}_{suffix}" if suffix else name, found, _type(found))
    elif issubclass(found.kind, BaseCSVField):
        pair = {"minItems": 2, "maxItems": 2} if issubclass(found.kind, BaseRangeField) else {}
        yield _argument(name, found, {**_list_of(_type(found)), **pair}, "csv")
    elif (style := _style_of_many(found)) != "plain":
        yield _argument(name, found, _list_of(_type(found)), style)
    else:
        yield _argument(name, found, _type(found))


def _argument(name: str, found: _Filter, schema: Schema, style: Style = "plain") -> Argument:
    said = described({**schema, "description": found.description}, schema.get("description", ""))
    place = InputPlace("query", name, style)
    gap: Gap = "told" if is_told_of(found.item) else "" if schema else "unknown"
    return Argument(place, said, found.is_required, gap)


def _list_of(items: Schema) -> Schema:
    return {"type": "array", **({"items": items} if items else {})}


def _ordering(found: _Filter) -> tuple[Schema, Style]:
    keys = [str(key) for key, _ in _pairs(found.extra["choices"])]
    names = [key for key in keys if not key.startswith("-")]
    if set(keys) == {*names, *(f"-{name}" for name in names)}:
        return ordering_schema(names), "plain"
    return _list_of(one_of((key, key) for key in keys)), "csv"


def _lookups(found: _Filter) -> Schema:
    lookups = found.item.lookup_choices or found.column.get_lookups()
    return one_of(map(found.item.normalize_lookup, lookups))


def _suffixes(found: _Filter) -> Iterable[str]:
    widget = found.extra.get("widget") or found.kind.widget
    return getattr(widget, "suffixes", None) or ("0", "1")


def _style_of_many(found: _Filter) -> Style:
    """Return how a list is written for a filter of several values, by what its widget reads from
    lists. A filter whose widget reads one value takes no list: it would ignore the others."""
    is_many = issubclass(found.kind, _MULTIPLE)
    if not is_many and not isinstance(found.item, filters.MultipleChoiceFilter):
        return "plain"
    widget = found.extra.get("widget") or found.kind.widget
    made = widget() if isinstance(widget, type) else widget
    for style, written in _WRITTEN.items():
        read = made.value_from_datadict(QueryDict(written), MultiValueDict(), "it")
        if isinstance(read, list | tuple) and len(read) == len("ab"):
            return style
    return "plain"


def _type(found: _Filter) -> Schema:
    make = nearest(_MAKERS, found.kind)
    return make(found) if make is not None else _of_column(found)


def _of_column(found: _Filter) -> Schema:
    return schema_of_column(found.column) if found.column is not None else {}


def _number(found: _Filter) -> Schema:
    is_whole = found.item.method is None and _of_column(found).get("type") == "integer"
    return {"type": "integer" if is_whole else "number"}


def _choice(found: _Filter) -> Schema:
    choices = found.extra.get("choices")
    if isinstance(choices, type):
        choices = getattr(choices, "choices", None)  # a Django enumeration
    if choices is None or callable(choices):
        return _of_column(found) or {"type": "string"}  # a callable may query the database
    nulls = ((value, value) for value in found.null_values)
    # A form compares texts, and the text of a boolean is Python's: "True".
    listed = ((str(key) if isinstance(key, bool) else key, label) for key, label in _pairs(choices))
    return one_of([*((k, v) for k, v in listed if k not in ("", None)), *nulls])


def _pairs(choices: Any) -> Iterator[tuple[Any, Any]]:
    """Yield keys and labels, also those inside groups."""
    for key, label in choices.items() if isinstance(choices, dict) else choices:
        if isinstance(label, list | tuple | dict):
            yield from _pairs(label)
        else:
            yield key, label


def _model_choice(found: _Filter) -> Schema:
    """Return the schema of an object's key in the query string. A callable queryset needs a
    request, so the model is then the column's."""
    queryset = found.extra.get("queryset")
    model = getattr(queryset, "model", None) or getattr(found.column, "related_model", None)
    if model is None:
        return {}
    known_by = column_at(model, found.extra.get("to_field_name") or "pk")
    schema = schema_of_column(known_by)
    nulls = found.null_values
    return {"anyOf": [schema, {"enum": nulls}]} if nulls and schema else schema


def _fixed(**schema: Any) -> Callable[[_Filter], Schema]:
    return lambda _: dict(schema)


_DATE: Final = _fixed(type="string", format="date")
_DATE_TIME: Final = _fixed(type="string", format="date-time")
_TIME: Final = _fixed(type="string", format="time")
_MAKERS: Final[dict[type, Callable[[_Filter], Schema]]] = {
    forms.CharField: _fixed(type="string"),
    forms.UUIDField: _fixed(type="string", format="uuid"),
    forms.EmailField: _fixed(type="string", format="email"),
    forms.URLField: _fixed(type="string", format="uri"),
    forms.BooleanField: _fixed(type="boolean"),
    forms.IntegerField: _fixed(type="integer"),
    forms.FloatField: _fixed(type="number"),
    forms.DecimalField: _number,
    forms.DateField: _DATE,
    forms.DateTimeField: _DATE_TIME,
    forms.TimeField: _TIME,
    forms.DurationField: _fixed(type="string", format="duration"),
    forms.ChoiceField: _choice,
    forms.ModelChoiceField: _model_choice,
    RangeField: _number,
    DateRangeField: _DATE,
    DateTimeRangeField: _DATE_TIME,
    IsoDateTimeRangeField: _DATE_TIME,
    TimeRangeField: _TIME,
}
