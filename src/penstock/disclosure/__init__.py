"""Shorter tool lists: the listing forms, and full descriptions on demand."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.disclosure.catalogue import Catalogue
    from penstock.disclosure.described_tool import DescribedTool
    from penstock.disclosure.discloser import Audience, Discloser
    from penstock.disclosure.grants import Grants, Holder
    from penstock.disclosure.lists.forms import Lister
    from penstock.disclosure.lists.listing import Listing
    from penstock.disclosure.lists.workflow import system_prompt
    from penstock.disclosure.on_demand import DisclosureAnswers

__all__ = [
    "Audience",
    "Catalogue",
    "DescribedTool",
    "Discloser",
    "DisclosureAnswers",
    "Grants",
    "Holder",
    "Lister",
    "Listing",
    "system_prompt",
]

# Loaded on first use: the host waits for the server to start, and a server with a short list needs
# few of these modules.
_HOMES = {
    "catalogue": ("Catalogue",),
    "described_tool": ("DescribedTool",),
    "on_demand": ("DisclosureAnswers",),
    "discloser": ("Audience", "Discloser"),
    "lists.forms": ("Lister",),
    "lists.listing": ("Listing",),
    "grants": ("Grants", "Holder"),
    "lists.workflow": ("system_prompt",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
