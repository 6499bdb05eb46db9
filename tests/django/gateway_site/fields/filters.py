from typing import ClassVar

import django_filters
from django_filters.rest_framework import FilterSet
from django_filters.widgets import CSVWidget, QueryArrayWidget

from django import forms
from gateway_site.fields.models import Keeper, Label, Place, Pump


def keepers(request):
    """Return a queryset for the caller; it fails without a request."""
    return Keeper.objects.filter(name=request.user.keeper)


class EachOf:
    """A form field of several values, made of a field of one value."""

    def to_python(self, value):
        values = value if isinstance(value, list) else [value] if value else []
        return [super(EachOf, self).to_python(each) for each in values]

    def validate(self, value):
        for each in value:
            super().validate(each)

    def run_validators(self, value):
        for each in value:
            super().run_validators(each)


class IntegersField(EachOf, forms.IntegerField):
    widget = forms.SelectMultiple


class DatesField(EachOf, forms.DateField):
    """A field whose widget reads only the last of several values."""


class IntegersFilter(django_filters.NumberFilter, django_filters.MultipleChoiceFilter):
    field_class = IntegersField


class DatesFilter(django_filters.DateFilter, django_filters.MultipleChoiceFilter):
    field_class = DatesField


class HasFilter(django_filters.BooleanFilter):
    """A filter that looks for what its lookup, `isnull`, does not say."""

    def filter(self, qs, value):
        return qs if value is None else qs.filter(**{f"{self.field_name}__isnull": not value})


class PumpFilter(FilterSet):
    """A filter of each kind."""

    max_price = django_filters.NumberFilter("price", "lte")
    not_at = django_filters.CharFilter("place__slug", exclude=True)
    called = django_filters.CharFilter("name", "icontains", help_text="A part of the name.")
    old = django_filters.BooleanFilter(method="filter_old", label="Built before 2000")
    price_between = django_filters.RangeFilter("price")
    stage_range = django_filters.RangeFilter("stages")
    built_between = django_filters.DateFromToRangeFilter("built")
    when = django_filters.DateRangeFilter(field_name="built")
    drive_any = django_filters.MultipleChoiceFilter("drive", choices=Pump.Drive.choices)
    drive_csv = django_filters.MultipleChoiceFilter(
        "drive", choices=Pump.Drive.choices, widget=CSVWidget
    )
    drive_array = django_filters.MultipleChoiceFilter(
        "drive", choices=Pump.Drive.choices, widget=QueryArrayWidget
    )
    seen_drive = django_filters.AllValuesFilter("drive")
    spare = django_filters.TypedChoiceFilter(
        "is_spare", choices=[(True, "yes"), (False, "no")], coerce=lambda text: text == "True"
    )
    label = django_filters.ModelMultipleChoiceFilter(
        "labels__name", to_field_name="name", queryset=Label.objects.all()
    )
    kept_by = django_filters.ModelChoiceFilter("keeper", queryset=keepers)
    kept_or_not = django_filters.ModelChoiceFilter(
        "keeper", queryset=Keeper.objects.all(), null_label="nobody"
    )
    turned = django_filters.LookupChoiceFilter(
        "turns", field_class=forms.IntegerField, lookup_choices=["gt", "lt"]
    )
    at = django_filters.ModelChoiceFilter(
        "place", to_field_name="slug", queryset=Place.objects.all()
    )
    stages_any = IntegersFilter("stages")
    built_any = DatesFilter("built")
    has_keeper = HasFilter("keeper", "isnull", label="Has keeper")
    sort = django_filters.OrderingFilter(fields=["name", ("price", "cost")])

    class Meta:
        model = Pump
        fields: ClassVar = {
            "name": ["exact", "icontains"],
            "status": ["exact", "in"],
            "stages": ["gte", "range"],
            "keeper": ["exact", "isnull"],
            "checked": ["gt", "year"],
            "runtime": ["lt"],
        }

    def filter_old(self, queryset, name, value):
        return queryset.filter(built__lt="2000-01-01") if value else queryset


class StrictFilter(FilterSet):
    at = django_filters.CharFilter("place__slug", required=True)


class RaisingFilter(django_filters.CharFilter):
    @property
    def field_class(self):
        raise RuntimeError("no field today")


class HalfBrokenFilter(FilterSet):
    broken = RaisingFilter("name")

    class Meta:
        model = Pump
        fields = ("name",)
