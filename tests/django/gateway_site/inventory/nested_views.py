"""Views whose path has a key that is not the key of their rows, and views that refuse by themselves."""

from functools import wraps
from typing import ClassVar

from django.contrib.auth.decorators import permission_required
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.shortcuts import get_object_or_404
from django.utils.decorators import method_decorator
from drf_spectacular.utils import extend_schema
from rest_framework import generics, permissions, viewsets
from rest_framework.decorators import action
from rest_framework.response import Response
from rest_framework.views import APIView

from gateway_site.inventory import guards
from gateway_site.inventory.models import Device, Location
from gateway_site.inventory.serializers import DeviceSerializer, LocationSerializer
from gateway_site.inventory.views import Pages


class HoldsKey(permissions.BasePermission):
    """A permission for halls: the user's last name is the hall to which the user has a key."""

    def has_object_permission(self, request, view, obj):
        return request.user.last_name == obj.name


class HallDevices(generics.ListAPIView):
    """The devices of a hall, whose permission the queryset checks."""

    serializer_class = DeviceSerializer
    pagination_class = Pages
    permission_classes = (permissions.IsAuthenticated, HoldsKey)

    def get_queryset(self):
        hall = get_object_or_404(Location, pk=self.kwargs["pk"])
        self.check_object_permissions(self.request, hall)
        return Device.objects.filter(location=hall).order_by("id")


class HallViewSet(viewsets.GenericViewSet):
    queryset = Location.objects.all()
    serializer_class = LocationSerializer
    pagination_class = Pages
    permission_classes = (permissions.IsAuthenticated, HoldsKey)
    order: ClassVar = ["id"]

    @action(detail=True)
    def by_object(self, request, pk=None):
        devices = self.get_object().devices.order_by("id")
        return self._answered(devices)

    @action(detail=True)
    def by_lookup(self, request, pk=None):
        """Look up the hall, and refuse, without REST framework."""
        hall = get_object_or_404(self.queryset, pk=pk)
        if request.user.last_name != hall.name:
            raise PermissionDenied
        return self._answered(hall.devices.order_by(*self.order))

    @action(detail=True)
    def by_status(self, request, pk=None):
        """Refuse by the status of the answer, in a method of the view."""
        return self._refusal(pk) or self._answered(Device.objects.filter(location_id=pk))

    @action(detail=True)
    def in_year(self, request, pk=None):
        """Answer for a year: `pk` is the key of nothing."""
        return Response([{"year": pk, "day": day, "text": "t" * 90} for day in range(365)])

    def _refusal(self, pk):
        is_let_in = Location.objects.filter(pk=pk, name=self.request.user.last_name).exists()
        return None if is_let_in else Response(status=403)

    def _answered(self, devices):
        page = self.paginate_queryset(devices)
        return self.get_paginated_response(DeviceSerializer(page, many=True).data)


class Atomic(generics.RetrieveAPIView):
    """A view that notes whether it looks for its object in a transaction."""

    serializer_class = DeviceSerializer
    noted: ClassVar = []

    def get_queryset(self):
        self.noted.append(connection.in_atomic_block)
        return Device.objects.all()


# -- refusals in code that says nothing of them ------------------------------------------------------

DAYS = [{"day": day, "text": "t" * 90} for day in range(365)]


def members_only(handler):
    @wraps(handler)
    def guarded(self, request, *args, **kwargs):
        guards.ensure_member(request.user)
        return handler(self, request, *args, **kwargs)

    return guarded


class ByDecorator(APIView):
    @members_only
    def get(self, request):
        return Response(DAYS)


class ByDjangosDecorator(APIView):
    @method_decorator(permission_required("inventory.view_device", raise_exception=True))
    def get(self, request):
        return Response(DAYS)


class ByModule(APIView):
    def get(self, request):
        guards.ensure_member(request.user)
        return Response(DAYS)


class ByInnerFunction(APIView):
    def get(self, request):
        return self.retried(lambda: self.days(request))

    def retried(self, call):
        return call()

    def days(self, request):
        guards.ensure_member(request.user)
        return Response(DAYS)


class ByName(ByInnerFunction):
    def get(self, request):
        return getattr(self, "da" + "ys")(request)


class DeviceRows(generics.ListAPIView):
    queryset = Device.objects.order_by("id")
    serializer_class = DeviceSerializer
    pagination_class = Pages


class ListByDecorator(DeviceRows):
    @members_only
    def list(self, request, *args, **kwargs):
        return super().list(request, *args, **kwargs)


@method_decorator(guards.for_members, name="list")
class ListByDecoratorOfClass(DeviceRows):
    """The decorated method is REST framework's."""


class ListBySerializer(DeviceRows):
    def get_serializer_class(self):
        guards.ensure_member(self.request.user)
        return DeviceSerializer


class ListAsEver(DeviceRows):
    """A list with an override that changes nothing, decorated only for drf-spectacular."""

    @extend_schema(summary="List devices")
    def list(self, request, *args, **kwargs):
        """List devices."""
        return super().list(request, *args, **kwargs)
