"""Lists of tools, in the fullest listing form that fits: full, brief or index.

The same catalogue and the same settings give the same bytes, so that prompt caches stay valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final, Literal

import msgspec

from penstock.core.budget.budget import Budget
from penstock.core.budget.estimate import EstimateMeter
from penstock.core.budget.measure import Meter
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.host_parts import counted_list
from penstock.disclosure.names import DESCRIBE, HEADER_KEY, own_names
from penstock.errors import InvalidSetting

Form = Literal["full", "brief", "index"]
FORMS: Final = ("auto", "full", "brief", "index")


class Listing(msgspec.Struct, frozen=True):
    """A list of tools, and its listing form."""

    form: Form
    tools: Sequence[bytes]
    own: Mapping[str, str] = {}  # names of the tools that find, describe and call others, by role
    in_full: frozenset[str] | None = None  # tools with all that a call needs; None: every tool
    has_outputs: bool = False  # output schemas are listed too
    is_over: bool = False  # over the budget (not measured if the settings ask for `full`)

    def says_all_of(self, tool: str) -> bool:
        return self.in_full is None or tool in self.in_full

    def role_of(self, name: str) -> str:
        """Return the role of a tool in `own`, or ""."""
        return next((role for role, known in self.own.items() if known == name), "")


class Lister(msgspec.Struct, frozen=True):
    """A maker of lists, all under the same settings."""

    budget: Budget  # of the whole list
    meter: Meter
    form: str = "auto"
    always: tuple[str, ...] = ()  # patterns of tools that every form lists in full

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
    ) -> Listing:
        apart = [tool for tool in catalogue if has_apps and tool.is_for_apps_alone]
        listing = self._for_models(catalogue.without_apps(), ours, has_apps=has_apps, around=around)
        if not (apart or for_apps):
            return listing
        # The host hides these tools from the model: they are listed whole, and cost no tokens.
        tools = [*listing.tools, *(tool.in_full for tool in apart), *for_apps]
        in_full = listing.in_full
        named = None if in_full is None else in_full | {tool.name for tool in apart}
        return msgspec.structs.replace(listing, tools=tools, in_full=named)

    def _for_models(
        self, catalogue: Catalogue, ours: Sequence[bytes], *, has_apps: bool, around: bytes
    ) -> Listing:
        weighing = _Weighing(self.budget, self.meter, tuple(ours), around)
        everything = [*(tool.in_full for tool in catalogue), *ours]
        full = Listing("full", [*(tool.in_full_unwidened for tool in catalogue), *ours])
        if self.form == "full" or full.tools == everything:
            full = Listing("full", everything, has_outputs=True)
        if self.form == "full":
            return full
        if self.form == "auto" and (weighing.surely_fits(full.tools) or weighing.fits(full.tools)):
            return full
        brief = self._brief(catalogue, weighing) if self.form in ("auto", "brief") else None
        other = brief or self._index(catalogue, weighing, has_apps=has_apps)
        return weighing.cheaper(other, full)

    def _brief(self, catalogue: Catalogue, weighing: _Weighing) -> Listing | None:
        from penstock.disclosure import index_form
        from penstock.disclosure.brief_form import brief_tools

        own = {DESCRIBE: own_names(catalogue.names)[DESCRIBE]}
        describe = index_form.describe_tool(own[DESCRIBE], index_form.IN_BRIEF)
        shown = {
            tool.name: tool.in_full_unwidened for tool in catalogue if self._is_always_full(tool)
        }
        others = [tool for tool in catalogue if tool.name not in shown]

        def together(brief: Sequence[bytes]) -> list[bytes]:
            by_name = {tool.name: raw for tool, raw in zip(others, brief, strict=True)} | shown
            return [*(by_name[tool.name] for tool in catalogue), describe, *weighing.ours]

        found = brief_tools(others, lambda brief: weighing.fits(together(brief)))
        if found is None and self.form == "brief":
            # Nothing fits, and `brief` is set: make the list as short as it can be.
            found = brief_tools(others, lambda _: False, at_least=True)
        return None if found is None else Listing("brief", together(found), own, frozenset(shown))

    def _index(self, catalogue: Catalogue, weighing: _Weighing, *, has_apps: bool) -> Listing:
        from penstock.disclosure import index_form
        from penstock.disclosure.brief_form import shortest

        listed = {
            tool.name: tool.in_full_unwidened for tool in catalogue if self._is_always_full(tool)
        }
        staying = [
            shortest(tool)
            for tool in catalogue
            if tool.name not in listed and _stays(tool, has_apps=has_apps)
        ]
        own = own_names(catalogue.names)
        find, calls = index_form.find_tool(own), index_form.call_tools(own)

        def together(describe: bytes) -> list[bytes]:
            return [find, describe, *calls, *listed.values(), *staying, *weighing.ours]

        describe = index_form.describe_tool_with(
            own[DESCRIBE], catalogue.names, lambda tool: weighing.fits(together(tool))
        )
        return Listing("index", together(describe), own, frozenset(listed))

    def _is_always_full(self, tool: DescribedTool) -> bool:
        return any(fnmatchcase(tool.name, pattern) for pattern in self.always)


def _stays(tool: DescribedTool, *, has_apps: bool) -> bool:
    """Return whether an index must list this tool, because `call_tool` cannot stand in for it.

    `call_tool` cannot request a task, show the widget of another tool, or tell a client which
    parameters to repeat in headers.
    """
    needs_header = HEADER_KEY.encode() in tool.raw
    return tool.task_support == "required" or needs_header or (has_apps and bool(tool.ui))


class _Weighing(msgspec.Struct, frozen=True):
    """A measure of lists: it weighs a list, with the rest of its result, against the budget."""

    budget: Budget
    meter: Meter
    ours: tuple[bytes, ...]
    around: bytes

    def fits(self, tools: Sequence[bytes]) -> bool:
        return self.budget.admits(counted_list(tools, self.around), self.meter)

    def surely_fits(self, tools: Sequence[bytes]) -> bool:
        """Return whether even a cautious estimate fits. The estimate needs no tokenizer, which
        loads more slowly than most servers start."""
        return self.budget.admits(counted_list(tools, self.around), EstimateMeter())

    def cheaper(self, listing: Listing, full: Listing) -> Listing:
        """Return the listing if only it fits, or if it has fewer tokens; else the full list. So a
        list is never worse than the full one."""
        fits = self.fits(listing.tools)
        if (fits and not self.fits(full.tools)) or self._cost(listing.tools) < self._cost(
            full.tools
        ):
            return msgspec.structs.replace(listing, is_over=not fits)
        return msgspec.structs.replace(full, is_over=not self.fits(full.tools))

    def _cost(self, tools: Sequence[bytes]) -> int:
        return self.meter.count(counted_list(tools, self.around).decode())
