# ruff: noqa: ARG002 (REST framework passes every action its request, and what the path holds)

from django.db.models import Count, Q
from django.utils import timezone
from rest_framework import mixins, viewsets
from rest_framework.decorators import action
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

from devices.filters import DeviceFilter, EventFilter, SiteFilter
from devices.models import Device, Event, Site
from devices.serializers import (
    DeviceSerializer,
    EventSerializer,
    RetirementSerializer,
    SiteSerializer,
)
from penstock.django import mcp_heavy


class DeviceViewSet(viewsets.ModelViewSet):
    """The devices of the fleet."""

    queryset = Device.objects.select_related("site")
    serializer_class = DeviceSerializer
    lookup_field = "asset_tag"
    filterset_class = DeviceFilter
    search_fields = ("asset_tag", "name", "serial", "notes")
    ordering_fields = ("asset_tag", "purchased", "last_seen", "power_watts")

    @mcp_heavy
    def list(self, request: Request) -> Response:
        """Devices, by asset tag. There are tens of thousands: filter where you can."""
        return super().list(request)

    @action(detail=False)
    def faults(self, request: Request) -> Response:
        """Count and list the devices that are down, for each site."""
        down = self.get_queryset().filter(status=Device.Status.DOWN)
        sites: dict[str, list[str]] = {}
        for site, tag in down.values_list("site__code", "asset_tag").order_by("site", "asset_tag"):
            sites.setdefault(site, []).append(tag)
        return Response(
            [{"site": site, "down": len(tags), "devices": tags} for site, tags in sites.items()]
        )

    @action(detail=True)
    def history(self, request: Request, asset_tag: str) -> Response:
        """Events of one device, the latest first."""
        events = self.get_object().events.select_related("device")
        return Response(EventSerializer(events, many=True).data)

    @action(detail=True, methods=["post"], serializer_class=RetirementSerializer)
    def retire(self, request: Request, asset_tag: str) -> Response:
        """Take a device out of service, and record the reason in its history."""
        device = self.get_object()
        given = self.get_serializer(data=request.data)
        given.is_valid(raise_exception=True)
        device.status = Device.Status.RETIRED
        device.save(update_fields=["status"])
        device.events.create(
            kind=Event.Kind.RETIRED,
            happened=timezone.now(),
            technician=request.user.get_username(),
            notes=given.validated_data["reason"],
        )
        return Response(DeviceSerializer(device).data)


class SiteViewSet(viewsets.ReadOnlyModelViewSet):
    """The sites, each with the number of its devices in each state."""

    queryset = Site.objects.annotate(
        **{
            status: Count("devices", filter=Q(devices__status=status))
            for status in Device.Status.values
        }
    )
    serializer_class = SiteSerializer
    lookup_field = "code"
    filterset_class = SiteFilter
    search_fields = ("code", "name", "city")


class LatestFirst(CursorPagination):
    """A page by cursor, which skips or repeats no entry while the log grows."""

    ordering = ("-happened", "-id")
    page_size = 100


class EventViewSet(
    mixins.CreateModelMixin,
    mixins.RetrieveModelMixin,
    mixins.ListModelMixin,
    viewsets.GenericViewSet,
):
    """The log of the fleet: installations, inspections, repairs, faults. It is append-only."""

    queryset = Event.objects.select_related("device")
    serializer_class = EventSerializer
    pagination_class = LatestFirst
    filterset_class = EventFilter
    search_fields = ("notes",)
