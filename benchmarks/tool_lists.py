"""The tokens of real servers' tool lists in each form, compared with the server's own list.

Every list contains Penstock's reader, and so does raw. No form may be above raw, and `auto` may not
be above its budget. mcp-compressor is measured on the same lists, at each of its levels. It gets
them from a server that only replays lists.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from benchmarks import peers
from benchmarks.catalogues import collected
from benchmarks.lines import Line
from benchmarks.peers import Contender
from benchmarks.wire import WireClient
from penstock import Policy
from penstock.core.budget.budget import Budget
from penstock.core.budget.measure import O200kMeter
from penstock.core.json.encoding import encode
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.forms import Lister
from penstock.disclosure.host_parts import counted_list
from penstock.wire.reader import reader_name, reader_tool

LIST_BUDGET: Final = Policy().list_budget
BUDGETS: Final = (LIST_BUDGET, Budget(tokens=8_000))
FORMS: Final = ("brief", "index", "auto")
LEVELS: Final = ("low", "medium", "high", "max")
_REPLAY: Final = Path(__file__).parent / "servers" / "replay.py"
# Not the default meter: it may be an estimate, which is not a measurement.
METER: Final = O200kMeter()

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
        for form in FORMS
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
        for form in FORMS:
            name = label(form, budget)
            tokens = {server: forms.by_form[name] for server, forms in ours.items()}
            yield Line(f"all {len(ours)} servers: {name}", sum(tokens.values()), raw, "tok")
            above = [server for server, forms in ours.items() if tokens[server] > forms.raw]
            yield _none("where it is above raw", above)
            over = [server for server, count in tokens.items() if count > budget.tokens]
            # `brief` by name keeps every tool at any budget; `auto` would give an index.
            yield _none("where it is above the budget", over, may_be=form == "brief")


def _none(what: str, servers: Sequence[str], *, may_be: bool = False) -> Line:
    """Count the servers. More than none fails, unless `may_be`."""
    # Only failures are named here; the lines of the servers show the others.
    named = f" ({', '.join(servers)})" if servers and not may_be else ""
    limit = None if may_be else 0
    return Line(f"  servers {what}{named}", len(servers), 0, "", limit, difference=True)


# -- mcp-compressor --------------------------------------------------------------------------------


def _compressed(catalogue: Catalogue, file: Path) -> Tokens:
    """Return the tokens of mcp-compressor's list at each level."""
    server = replayed(catalogue, file)
    return {level: _listed_by(peers.mcp_compressor(server, "-c", level)) for level in LEVELS}


def replayed(catalogue: Catalogue, file: Path) -> Contender:
    """Return a server that lists these tools, from a file."""
    file.write_bytes(b"[" + b",".join(tool.raw for tool in catalogue) + b"]")
    return Contender((sys.executable, str(_REPLAY), str(file)))


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
        yield _none("where its list is above raw", above, may_be=True)
        over = [server for server, count in tokens.items() if count > budget]
        yield _none(f"where its list is above {budget:,} tok", over, may_be=True)
        ours_largest = max(forms.by_form[auto] for forms in ours.values())
        yield Line("  the largest list of one server", ours_largest, max(tokens.values()), "tok")
