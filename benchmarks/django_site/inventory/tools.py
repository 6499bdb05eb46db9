"""Functions as heavy tools, in the one form that both gateways accept."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from rest_framework.permissions import IsAuthenticated

from benchmarks.django_site.inventory.gateway import mcp_heavy
from benchmarks.django_site.inventory.models import Device, Report
from benchmarks.django_site.inventory.views import MayView

_BY_SITE = {
    "type": "object",
    "properties": {"site": {"type": "string", "description": "Only devices at this site"}},
}


@mcp_heavy(
    name="inventory.devices",
    description="All devices, or those at one site.",
    input_schema=_BY_SITE,
    permission_classes=[IsAuthenticated, MayView],
)
def devices(arguments: dict[str, Any], request: HttpRequest) -> list[dict[str, Any]]:  # noqa: ARG001 (the signature of a tool)
    found = Device.objects.filter(**arguments)
    return list(found.values("id", "name", "serial", "site", "role", "status", "address"))


@mcp_heavy(
    name="inventory.purchases",
    description="What was installed when, and what it cost.",
    input_schema={"type": "object", "properties": {}},
    permission_classes=[IsAuthenticated],
)
def purchases(arguments: dict[str, Any], request: HttpRequest) -> list[dict[str, Any]]:  # noqa: ARG001 (the signature of a tool)
    return list(Device.objects.values("id", "installed_at", "cost")[:1_000])


@mcp_heavy(
    name="inventory.reports",
    description="All reports, with their bodies.",
    input_schema={"type": "object", "properties": {}},
    permission_classes=[IsAuthenticated],
)
def reports(arguments: dict[str, Any], request: HttpRequest) -> list[dict[str, Any]]:  # noqa: ARG001 (the signature of a tool)
    return list(Report.objects.values())
