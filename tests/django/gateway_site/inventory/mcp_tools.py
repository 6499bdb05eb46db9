"""Functions that are tools."""

import datetime as dt
import uuid
from decimal import Decimal

from rest_framework.permissions import AllowAny, IsAdminUser

from penstock.django import mcp_heavy, mcp_tool

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NOTHING = {"type": "object", "properties": {}}


@mcp_tool(name="echo", description="The text, as it came.", input_schema=TEXT)
def echo(arguments, request):
    return {"text": arguments["text"], "user": request.user.get_username()}


@mcp_tool(name="greet", description="For anybody.", input_schema=NOTHING, permission_classes=[])
def greet(arguments, request):
    return "hello"


@mcp_tool(
    name="reset", description="Do it again.", input_schema=NOTHING,
    permission_classes=[AllowAny], write=True,
)  # fmt: skip
def reset(arguments, request):
    return {"done": True}


@mcp_tool(
    name="purge", description="All of it.", input_schema=NOTHING,
    permission_classes=[IsAdminUser], admin=True,
)  # fmt: skip
def purge(arguments, request):
    return {"purged": True}


@mcp_heavy(
    name="stock.search",
    description="Search the stock.",
    input_schema={
        "type": "object",
        "properties": {"warehouse": {"type": "string"}, "rows": {"type": "integer"}},
        "required": ["warehouse"],
    },
)
def search(arguments, request):
    """Return values that JSON lacks."""
    day = dt.datetime(2026, 11, 15, 12, tzinfo=dt.UTC)
    return [
        {"id": n, "at": day, "price": Decimal("1.10"), "key": uuid.UUID(int=n), "x": "y" * 40}
        for n in range(arguments.get("rows", 300))
    ]


@mcp_tool(name="fail", description="It does.", input_schema=NOTHING)
def fail(arguments, request):
    raise RuntimeError("a secret of the site")


class Shape:
    """A stand-in for a geometry of GeoDjango's."""

    geojson = '{"type":"Point","coordinates":[1.5,2.5]}'


@mcp_tool(name="odd", description="Values that are no JSON.", input_schema=NOTHING)
def odd(arguments, request):
    from django.utils.translation import gettext_lazy

    from gateway_site.inventory.models import Device

    return {
        "when": dt.datetime(2026, 11, 15, 12, tzinfo=dt.UTC),
        "day": dt.date(2026, 11, 15),
        "lasts": dt.timedelta(hours=1),
        "price": Decimal("0.10"),
        "key": uuid.UUID(int=1),
        "label": gettext_lazy("Yes"),
        "file": Device(manual="manuals/a.pdf").manual,
        "none": Device().manual,
        "shape": Shape(),
        "names": Device.objects.values_list("name", flat=True)[:1],
        "bytes": b"abc",
        "set": {1},
    }


@mcp_tool(name="unfit", description="Nothing that JSON has.", input_schema=NOTHING)
def unfit(arguments, request):
    return {"value": object()}


@mcp_tool(name="missing", description="What is not there.", input_schema=NOTHING)
def missing(arguments, request):
    from django.http import Http404

    raise Http404("no such thing")


@mcp_tool(name="invalid", description="What is refused.", input_schema=NOTHING)
def invalid(arguments, request):
    from rest_framework.exceptions import ValidationError

    raise ValidationError({"name": ["too long"]})
