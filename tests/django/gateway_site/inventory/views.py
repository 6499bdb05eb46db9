"""Views of every kind: with each paginator or none, with answers or permissions of their own, and
some that fail."""

from typing import ClassVar

from django.http import HttpResponse
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework import filters, permissions, viewsets
from rest_framework.authentication import TokenAuthentication
from rest_framework.decorators import action
from rest_framework.generics import ListAPIView
from rest_framework.pagination import CursorPagination, LimitOffsetPagination, PageNumberPagination
from rest_framework.response import Response
from rest_framework.views import APIView

from gateway_site.inventory.models import Device, Location, Reading
from gateway_site.inventory.serializers import (
    BrokenSerializer,
    DeviceSerializer,
    LocationSerializer,
    ReadingSerializer,
)
from penstock.django import mcp_heavy, mcp_ignore


class Pages(PageNumberPagination):
    page_size = 20


class Cursors(CursorPagination):
    page_size = 20
    ordering = "-taken"


class Limits(LimitOffsetPagination):
    default_limit = 20


class IsOwner(permissions.BasePermission):
    def has_object_permission(self, request, view, obj):
        return obj.owner_id == request.user.pk


class DeviceViewSet(viewsets.ModelViewSet):
    """Devices of the plant."""

    queryset = Device.objects.order_by("name", "id")
    serializer_class = DeviceSerializer
    pagination_class = Pages
    filter_backends = (DjangoFilterBackend, filters.SearchFilter, filters.OrderingFilter)
    filterset_fields: ClassVar = {
        "kind": ["exact"],
        "location": ["exact", "in"],
        "price": ["gte", "lte"],
    }
    search_fields = ("name",)
    ordering_fields = ("name", "price")

    @mcp_heavy
    def list(self, request, *args, **kwargs):
        """List the devices, filtered and ordered."""
        return super().list(request, *args, **kwargs)

    @action(detail=False)
    def cheapest(self, request):
        """Devices by price, without pages of their own."""
        queryset = self.filter_queryset(self.get_queryset()).order_by("price")
        return Response(self.get_serializer(queryset, many=True).data)

    @mcp_heavy
    @action(detail=False)
    def by_kind(self, request):
        """The devices of each kind: an answer of its own, from all of them."""
        found = self.get_serializer(self.filter_queryset(self.get_queryset()), many=True).data
        kinds = {row["kind"] for row in found}
        return Response({kind: [row for row in found if row["kind"] == kind] for kind in kinds})

    @action(detail=False)
    def names(self, request):
        """Just names, one a line."""
        return HttpResponse("\n".join(d.name for d in self.get_queryset()), "text/plain")

    @action(detail=True, methods=["post"])
    def retire(self, request, pk=None):
        device = self.get_object()
        device.notes = "retired"
        device.save()
        return Response(self.get_serializer(device).data)

    @action(detail=False, methods=["post"])
    def bulk(self, request):
        """Make many at once."""
        serializer = self.get_serializer(data=request.data, many=True)
        serializer.is_valid(raise_exception=True)
        serializer.save()
        return Response(serializer.data, status=201)

    @mcp_ignore
    @action(detail=False)
    def hidden(self, request):
        return Response("never")


class LocationViewSet(viewsets.ReadOnlyModelViewSet):
    """Places. Nobody has decorated this."""

    queryset = Location.objects.all()
    serializer_class = LocationSerializer


@mcp_heavy(page_size=10)
class ReadingViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = Reading.objects.all()
    serializer_class = ReadingSerializer
    pagination_class = Cursors


class LimitedViewSet(ReadingViewSet):
    pagination_class = Limits


class UnpagedViewSet(ReadingViewSet):
    pagination_class = None


class OwnViewSet(viewsets.ModelViewSet):
    """Devices that only their owner may look at."""

    queryset = Device.objects.all()
    serializer_class = DeviceSerializer
    permission_classes = (permissions.IsAuthenticated, IsOwner)


class GuardedViewSet(viewsets.ModelViewSet):
    """By the permissions of Django's models."""

    queryset = Device.objects.all()
    serializer_class = DeviceSerializer
    permission_classes = (permissions.DjangoModelPermissions,)
    authentication_classes = (TokenAuthentication,)


class StaffViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = Device.objects.all()
    serializer_class = DeviceSerializer
    permission_classes = (permissions.IsAdminUser,)


class BrokenViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = Location.objects.all()
    serializer_class = BrokenSerializer


class OpenList(ListAPIView):
    """Locations, for anybody."""

    queryset = Location.objects.all()
    serializer_class = LocationSerializer
    permission_classes = (permissions.AllowAny,)


class Health(APIView):
    """Whether the plant is up."""

    permission_classes = (permissions.AllowAny,)

    def get(self, request):
        return Response({"status": "up"})


class HasKey(permissions.BasePermission):
    """A permission by a header that no authentication class knows."""

    def has_permission(self, request, view):
        return request.headers.get("X-Api-Key") == "good"


class ForKeys(OpenList):
    permission_classes = (HasKey,)


class Lists(viewsets.GenericViewSet):
    """Pages of lists that are not querysets."""

    serializer_class = LocationSerializer
    pagination_class = Pages

    @mcp_heavy
    def list(self, request):
        page = self.paginate_queryset([{"n": n, "text": "x" * 90} for n in range(500)])
        return self.get_paginated_response(page)


class TwoAPage(PageNumberPagination):
    page_size = 2


class PagedLocations(OpenList):
    pagination_class = TwoAPage


class Peculiar(PagedLocations):
    """A view that uses attributes of its own paginator."""

    def get_paginated_response(self, data):
        return Response({"rows": data, "pages": self.paginator.page.paginator.num_pages})
