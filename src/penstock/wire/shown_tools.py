"""The tools that a client is shown: upstream's and Penstock's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from penstock.core.budget.host_members import LEFT_OUT_META, HostShare
from penstock.core.json.encoding import encode
from penstock.disclosure.grants import Holder
from penstock.disclosure.lists.host_parts import counted_list, tools_within_cap
from penstock.disclosure.lists.listing import Listing
from penstock.disclosure.names import RUN
from penstock.disclosure.programs import ProgramTool
from penstock.disclosure.visibility import closed_to_apps
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.effects import Disclose, Steps
from penstock.wire.eras import SERVER_META
from penstock.wire.explorer_tools import BROWSE, SHOW, browse_tool, show_tool
from penstock.wire.program_tools import program_tools
from penstock.wire.reader import READER, listed_reader
from penstock.wire.request import Request
from penstock.wire.server_info import about_server
from penstock.wire.toolbox import Toolbox
from penstock.wire.upstream_state import Shown

# The longest lifetime. Every list is weighed with it, so that its form does not depend on `ttlMs`.
_A_LIFETIME: Final = b"9999999999"


def disclosed(request: Request) -> Steps[Shown | None]:
    """Return the tools that this client is shown; None if upstream's tools are not known."""
    toolbox, shown = request.toolbox, request.shown
    if toolbox is None:
        return None
    if shown is not None and shown.toolbox is toolbox:
        return shown
    return (yield from shown_of(request, toolbox))


def shown_of(request: Request, toolbox: Toolbox) -> Steps[Shown]:
    """Return what this client is shown of these tools: computed once for each list and audience."""
    seen_by = request.audience
    # A folder of descriptions may change between two requests, but not within one. Everything else
    # stays the same until upstream sends a new list.
    is_fixed = not request.policy.descriptions
    kept = request.known.shown.get(seen_by) if is_fixed else None
    if kept is not None and kept.toolbox is toolbox:
        request.shown = kept
        return kept
    ours, for_apps = tuple(_ours(request, toolbox)), tuple(_for_apps(request, toolbox))
    about = _about(toolbox) or request.known.about
    catalogue, listing = yield Disclose(
        toolbox.catalogue,
        seen_by,
        ours,
        for_apps,
        _around(toolbox),
        about,
        toolbox.has_inner_reader,
        _programs(request, toolbox),
    )
    request.shown = shown = Shown(toolbox, seen_by, catalogue, listing)
    explorer = toolbox.explorer if has_explorer(request) else {}
    request.known.pin({READER: toolbox.reader, **listing.own, **explorer}, toolbox)
    if is_fixed:
        request.known.shown.put(seen_by, shown)
    return shown


def has_explorer(request: Request) -> bool:
    """Return whether this client gets our explorer. If upstream has one, that one is enough."""
    if not request.audience.has_apps or not request.policy.explorer or request.known.lacks_tools:
        return False
    return not has_their_explorer(request)


def has_their_explorer(request: Request) -> bool:
    """Return whether upstream lists the explorer of a Penstock."""
    toolbox = request.toolbox
    if toolbox is None or request.connection.is_inside or SHOW not in toolbox.tools:
        return False
    return toolbox.has_inner_reader


def depends_on_client(request: Request, listing: Listing | None = None) -> bool:
    """Return whether another client may be shown other tools, because of its name or its apps."""
    has_tools_for_apps = request.toolbox is not None and bool(request.toolbox.for_apps)
    is_index = listing is not None and listing.form == "index"
    by_name = bool(request.policy.clients)
    return request.audience.has_apps or has_tools_for_apps or by_name or is_index


def _ours(request: Request, toolbox: Toolbox) -> list[bytes]:
    """Return Penstock's own tools that the model sees."""
    reader = listed_reader(
        toolbox.reader_tool,
        toolbox.reader,
        request.client_policy,
        has_programs=bool(_programs(request, toolbox)),
    )
    return [reader, *([show_tool(toolbox.explorer[SHOW])] if has_explorer(request) else [])]


