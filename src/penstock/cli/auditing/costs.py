"""The cost of a list of tools, for each tool and each listing form. Pure: no I/O.

A part of a tool costs the tokens that it adds to the text before it. So the parts of a tool add up
to the tool in every vocabulary. Tools do not add up to the list, because the list has commas too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import ceil
from typing import Final

import msgspec

from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import Meter
from penstock.core.json import rawjson
from penstock.disclosure import Catalogue, DescribedTool, Lister, Listing
from penstock.disclosure.compact_description import compact_description
from penstock.disclosure.lists.host_parts import counted_list, counted_tool
from penstock.settings.policy import Policy
from penstock.wire.pinned_names import PinnedNames
from penstock.wire.program_tools import program_tools
from penstock.wire.reader import listed_reader
from penstock.wire.toolbox import ToolsPage, read_list

FORMS: Final = ("full", "signatures", "brief", "index")
AUTO: Final = "auto"
REST: Final = "rest"
_PART_OF_KEY: Final[Mapping[str, str]] = {
    "description": "description",
    "inputSchema": "input_schema",
    "outputSchema": "output_schema",
}
PARTS: Final = (*_PART_OF_KEY.values(), REST)


class ToolCost(msgspec.Struct, frozen=True):
    """The cost of one tool, in tokens."""

    name: str
    tokens: int
    parts: Mapping[str, int]  # the parts of `tokens`, by the names in `PARTS`
    full_description: int  # the cost of the full description, which has more than the list


class BreakEven(msgspec.Struct, frozen=True):
    """The number of full descriptions after which a form has cost as much as the raw list.

    None means that all descriptions together do not cost that much.
    """

    average: int | None  # if the descriptions are of average size
    largest: int | None  # if the largest descriptions are fetched first


class FormCost(msgspec.Struct, frozen=True):
    """The cost of a list in one listing form."""

    form: str  # the form that was asked for
    given: str  # the form of the list: `full` where a shorter form would save nothing
    has_outputs: bool  # no output schema is left out
    is_over: bool  # the list is above the list budget
    tools: int
    tokens: int
    saved: int  # tokens fewer than the raw list; negative if the form costs more
    percent: float
    break_even: BreakEven | None
    growth: tuple[int, ...]  # list and descriptions after 0, 1, 2, … descriptions, largest first


class Audit(msgspec.Struct, frozen=True):
    """All costs of one list of tools."""

    server: str
    version: str
    is_file: bool
    meter: str
    list_budget: str
    budget_tokens: int | None
    always: tuple[str, ...]
    left_out: int  # entries without a name, which no client could call, or with another tool's name
    raw: int
    raw_bytes: int
    tools: tuple[ToolCost, ...]
    # `auto` may give full and still cost less than `full`: only `auto` leaves out output schemas
    # that would have to be widened.
    auto: FormCost
    forms: tuple[FormCost, ...]

    @property
    def is_exact(self) -> bool:
        return self.meter != "estimate"

    @property
    def title(self) -> str:
        named = " ".join(filter(None, (self.server, self.version)))
        return named or ("The file" if self.is_file else "The server")

    @property
    def largest_description(self) -> ToolCost | None:
        return max(self.tools, key=lambda tool: tool.full_description, default=None)

    @property
    def mean_description(self) -> float:
        return _mean([tool.full_description for tool in self.tools])


def audited(
    tools: Sequence[bytes],
    policy: Policy,
    meter: Meter,
    *,
    server: str = "",
    version: str = "",
    is_file: bool = False,
) -> Audit:
    """Return the costs of a list from a server or a file. The tools come largest first."""
    # Ignore the server's white space: a host passes the list on in compact form.
    page = ToolsPage({}, [msgspec.Raw(rawjson.compact(tool)) for tool in tools])
    box = read_list([page], policy, now=0, is_modern=False, pinned=PinnedNames())
    catalogue = box.catalogue
    whole = counted_list([tool.raw for tool in catalogue])
    raw = _tokens(whole, meter)
    costs = {tool.name: tool_cost(tool, meter) for tool in catalogue}

    def cost_of(form: str) -> FormCost:
        # The list that the relay gives to a client that shows no apps.
        seen = catalogue.without_apps()
        lister = Lister(policy.list_budget, meter, form, policy.always, programs=policy.programs)
        programs = program_tools(policy, box.programs)
        reader = listed_reader(box.reader_tool, box.reader, policy, has_programs=bool(programs))
        listing = lister.listing(seen, [reader], programs=programs)
        hidden = _on_demand(seen, listing, costs)
        return _form_cost(form, listing, raw, hidden, policy.list_budget, meter)

    return Audit(
        server=server,
        version=version,
        is_file=is_file,
        meter=meter.name,
        list_budget=str(policy.list_budget),
        budget_tokens=policy.list_budget.token_allowance,
        always=policy.always,
        left_out=len(tools) - len(catalogue),
        raw=raw,
        raw_bytes=len(whole),
        tools=tuple(sorted(costs.values(), key=lambda cost: (-cost.tokens, cost.name))),
        auto=cost_of(AUTO),
        forms=tuple(map(cost_of, FORMS)),
    )


def tool_cost(tool: DescribedTool, meter: Meter) -> ToolCost:
    parts = dict.fromkeys(PARTS, 0)
    before = 0
    raw = counted_tool(tool.raw)
    for part, end in _spans(raw):
        after = _tokens(raw[:end], meter)
        parts[part] += after - before
        before = after
    return ToolCost(
        tool.name, before, parts, _tokens(compact_description(tool, set()).shown, meter)
    )


def _spans(raw: bytes) -> list[tuple[str, int]]:
    """Return the parts in order, each with its end. The outer braces belong to the rest."""
    members = list(rawjson.members(raw))
    ends = accumulate((len(key) + len(value) + 2 for key, value in members), initial=1)
    parts = [_PART_OF_KEY.get(member.name, REST) for member in members]
    return [(REST, 1), *zip(parts, list(ends)[1:], strict=True), (REST, len(raw))]


def _on_demand(catalogue: Catalogue, listing: Listing, costs: Mapping[str, ToolCost]) -> list[int]:
    """Return the cost of each full description that the list does not contain, largest first."""
    hidden = (name for name in catalogue.names if not listing.says_all_of(name))
    return sorted((costs[name].full_description for name in hidden), reverse=True)


def _form_cost(
    form: str,
    listing: Listing,
    raw: int,
    descriptions: Sequence[int],
    budget: Budget,
    meter: Meter,
) -> FormCost:
    wire = counted_list(listing.tools)
    tokens = _tokens(wire, meter)
    saved = raw - tokens
    return FormCost(
        form=form,
        given=listing.form,
        has_outputs=listing.has_outputs,
        is_over=not budget.admits(wire, meter),
        tools=len(listing.tools),
        tokens=tokens,
        saved=saved,
        percent=round(100 * saved / raw, 1),
        break_even=None if saved <= 0 else break_even(saved, descriptions),
        growth=tuple(accumulate(descriptions, initial=tokens)),
    )


def break_even(saved: int, descriptions: Sequence[int]) -> BreakEven:
    """Return when descriptions use up what was saved. Their costs come largest first."""
    if sum(descriptions) < saved:
        return BreakEven(None, None)
    spent = list(accumulate(descriptions))
    largest = next(number for number, cost in enumerate(spent, 1) if cost >= saved)
    return BreakEven(min(len(descriptions), ceil(saved / _mean(descriptions))), largest)


def _mean(numbers: Sequence[int]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _tokens(wire: bytes, meter: Meter) -> int:
    return meter.count(wire.decode(errors="replace"))
