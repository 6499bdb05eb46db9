"""Rare filters: their schemas, which are made without form fields."""

from __future__ import annotations

import django_filters
import pytest
from django.db import models
from django_filters.rest_framework import DjangoFilterBackend, FilterSet
from gateway_site.fields.models import Keeper, Label, Pump
from gateway_site.fields.serializers import ShortPumpSerializer
from rest_framework import generics
from rest_framework.filters import OrderingFilter, SearchFilter

from django import forms
from penstock.django.endpoints import Endpoint
from penstock.django.inputs import InputPlace, inputs_of

TEXT = {"type": "string"}


def inputs_with(**attributes):
    """Return the inputs of a list of pumps with these attributes."""
    common = {
        "queryset": Pump.objects.all(),
        "serializer_class": ShortPumpSerializer,
        "filter_backends": (DjangoFilterBackend,),
    }
    made = type("Made", (generics.ListAPIView,), {**common, **attributes})
    return inputs_of(Endpoint("/made/", "GET", made.as_view()))


def filtered_by(**filters):
    return inputs_with(filterset_class=type("Made", (FilterSet,), filters))


def colours():
    raise AssertionError("they may be in the database")


class Reading(models.TextChoices):
    HIGH = "high"
    LOW = "low"


FILTERS = {
    "choices of an enumeration": (
        django_filters.ChoiceFilter(choices=Reading),
        {"type": "string", "enum": ["high", "low"]},
    ),
    "choices in groups": (
        django_filters.ChoiceFilter(choices=[("Far", [("a", "A")]), ("b", "B"), ("", "none")]),
        {"type": "string", "enum": ["a", "b"]},
    ),
    "choices by code": (
        django_filters.ChoiceFilter("stages", choices=colours),
        {"type": "integer", "description": "Stages"},
    ),
    "choices by code, of no column": (django_filters.ChoiceFilter(choices=colours), TEXT),
    "choices with null": (
        django_filters.ChoiceFilter(choices=[("a", "A")], null_label="none"),
        {"type": "string", "enum": ["a", "null"]},
    ),
    "choices of a column": (
        django_filters.AllValuesMultipleFilter("stages"),
        {"type": ["array", "integer"], "items": {"type": "integer"}, "description": "Stages"},
    ),
    "no kind of its own": (
        django_filters.Filter("stages"),
        {"type": "integer", "description": "Stages"},
    ),
    "no kind and no column": (django_filters.Filter(method="by"), {}),
    "objects of no known model": (django_filters.ModelChoiceFilter(queryset=colours), {}),
    "object by a relation": (
        django_filters.ModelChoiceFilter("labels", queryset=colours),
        {"type": "integer", "description": "Labels"},
    ),
    "number that a method takes": (
        django_filters.NumberFilter("stages", method="by"),
        {"type": "number"},
    ),
    "sorting that goes one way": (
        django_filters.OrderingFilter(choices=[("name", "Name"), ("-price", "Dear")]),
        {"type": ["array", "string"], "items": {"type": "string", "enum": ["name", "-price"]}},
    ),
    "label that repeats the name": (django_filters.CharFilter(label="It"), TEXT),
    "help text": (
        django_filters.CharFilter(help_text="Of <i>that</i>."),
        {"type": "string", "description": "Of that."},
    ),
    "one lookup under another name": (
        django_filters.CharFilter("name", "startswith"),
        {"type": "string", "description": "Name starts with"},
    ),
    "several of no known kind": (
        django_filters.ModelMultipleChoiceFilter(queryset=colours),
        {"type": ["array", "string", "number", "boolean"]},
    ),
    "email": (
        type("EmailFilter", (django_filters.Filter,), {"field_class": forms.EmailField})("name"),
        {"type": "string", "format": "email", "description": "Name"},
    ),
}


