"""The tokens of real servers' tool lists in each form, compared with the server's own list.

Every list contains Penstock's reader, and so does raw. No form may be above raw, and `auto` may not
be above its budget. mcp-compressor is measured on the same lists, at each of its levels. It gets
them from a server that only replays lists. In total, `index` may not be above its smallest level.
`list_limits` adds what a client receives from a whole Penstock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from benchmarks import list_limits, peers
from benchmarks.agents.start import MEASURED, METER
from benchmarks.catalogues import collected
from benchmarks.lines import Line, none
from benchmarks.peers import Contender
from benchmarks.wire import WireClient
from penstock import Policy
from penstock.core.budget.budget import Budget
from penstock.core.json.encoding import encode
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.lists.forms import Lister
from penstock.disclosure.lists.host_parts import counted_list
from penstock.wire.reader import reader_name, reader_tool

LIST_BUDGET: Final = Policy().list_budget
BUDGETS: Final = (LIST_BUDGET, Budget(tokens=8_000))
LEVELS: Final = ("low", "medium", "high", "max")

Tokens = dict[str, int]


class Forms(msgspec.Struct, frozen=True):
    """The costs of one catalogue, in tokens."""

    raw: int  # with our reader
    bare: int  # without our reader
    by_form: Tokens  # with our reader, in every form
    chosen: dict[str, str]  # the form that each list has


def measure() -> Iterator[Line]:
    collection = collected()
    yield from collection.lines()
    ours = {name: in_forms(catalogue) for name, catalogue in collection.catalogues.items()}
    for name, forms in ours.items():
        yield from _lines(f"{name}, {len(collection.catalogues[name])} tools", forms)
    yield from _totals(ours)
    yield from list_limits.measure()
    peers.install()
    with TemporaryDirectory() as folder:
        theirs = {
            name: _compressed(catalogue, Path(folder, f"{name}.json"))
            for name, catalogue in collection.catalogues.items()
        }
    yield from _beside(ours, theirs)


def in_forms(catalogue: Catalogue) -> Forms:
    reader = reader_tool(reader_name(catalogue.names), Policy())
    listings = {
        label(form, budget): Lister(budget, METER, form).listing(catalogue, [reader])
        for budget in BUDGETS
        for form in MEASURED
    }
    bare = [tool.raw for tool in catalogue]
    return Forms(
        _tokens([*bare, reader]),
        _tokens(bare),
        {name: _tokens(listing.tools) for name, listing in listings.items()},
        {name: listing.form for name, listing in listings.items()},
    )


def label(form: str, budget: Budget) -> str:
    return f"{form} at {budget.tokens:,} tok"


def _tokens(tools: Sequence[bytes]) -> int:
    return METER.count(counted_list(tools).decode())


def _lines(what: str, forms: Forms) -> Iterator[Line]:
    for name, tokens in forms.by_form.items():
        yield Line(f"{what}: {name} ({forms.chosen[name]})", tokens, forms.raw, "tok", limit=1.0)


def _totals(ours: Mapping[str, Forms]) -> Iterator[Line]:
    raw = sum(forms.raw for forms in ours.values())
    yield Line(f"all {len(ours)} servers: raw, with the reader", raw, unit="tok")
    for budget in BUDGETS:
        assert budget.tokens is not None
        for form in MEASURED:
            name = label(form, budget)
            tokens = {server: forms.by_form[name] for server, forms in ours.items()}
            yield Line(f"all {len(ours)} servers: {name}", sum(tokens.values()), raw, "tok")
            above = [server for server, forms in ours.items() if tokens[server] > forms.raw]
            yield none("where it is above raw", above)
            over = [server for server, count in tokens.items() if count > budget.tokens]
            # Other forms keep every tool at any budget; `auto` would give an index.
            may_be = form not in ("auto", "index")
            yield none("where it is above the budget", over, may_be=may_be)


# -- mcp-compressor --------------------------------------------------------------------------------


def _compressed(catalogue: Catalogue, file: Path) -> Tokens:
    """Return the tokens of mcp-compressor's list at each level."""
    server = peers.replay(catalogue, file)
    return {level: _listed_by(peers.mcp_compressor(server, "-c", level)) for level in LEVELS}


def _listed_by(contender: Contender) -> int:
    with WireClient(contender.command) as client:
        answer = msgspec.json.decode(client.greet())
    return METER.count(encode(answer["result"]).decode())


def _beside(ours: Mapping[str, Forms], theirs: Mapping[str, Tokens]) -> Iterator[Line]:
    """Compare with mcp-compressor. Its list has no reader, so it is compared with a bare raw."""
    auto = label("auto", LIST_BUDGET)
    total = sum(forms.by_form[auto] for forms in ours.values())
    budget = LIST_BUDGET.tokens
    assert budget is not None
    for level in LEVELS:
        tokens = {server: levels[level] for server, levels in theirs.items()}
        what = f"{auto}, beside mcp-compressor {level}"
        yield Line(f"all {len(ours)} servers: {what}", total, sum(tokens.values()), "tok")
        above = [server for server, count in tokens.items() if count > ours[server].bare]
        yield none("where its list is above raw", above, may_be=True)
        over = [server for server, count in tokens.items() if count > budget]
        yield none(f"where its list is above {budget:,} tok", over, may_be=True)
        ours_largest = max(forms.by_form[auto] for forms in ours.values())
        yield Line("  the largest list of one server", ours_largest, max(tokens.values()), "tok")
    index = sum(forms.by_form[label("index", LIST_BUDGET)] for forms in ours.values())
    smallest = min(sum(levels[level] for levels in theirs.values()) for level in LEVELS)
    what = "index, beside mcp-compressor's smallest level"
    yield Line(f"all {len(ours)} servers: {what}", index, smallest, "tok", limit=1.0)
