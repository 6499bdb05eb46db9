"""The gateways that are Django apps, and their place in a site."""

from __future__ import annotations

from typing import Final

from django.urls import URLResolver, include, path, re_path

PACKAGES: Final = {"penstock": "penstock.django", "frisian": "frisian_mcp"}
PLACE: Final = "/mcp/"


def mounted(gateway: str) -> list[URLResolver]:
    """Return the URLs of a gateway. A gateway that is not a Django app has none."""
    match gateway:
        case "penstock":
            return [path("mcp/", include("penstock.django.urls"))]
        case "frisian":  # its middleware removes the last slash, and Django would add it again
            return [re_path(r"^mcp/?", include("frisian_mcp.urls"))]
        case _:
            return []