@pytest.mark.parametrize(("item", "schema"), FILTERS.values(), ids=FILTERS)
def test_rare_filters(item, schema):
    inputs = filtered_by(it=item)
    assert inputs.schema["properties"] == {"it": schema}
    assert inputs.schema["additionalProperties"] is False


def test_a_list_with_commas_is_so_by_its_filter():
    class Names(django_filters.BaseInFilter, django_filters.CharFilter):
        pass

    inputs = filtered_by(it=Names("name"))
    assert inputs.schema["properties"]["it"] == {
        "type": ["array", "string"],
        "items": TEXT,
        "description": "Name is in",
    }
    assert inputs.places["it"] == InputPlace("query", "it", "csv")


def test_a_pair_without_names_is_numbered():
    class Pair(django_filters.fields.RangeField):
        widget = forms.MultiWidget(widgets=[forms.TextInput, forms.TextInput])

    item = type("PairFilter", (django_filters.Filter,), {"field_class": Pair})("price")
    assert list(filtered_by(it=item).places) == ["it_0", "it_1"]


def test_filters_that_are_added_later_leave_the_query_open():
    class Growing(FilterSet):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.filters["more"] = django_filters.CharFilter("name")

    inputs = inputs_with(filterset_class=Growing)
    assert inputs.rest == "query"


def test_fields_alone_make_a_set():
    inputs = inputs_with(filterset_fields={"name": ["exact"], "labels": ["exact"]})
    assert inputs.schema["properties"] == {
        "name": TEXT,
        "labels": {"type": ["array", "integer"], "items": {"type": "integer"}},
    }
    assert inputs.places["labels"].style == "repeat"


NOTHING = {
    "no filters": {},
    "no words to search": {"filter_backends": (SearchFilter,)},
    "no view's queryset": {"queryset": None, "get_queryset": lambda self: Keeper.objects.all()},
}


@pytest.mark.parametrize("attributes", NOTHING.values(), ids=NOTHING)
def test_what_does_nothing_is_not_told(attributes):
    assert inputs_with(**attributes).schema == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


def test_the_model_is_found_where_only_code_has_it():
    inputs = inputs_with(
        queryset=None,
        serializer_class=None,
        get_queryset=lambda self: Label.objects.all(),
        filterset_fields=["name"],
    )
    assert inputs.schema["properties"] == {"name": TEXT}


SORTED = {
    "all columns": ("__all__", "^(-?(id|name)(, *|$))+$"),
    "labelled": ([("name", "Name")], "^(-?(name)(, *|$))+$"),
    "paths": (["keeper.name"], r"^(-?(keeper\.name)(, *|$))+$"),
}


@pytest.mark.parametrize(("fields", "pattern"), SORTED.values(), ids=SORTED)
def test_what_a_list_is_sorted_by(fields, pattern):
    inputs = inputs_with(
        queryset=Label.objects.all(), filter_backends=(OrderingFilter,), ordering_fields=fields
    )
    assert inputs.schema["properties"]["ordering"]["pattern"] == pattern


def test_sorting_where_the_queryset_wants_to_know_who_asks():
    def get_queryset(self):
        return Pump.objects.filter(keeper=self.request.user.keeper)

    inputs = inputs_with(
        queryset=None, get_queryset=get_queryset, filter_backends=(OrderingFilter,)
    )
    found = inputs.schema["properties"]["ordering"]["pattern"]
    assert found == "^(-?(id|name|serial|status|place|price)(, *|$))+$"


def test_names_that_no_pattern_takes_are_written_out():
    inputs = inputs_with(filter_backends=(OrderingFilter,), ordering_fields=["a-b"])
    found = inputs.schema["properties"]["ordering"]
    assert "pattern" not in found
    assert found["description"].endswith("Of a-b.")


def test_words_of_the_site_s_own_about_searching():
    class Own(SearchFilter):
        search_description = "Exact words."

    inputs = inputs_with(filter_backends=(Own,), search_fields=["name"])
    said = inputs.schema["properties"]["search"]["description"]
    assert said == "Exact words. Words to look for in name."