def _programs(request: Request, toolbox: Toolbox) -> tuple[ProgramTool, ...]:
    """Return Penstock's own tools that run programs. If a Penstock upstream has them, those are
    enough, unless the settings ask for them."""
    policy = request.client_policy
    is_theirs = RUN in toolbox.tools and toolbox.has_inner_reader
    if request.known.lacks_tools or (policy.programs == "auto" and is_theirs):
        return ()
    return program_tools(policy, toolbox.programs)


def _in_every_form(request: Request, toolbox: Toolbox) -> list[bytes]:
    """Return those that run programs, if every form lists them."""
    is_auto = request.client_policy.programs == "auto"
    return [] if is_auto else [tool.shown for tool in _programs(request, toolbox)]


def _for_apps(request: Request, toolbox: Toolbox) -> list[bytes]:
    """Return Penstock's own tools that the host hides from the model."""
    return [browse_tool(toolbox.explorer[BROWSE])] if has_explorer(request) else []


def list_result(request: Request, shown: Shown) -> bytes:
    """Return the result of a `tools/list`."""
    listing, members = shown.listing, dict(shown.toolbox.members)
    if listing.is_over:
        logger().warning("the list of tools (form: %s) is over list_budget", listing.form)
    if "cacheScope" in members and depends_on_client(request, listing):
        members["cacheScope"] = b'"private"'
    tools = _tools(request, shown)
    if shown.audience.has_apps and shown.catalogue.joins_apps:
        # To the host all servers are one: an app of one must not reach the tools of all by ours.
        tools = closed_to_apps(tools, listing.own.values())
    share = HostShare()
    meta = share.part_of(messages.members_of(members.get("_meta", b"{}")))
    tools = tools_within_cap(tools, share)
    if share.left_out:
        meta[LEFT_OUT_META] = encode(share.left_out)
        members["_meta"] = messages.object_from(meta)
    members["tools"] = b"[" + b",".join(tools) + b"]"
    return messages.object_from(members)


def _tools(request: Request, shown: Shown) -> Sequence[bytes]:
    """Return the listed tools.

    A full list is upstream's own, byte for byte. It keeps tools without a name and tools that share
    a name, unless they would put the list over the budget.
    """
    toolbox, listing = shown.toolbox, shown.listing
    theirs = toolbox.listed_to(has_apps=shown.audience.has_apps)
    theirs += [*_ours(request, toolbox), *_in_every_form(request, toolbox)]
    theirs += _for_apps(request, toolbox)
    if not listing.has_outputs or request.policy.descriptions:
        return listing.tools
    if len(theirs) == len(listing.tools) or not request.may_hide:
        return theirs
    budget = request.client_policy.list_budget
    weighed = counted_list(theirs, _around(toolbox))
    return theirs if budget.admits(weighed, request.meter) else listing.tools


def holder_of(request: Request) -> Holder:
    """Return the holder of grants: the legacy session if there is one, else the principal, else the
    bearer of the grant handle."""
    connection = request.connection
    if connection.legacy_session and not request.is_modern:
        return Holder.of(connection.server, f"session:{connection.legacy_session}")
    who = "" if connection.principal.is_bearer else f"principal:{connection.principal.id}"
    return Holder.of(connection.server, who, request.grant)


def _about(toolbox: Toolbox) -> str:
    """Return the name and purpose of the server that a list comes with, in the modern era."""
    stamped = messages.members_of(toolbox.members.get("_meta", b"{}"))
    return about_server(messages.decoded(stamped.get(SERVER_META)))


def _around(toolbox: Toolbox) -> bytes:
    """Return the other members of the list's result that count, as they are weighed."""
    if not toolbox.members:
        return b""
    members: dict[str, Any] = {
        name: _A_LIFETIME if name == "ttlMs" else value for name, value in toolbox.members.items()
    }
    for name in ("tools", "_meta"):
        members.pop(name, None)
    beside = messages.object_from(members)[1:-1]
    return b"," + beside if beside else b""
