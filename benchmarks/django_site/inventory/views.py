"""ViewSets as teams write them. Only `bare.py` knows that there is a gateway."""

from __future__ import annotations

from django.contrib.auth.models import User
from rest_framework.pagination import BasePagination, PageNumberPagination
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.serializers import ModelSerializer
from rest_framework.views import APIView
from rest_framework.viewsets import ModelViewSet

from benchmarks.django_site.inventory.models import Device, Report


class MayView(BasePermission):
    """A permission that can be taken away."""

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002 (its signature)
        user = request.user
        return isinstance(user, User) and user.has_perm("inventory.view_device")


class Twenty(PageNumberPagination):
    page_size = 20


class TwoHundred(PageNumberPagination):
    page_size = 200


class DeviceSerializer(ModelSerializer[Device]):
    class Meta:
        model = Device
        fields = "__all__"


class ReportSerializer(ModelSerializer[Report]):
    class Meta:
        model = Report
        fields = "__all__"


class DeviceViewSet(ModelViewSet[Device]):
    """Devices, twenty a page."""

    queryset = Device.objects.all()
    serializer_class = DeviceSerializer
    pagination_class: type[BasePagination] | None = Twenty


class GuardedViewSet(DeviceViewSet):
    """The same devices, under a permission of the database's."""

    permission_classes = (IsAuthenticated, MayView)


class WideViewSet(DeviceViewSet):
    """The same devices, two hundred a page."""

    pagination_class = TwoHundred


class UnpagedViewSet(GuardedViewSet):
    """The same devices, under the same permission, all at once."""

    pagination_class = None


class ReportViewSet(ModelViewSet[Report]):
    """Reports of many kilobytes, twenty a page."""

    queryset = Report.objects.all()
    serializer_class = ReportSerializer
    pagination_class = Twenty
