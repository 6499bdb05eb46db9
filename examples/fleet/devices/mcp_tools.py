# ruff: noqa: ARG001 (every tool gets its arguments and the request)
"""Tools without a view: questions that agents ask, but no page of the site does."""

from typing import Any

from django.db.models import Count, Sum
from django.http import HttpRequest
from rest_framework.permissions import IsAuthenticated

from devices.models import Device
from penstock.django import mcp_heavy, mcp_tool


@mcp_tool(
    name="fleet.overview",
    description="How many devices there are, by status and by kind.",
    input_schema={"type": "object", "properties": {}},
    permission_classes=[IsAuthenticated],
)
def overview(arguments: dict[str, Any], request: HttpRequest) -> dict[str, Any]:
    def counted(field: str) -> dict[str, int]:
        rows = Device.objects.order_by(field).values_list(field)
        return dict(rows.annotate(count=Count("id")))

    return {"status": counted("status"), "kind": counted("kind")}


@mcp_heavy(
    name="fleet.power",
    description="Power of the devices in service, in watts, for each site and kind.",
    input_schema={
        "type": "object",
        "properties": {
            "country": {"type": "string", "description": "Two letters; all if left out."}
        },
    },
    permission_classes=[IsAuthenticated],
)
def power(arguments: dict[str, Any], request: HttpRequest) -> list[dict[str, Any]]:
    devices = Device.objects.exclude(status=Device.Status.RETIRED)
    if country := arguments.get("country"):
        devices = devices.filter(site__country=country)
    grouped = devices.order_by("site__code", "kind").values("site__code", "kind")
    return [
        {
            "site": row["site__code"],
            "kind": row["kind"],
            "devices": row["devices"],
            "watts": round(row["watts"], 2),  # SQLite adds decimals up as floats
        }
        for row in grouped.annotate(devices=Count("id"), watts=Sum("power_watts"))
    ]
