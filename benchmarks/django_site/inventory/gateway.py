"""The decorators of the gateway that this run of the site has: one import is all that differs."""

from __future__ import annotations

from django.conf import settings

if settings.SITE.gateway == "penstock":
    from penstock.django import mcp_heavy
else:
    # Where it is installed, Penstock's types are not looked at, and the other way round.
    from frisian_mcp.decorators import (  # type: ignore[import-not-found,no-redef,unused-ignore]
        mcp_heavy,
    )

__all__ = ["mcp_heavy"]
