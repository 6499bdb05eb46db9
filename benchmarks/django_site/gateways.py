"""The gateways that are Django apps, and where a site has them."""

from __future__ import annotations

from typing import Final

from django.urls import URLResolver, include, path, re_path

PACKAGES: Final = {"penstock": "penstock.django", "frisian": "frisian_mcp"}
PLACE: Final = "/mcp/"


def mounted(gateway: str) -> list[URLResolver]:
    """What a URLconf adds for this gateway: nothing for one that is none of Django's apps."""
    match gateway:
        case "penstock":
            return [path("mcp/", include("penstock.django.urls"))]
        case "frisian":  # its middleware takes the last slash away, and Django would put it back
            return [re_path(r"^mcp/?", include("frisian_mcp.urls"))]
        case _:
            return []
