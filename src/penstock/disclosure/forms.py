"""The list of tools in the form that fits: full, brief, or an index.

The same catalogue and the same settings give the same bytes, so that prompt caches hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Final, Literal

import msgspec

from penstock.budget import Budget
from penstock.disclosure import index
from penstock.disclosure.brief import brief_tools
from penstock.disclosure.catalogue import Catalogue, Described
from penstock.measure import Meter

Form = Literal["full", "brief", "index"]
FORMS: Final = ("auto", "full", "brief", "index")
DEFAULT_LIST_BUDGET: Final = Budget(tokens=2_000)
LEAST_LIST_TOKENS: Final = 800


class Listing(msgspec.Struct, frozen=True):
    """A list of tools, and in which form it is. `own` are our names of the index's tools."""

    form: Form
    tools: list[bytes]
    own: Mapping[str, str] = {}


class Lister(msgspec.Struct, frozen=True):
    """Puts lists together. `budget` bounds the whole list; tools that match `always` are listed in
    full in every form."""

    budget: Budget
    meter: Meter
    form: str = "auto"
    always: tuple[str, ...] = ()

    def listing(
        self, catalogue: Catalogue, ours: Sequence[bytes] = (), *, has_apps: bool = False
    ) -> Listing:
        """`ours` are tools that stand in the list in any form; `has_apps`: the client shows apps,
        and so has to know their tools."""
        full = [tool.raw for tool in catalogue]
        if self.form == "full" or (self.form == "auto" and self._fits([*full, *ours])):
            return Listing("full", [*full, *ours])
        if self.form in ("auto", "brief"):
            brief = self._brief(catalogue, ours)
            if brief is not None:
                return self._cheaper(brief, [*full, *ours])
        return self._cheaper(self._index(catalogue, ours, has_apps=has_apps), [*full, *ours])

    def _fits(self, tools: Sequence[bytes]) -> bool:
        return self.budget.admits(as_result(tools), self.meter)

    def _brief(self, catalogue: Catalogue, ours: Sequence[bytes]) -> Listing | None:
        shown = {tool.name: tool.raw for tool in catalogue if self._is_always(tool)}
        others = [tool for tool in catalogue if tool.name not in shown]

        def together(brief: Sequence[bytes]) -> list[bytes]:
            by_name = {tool.name: raw for tool, raw in zip(others, brief, strict=True)} | shown
            return [*(by_name[tool.name] for tool in catalogue), *ours]

        # Without a budget that can be kept, `brief` is as short as it can be.
        found = brief_tools(others, lambda brief: self._fits(together(brief)))
        if found is None and self.form == "brief":
            found = brief_tools(others, lambda _: False, at_least=True)
        return None if found is None else Listing("brief", together(found))

    def _index(self, catalogue: Catalogue, ours: Sequence[bytes], *, has_apps: bool) -> Listing:
        listed = [tool for tool in catalogue if self._stays(tool, has_apps=has_apps)]
        hidden = [tool.name for tool in catalogue if not tool.is_for_apps_alone]
        own = index.own_names(catalogue.names)
        calls = index.call_tools(own)
        find = index.find_tool(own[index.FIND])

        def together(describe: bytes) -> list[bytes]:
            return [find, describe, *calls, *(tool.raw for tool in listed), *ours]

        describe = index.describe_tool(
            own[index.DESCRIBE], hidden, lambda text: self._fits(together(text.encode()))
        )
        return Listing("index", together(describe), own)

    def _stays(self, tool: Described, *, has_apps: bool) -> bool:
        """Tools that an index would break: a task is asked for in the call itself, and a widget is
        found through its own tool."""
        return self._is_always(tool) or tool.needs_task or (has_apps and bool(tool.ui))

    def _is_always(self, tool: Described) -> bool:
        return any(fnmatchcase(tool.name, pattern) for pattern in self.always)

    def _cheaper(self, listing: Listing, full: list[bytes]) -> Listing:
        """Never worse than raw."""
        ours, raw = self._cost(listing.tools), self._cost(full)
        return listing if ours < raw else Listing("full", full)

    def _cost(self, tools: Sequence[bytes]) -> int:
        return self.meter.count(as_result(tools).decode())


def as_result(tools: Sequence[bytes]) -> bytes:
    return b'{"tools":[' + b",".join(tools) + b"]}"
