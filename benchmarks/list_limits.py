"""The limits of tool lists, on lists and instructions that a client receives from Penstock.

Raw is the server's own list. Instructions count too: Penstock adds them to the greeting, and a model
reads them at every start. The replayed servers have no instructions of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import msgspec

from benchmarks.agents import knowledge
from benchmarks.agents.start import MEASURED, Start, list_tokens, started
from benchmarks.catalogues import collected
from benchmarks.lines import Line, none
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.names import DESCRIBE

MOST_ADDED: Final = 220  # tokens of the reader and the instructions, together
MOST_TOOLS: Final = 500  # up to so many tools, every name is shown
_AT_A_TIME: Final = 2


class Received(msgspec.Struct, frozen=True):
    """The tokens and the contents of one server's list, in one form."""

    server: str
    raw: int  # of the server's own list
    listed: int
    instructions: int
    added: int | None  # by the reader and the instructions to a list in full, otherwise None
    hidden: list[str]  # the names that neither the list nor its directory shows
    callable: int  # tools whose required parameters the list or its directory shows

    @property
    def above_raw(self) -> int:
        return self.listed + self.instructions - self.raw


def measure() -> Iterator[Line]:
    catalogues = collected().catalogues
    for form in MEASURED:
        yield from lines(form, in_form(catalogues, form), collected().tools)


def in_form(catalogues: Mapping[str, Catalogue], form: str) -> list[Received]:
    """Return the list of each server, from a process of its own."""

    def one(server: str) -> Received:
        with started(catalogues[server], form) as (_, start):
            return received(server, catalogues[server], start)

    with ThreadPoolExecutor(_AT_A_TIME) as threads:
        return list(threads.map(one, catalogues))


def received(server: str, catalogue: Catalogue, start: Start) -> Received:
    shown = catalogue.without_apps()
    return Received(
        server,
        list_tokens([tool.listed for tool in catalogue]),
        start.list_tokens,
        start.instruction_tokens,
        None if start.own(DESCRIBE) else _added(catalogue, start),
        [name for name in shown.names if not start.shows(name)] if len(shown) <= MOST_TOOLS else [],
        sum(_is_callable(tool, start) for tool in shown),
    )


def _added(catalogue: Catalogue, start: Start) -> int:
    theirs = [tool for name, tool in start.tools.items() if name in catalogue]
    return start.tokens - list_tokens(theirs)


def _is_callable(tool: DescribedTool, start: Start) -> bool:
    """Return whether the list, or its directory, names all parameters that the tool requires."""
    if tool.name in start.tools:
        told = knowledge.from_list(start.tools[tool.name])
    else:
        told = knowledge.from_signature(start.directory.get(tool.name))
    if told is None:
        return False
    names: set[str] = {*told.get("properties", {})}
    return set(tool.schema.get("required") or ()) <= names <= tool.parameters.keys()


def lines(form: str, lists: list[Received], tools: int) -> Iterator[Line]:
    total = sum(one.listed + one.instructions for one in lists)
    raw = sum(one.raw for one in lists)
    yield Line(f"{len(lists)} lists with instructions: {form}, beside raw", total, raw, "tok")
    most = max(lists, key=lambda one: one.above_raw)
    yield _within(f"  most above raw ({most.server})", most.above_raw)
    above = [one.server for one in lists if one.above_raw > MOST_ADDED]
    yield none(f"more than {MOST_ADDED} tok above raw", above)
    added = [one.added for one in lists if one.added is not None]
    if added:
        what = f"  reader and instructions beside a list in full ({len(added)} servers), at most"
        yield _within(what, max(added))
    hiding = {one.server: len(one.hidden) for one in lists if one.hidden}
    yield none("that hide names", [f"{server}: {count}" for server, count in hiding.items()])
    callable_ = 100 * sum(one.callable for one in lists) / tools
    yield Line("  tools whose required parameters are shown", callable_, unit="%")


def _within(what: str, added: int) -> Line:
    return Line(what, added, 0, "tok", MOST_ADDED, difference=True)
