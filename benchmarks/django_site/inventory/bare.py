"""A bare decorator on a ViewSet, as an accepted decision record of frisian-mcp shows it."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.django_site.inventory.gateway import mcp_heavy
from benchmarks.django_site.inventory.views import DeviceViewSet


class HeavyViewSet(DeviceViewSet):
    """The same devices, under a bare decorator."""

    @mcp_heavy
    def list(self, request: Request, *args: object, **kwargs: object) -> Response:
        return super().list(request, *args, **kwargs)
