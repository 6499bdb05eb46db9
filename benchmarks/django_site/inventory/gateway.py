"""The decorators of this run's gateway. Only the import differs between gateways."""

from __future__ import annotations

from django.conf import settings

if settings.SITE.gateway == "penstock":
    from penstock.django import mcp_heavy
else:
    # An environment with frisian-mcp does not check Penstock's types, and vice versa.
    from frisian_mcp.decorators import (  # type: ignore[import-not-found,no-redef,unused-ignore]
        mcp_heavy,
    )

__all__ = ["mcp_heavy"]
