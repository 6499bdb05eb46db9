"""The listing form `index`: a few tools, with which an agent finds and calls all others.

Calls that read and calls that write have separate tools, so that a host can allow the first and ask
the user about the second. A tool without annotations counts as one that writes, and hosts know the
defaults of hints: so `call_tool` needs none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.lists.directory import all_names, counts, legend
from penstock.disclosure.lists.entries import Detail, entry
from penstock.disclosure.lists.ladder import WORTH_TELLING
from penstock.disclosure.lists.leads import Leads
from penstock.disclosure.lists.listing import ESTIMATE, Listing, Terms
from penstock.disclosure.lists.own_tools import call_tool, describe_tool, find_tool
from penstock.disclosure.names import CALL, CALL_READ_ONLY, DESCRIBE, FIND, HEADER_KEY
from penstock.disclosure.programs import ProgramTool, callable_by
from penstock.disclosure.schemas.signature import signature


def listed(catalogue: Catalogue, terms: Terms, *, tells_more: bool = False) -> Listing:
    """Return the index. With `tells_more`, the directory shows parameters if that costs little."""
    in_full = {
        tool.name: tool.in_full_unwidened for tool in catalogue if terms.is_always_full(tool)
    }
    staying = [
        entry(tool, Detail.SIGNED, Leads([tool]).of(tool))
        for tool in catalogue
        if tool.name not in in_full and _stays(tool, has_apps=terms.has_apps)
    ]
    own, programs = _own_names(catalogue), _programs(catalogue, terms)
    calls = [call_tool(role, own) for role in (CALL_READ_ONLY, CALL) if role in own]
    runs = [tool.shown for tool in programs]
    has_programs = terms.has_programs or bool(programs)

    def together(known: str) -> list[bytes]:
        describe = describe_tool(own[DESCRIBE], known, has_programs=has_programs)
        return [find_tool(own[FIND]), describe, *calls, *runs, *in_full.values(), *staying]

    details = _signatures(catalogue, terms, tells_more=tells_more)
    tools = with_directory(catalogue, terms, together, details)
    own |= {tool.role: tool.name for tool in programs}
    return Listing("index", tools, own, frozenset(in_full))


def with_directory(
    catalogue: Catalogue,
    terms: Terms,
    together: Callable[[str], list[bytes]],
    details: Sequence[Mapping[str, str]] = (),
    *,
    otherwise: str = "",
) -> list[bytes]:
    """Return the list whose directory of names tells the most and fits. `together` makes the list
    from the words that `describe_tools` has for the tools. If the names do not fit, `otherwise` takes
    their place, or counts by their beginnings."""

    def with_words(known: str) -> list[bytes]:
        return together(f" {len(catalogue)} tools{_of(terms.about)}{known}")

    def fits(known: str) -> bool:
        return terms.fits(with_words(known))

    names = all_names(_sections(catalogue), lambda text: fits(_known(text)), details)
    if names:
        return with_words(_known(names))
    if otherwise:
        return with_words(otherwise)
    by_server = _counted_by_server(catalogue)
    if by_server and fits(by_server):
        return with_words(by_server)
    return with_words(f": {counts(catalogue.names, lambda text: fits(f': {text}'))}")


def _of(about: str) -> str:
    return f" of {about}" if about else ""


def _known(names: str) -> str:
    how = legend(names)
    return f", {how}: {names}" if how else f": {names}"


def _sections(catalogue: Catalogue) -> dict[str, list[str]]:
    """Return the names of tools by server, and of each server those that only read apart from the
    others. If all tools are of one kind, the tools that call them say which."""
    is_mixed = len({tool.is_read_only for tool in catalogue}) > 1
    sections: dict[str, list[str]] = {}
    for server in dict.fromkeys(tool.server for tool in catalogue):
        of_server = [tool for tool in catalogue if tool.server == server]
        for tool in sorted(of_server, key=lambda tool: not tool.is_read_only):
            heading = _heading(server, is_read_only=tool.is_read_only) if is_mixed else server
            sections.setdefault(heading, []).append(tool.name)
    return sections


def _heading(server: str, *, is_read_only: bool) -> str:
    if not server:
        return "Read-only" if is_read_only else "others"
    return f"{server} read-only" if is_read_only else server


def _counted_by_server(catalogue: Catalogue) -> str:
    """Return how many tools each server has, or "" for the tools of one server."""
    owners = Counter(tool.server for tool in catalogue if tool.server)
    return (
        ": " + "; ".join(f"{server} ({count})" for server, count in owners.items())
        if owners
        else ""
    )


def _signatures(catalogue: Catalogue, terms: Terms, *, tells_more: bool) -> list[Mapping[str, str]]:
    """Return the parameters to show behind names: those of all tools if that costs little, or else
    those of the tools that were called before."""
    called = {tool.name: _behind(tool) for tool in catalogue if tool.name in terms.called}
    everything = {tool.name: _behind(tool) for tool in catalogue} if tells_more else {}
    return [
        shown
        for shown in (everything, called)
        if shown and not ESTIMATE.exceeds(" ".join(shown.values()), WORTH_TELLING)
    ]


def _behind(tool: DescribedTool) -> str:
    return f"[{signature(tool.schema)}]"


def _own_names(catalogue: Catalogue) -> dict[str, str]:
    """Return the names of the tools of this index. No tool calls what the server does not have."""
    own = dict(catalogue.own)
    if not any(tool.is_read_only for tool in catalogue):
        del own[CALL_READ_ONLY]
    elif all(tool.is_read_only for tool in catalogue):
        del own[CALL]
    return own


def _programs(catalogue: Catalogue, terms: Terms) -> list[ProgramTool]:
    """Return the tools of this index that run programs. A program that may call no tool of the
    server is not worth their descriptions."""
    return [tool for tool in terms.in_index if callable_by(tool.role, catalogue)]


def _stays(tool: DescribedTool, *, has_apps: bool) -> bool:
    """Return whether an index must list this tool, because `call_tool` cannot stand in for it.

    `call_tool` cannot request a task, show the widget of another tool, or tell a client which
    parameters to repeat in headers.
    """
    needs_header = HEADER_KEY.encode() in tool.raw
    return tool.task_support == "required" or needs_header or (has_apps and tool.is_of_apps)
