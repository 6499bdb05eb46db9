"""The list of a server's tools that a client gets.

This module loads only what a list needs, because a host waits for it. `on_demand` has the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.core.budget.measure import Meter
from penstock.core.model.store import Store
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.grants import Grants
from penstock.disclosure.lists.forms import Lister
from penstock.disclosure.lists.listing import Listing
from penstock.disclosure.programs import ProgramTool
from penstock.settings.policy import Policy

if TYPE_CHECKING:
    from penstock.disclosure.description_folder import DescriptionFolder

_KEPT: Final = 32


class Audience(msgspec.Struct, frozen=True):
    """The client that gets a list."""

    client: str = ""  # the name that the client reports
    has_apps: bool = False  # the client shows apps


class Discloser:
    """The part of disclosure that outlives a request: settings, grants, and cached lists."""

    def __init__(
        self,
        policy: Policy,
        meter: Meter,
        store: Store,
        *,
        clock: Callable[[], float] = time.time,
        called: Callable[[], frozenset[str]] = frozenset,
    ) -> None:
        """Make a discloser. `called` returns the tools that were called before on this machine. It
        is asked once, so that no list changes because of other requests."""
        self._policy = policy
        self._meter = meter
        self._called = cache(called)
        self.grants = Grants(store, idle=policy.grant_ttl, clock=clock)
        self._folder = _folder(policy.descriptions)
        # Cached by value: listing the same tools again costs nothing.
        self._listing = lru_cache(maxsize=_KEPT)(Lister.listing)

    def gate_for(self, audience: Audience) -> str:
        return self._policy.for_client(audience.client).gate

    def catalogue(self, tools: Catalogue, audience: Audience) -> Catalogue:
        """Return the tools that this client may see, with the descriptions from the folder."""
        known = tools if self._folder is None else self._folder.laid_over(tools)
        return known if audience.has_apps else known.without_apps()

    def listing(
        self,
        catalogue: Catalogue,
        ours: Sequence[bytes],
        audience: Audience,
        around: bytes = b"",
        *,
        for_apps: Sequence[bytes] = (),
        about: str = "",
        is_shortened: bool = False,
        programs: Sequence[ProgramTool] = (),
    ) -> Listing:
        policy = self._policy.for_client(audience.client)
        lister = Lister(
            policy.list_budget,
            self._meter,
            policy.list_form,
            policy.always,
            self._called,
            policy.programs,
        )
        return self._listing(
            lister,
            catalogue,
            tuple(ours),
            has_apps=audience.has_apps,
            around=around,
            for_apps=tuple(for_apps),
            about=about,
            is_shortened=is_shortened,
            programs=tuple(programs),
        )


def _folder(path: str) -> DescriptionFolder | None:
    if not path:
        return None
    from penstock.disclosure.description_folder import DescriptionFolder

    return DescriptionFolder(path)
