from django_filters import rest_framework as filters

from devices.models import Device, Event, Site


class DeviceFilter(filters.FilterSet):
    site = filters.CharFilter(field_name="site__code", help_text="The site's code.")
    country = filters.CharFilter(field_name="site__country", help_text="Two letters.")
    purchased = filters.DateFromToRangeFilter()
    seen_before = filters.IsoDateTimeFilter(field_name="last_seen", lookup_expr="lt")
    least_watts = filters.NumberFilter(field_name="power_watts", lookup_expr="gte")

    class Meta:
        model = Device
        fields = ("kind", "status", "firmware")


class SiteFilter(filters.FilterSet):
    class Meta:
        model = Site
        fields = ("country", "city")


class EventFilter(filters.FilterSet):
    device = filters.CharFilter(field_name="device__asset_tag", help_text="The device's asset tag.")
    happened = filters.IsoDateTimeFromToRangeFilter()

    class Meta:
        model = Event
        fields = ("kind", "technician")
