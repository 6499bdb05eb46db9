"""Lists of tools, in the listing form that says enough and fits.

The same catalogue and the same settings give the same bytes, so that prompt caches stay valid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import Meter
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.lists.listing import Listing, Terms, is_small
from penstock.disclosure.programs import ProgramTool
from penstock.errors import InvalidSetting
from penstock.log import logger

FORMS: Final = ("auto", "full", "signatures", "brief", "index")


class Lister(msgspec.Struct, frozen=True):
    """A maker of lists, all under the same settings."""

    budget: Budget  # of the whole list
    meter: Meter
    form: str = "auto"
    always: tuple[str, ...] = ()  # patterns of tools that every form lists in full
    # Returns the tools that were called before, and so tell more. A small list never asks.
    called: Callable[[], frozenset[str]] = frozenset
    programs: str = "auto"  # the setting: which forms list the tools that run programs

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise InvalidSetting("form", self.form, f"must be one of: {', '.join(FORMS)}.")

    def listing(
        self,
        catalogue: Catalogue,
        ours: Sequence[bytes] = (),  # Penstock's tools that every form lists
        *,
        has_apps: bool = False,  # the client shows apps, and needs their tools
        around: bytes = b"",  # the other members of the result
        for_apps: Sequence[bytes] = (),  # Penstock's tools that only apps call
        about: str = "",  # the server's name, and its purpose in a few words
        is_shortened: bool = False,  # by another Penstock
        programs: Sequence[ProgramTool] = (),  # those that run programs, if the client may get them
    ) -> Listing:
        everywhere = () if self.programs == "auto" else tuple(programs)
        every = (*ours, *(tool.shown for tool in everywhere))
        terms = Terms(
            self.budget,
            self.meter,
            every,
            around,
            self.always,
            has_apps,
            about,
            in_index=() if everywhere else tuple(programs),
            has_programs=bool(everywhere),
        )
        apart = [tool for tool in catalogue if has_apps and tool.is_for_apps_alone]
        listing = self._for_models(catalogue.without_apps(), terms, is_shortened=is_shortened)
        # The host hides the tools for apps from the model: they are listed whole, and cost nothing.
        tools = [*listing.tools, *every, *(tool.in_full for tool in apart), *for_apps]
        in_full = listing.in_full
        named = None if in_full is None else in_full | {tool.name for tool in apart}
        own = {**listing.own, **{tool.role: tool.name for tool in everywhere}}
        return msgspec.structs.replace(listing, tools=tools, in_full=named, own=own)

    def _for_models(self, catalogue: Catalogue, terms: Terms, *, is_shortened: bool) -> Listing:
        """Return the list without the tools of `ours`."""
        if "only" in self.programs and terms.has_programs and len(catalogue):
            return self._for_programs(catalogue, terms)
        full = self._full(catalogue)
        if self.form == "full":
            return full
        is_short = self.form == "auto" and (is_shortened or is_small(full.tools))
        if is_short and terms.fits(full.tools):
            return full
        terms = msgspec.structs.replace(terms, called=self.called())
        listing = self._shorter(catalogue, terms, full)
        return full if listing is full else _cheaper(listing, full, terms)

    def _for_programs(self, catalogue: Catalogue, terms: Terms) -> Listing:
        from penstock.disclosure.lists import programs_form

        listing = programs_form.listed(catalogue, terms.within(programs_form.MOST_TOKENS))
        return msgspec.structs.replace(listing, is_over=not terms.fits(listing.tools))

    def _full(self, catalogue: Catalogue) -> Listing:
        everything = [tool.in_full for tool in catalogue]
        unwidened = [tool.in_full_unwidened for tool in catalogue]
        if self.form == "full" or unwidened == everything:
            return Listing("full", everything, has_outputs=True)
        return Listing("full", unwidened)

    def _shorter(self, catalogue: Catalogue, terms: Terms, full: Listing) -> Listing:
        # Imported here, because a server with a short list needs none of them.
        from penstock.disclosure.lists import entry_form, index_form

        match self.form:
            case "signatures" | "brief":
                return entry_form.same_for_all(catalogue, terms, self.form)
            case "index":
                return index_form.listed(catalogue, terms)
            case _:
                found = entry_form.as_rich_as_worth(catalogue, terms, full)
                return found or index_form.listed(catalogue, terms, tells_more=True)


def _cheaper(listing: Listing, full: Listing, terms: Terms) -> Listing:
    """Return the listing if only it fits, or if it has fewer tokens; else the full list. So a list
    is never worse than the full one."""
    fits, full_fits = terms.fits(listing.tools), terms.fits(full.tools)
    if (fits and not full_fits) or terms.is_cheaper(listing.tools, full.tools):
        return msgspec.structs.replace(listing, is_over=not fits)
    logger().info("tools are listed in full: the form %s would cost more", listing.form)
    return msgspec.structs.replace(full, is_over=not full_fits)
