"""What a client is shown of upstream's tools, and who it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.discloser import Audience, Discloser
from penstock.disclosure.forms import Listing, as_result
from penstock.disclosure.grants import Holder
from penstock.explorer import MIME_TYPE
from penstock.gate.gate import Gate
from penstock.log import logger
from penstock.wire import eras, messages
from penstock.wire.explorer_tools import BROWSE, SHOW, browse_tool, show_tool
from penstock.wire.session import Session
from penstock.wire.state import Pending
from penstock.wire.toolbox import Toolbox

APPS: Final = "io.modelcontextprotocol/ui"
# As many digits as a lifetime may have, so that a list does not grow and shrink with what is left.
_A_LIFETIME: Final = b"9999999999"
_LONGEST_NAME: Final = 200


def discloser_of(gate: Gate) -> Discloser:
    """One for all sessions of a gate: they share what is made of a list."""
    return Discloser(gate.policy, gate.meter, gate.store, clock=gate.clock)


def audience(info: msgspec.Raw | None, capabilities: msgspec.Raw | None) -> Audience:
    """From what a client says of itself."""
    name = messages.text_of(messages.members_of(info or msgspec.UNSET), "name") or ""
    able = messages.members_of(capabilities or msgspec.UNSET)
    extensions = messages.members_of(able.get("extensions", msgspec.UNSET))
    said = messages.decoded(extensions.get(APPS))
    return Audience(name[:_LONGEST_NAME], has_apps=shows_apps(said))


def shows_apps(said: Any) -> bool:
    """Whether a client that says this of the extension shows pages of HTML; one that names no kinds of
    pages does."""
    if not isinstance(said, Mapping):
        return False
    kinds = said.get("mimeTypes")
    return kinds is None or (isinstance(kinds, list | tuple) and MIME_TYPE in kinds)


def audience_of(session: Session, pending: Pending) -> Audience:
    """In the legacy era a client says once who it is, since then with every request."""
    if not pending.is_modern:
        return session.audience
    meta = eras.meta_of(pending.params)
    return audience(meta.get(eras.CLIENT_META), meta.get(eras.CAPABILITIES_META))


class Shown(msgspec.Struct, frozen=True):
    """What a client is shown, and what of: worked out once for a list."""

    toolbox: Toolbox
    audience: Audience
    catalogue: Catalogue
    listing: Listing


def shown_to(session: Session, pending: Pending) -> Shown | None:
    """None where upstream's tools are not known."""
    toolbox = session.toolbox
    if toolbox is None:
        return None
    seen_by = audience_of(session, pending)
    # A folder of descriptions may change between two requests, but not within one; anything else
    # is the same until upstream lists anew.
    keeper = pending if session.policy.descriptions else session.known
    kept: Shown | None = keeper.shown
    if kept is not None and kept.toolbox is toolbox and kept.audience == seen_by:
        return kept
    catalogue = session.discloser.catalogue(toolbox.catalogue, seen_by)
    listing = session.discloser.listing(
        catalogue,
        _ours(session, toolbox, seen_by),
        seen_by,
        _around(toolbox),
        for_apps=_for_apps(session, toolbox, seen_by),
    )
    keeper.shown = shown = Shown(toolbox, seen_by, catalogue, listing)
    return shown


def has_explorer(session: Session, seen_by: Audience) -> bool:
    """Whether ours is there for this client: where upstream has Penstock's own, that one is enough."""
    if not seen_by.has_apps or not session.policy.explorer or session.known.lacks_tools:
        return False
    theirs = not session.is_inside and session.known.has_penstock
    return not (theirs and session.toolbox is not None and SHOW in session.toolbox.tools)


def depends_on_client(session: Session, pending: Pending, listing: Listing | None = None) -> bool:
    """Whether another client may be shown something else: by its name, or because it shows apps."""
    has_apps = audience_of(session, pending).has_apps
    has_tools_for_apps = session.toolbox is not None and bool(session.toolbox.for_apps)
    return has_apps or has_tools_for_apps or session.discloser.depends_on_client(listing)


def _ours(session: Session, toolbox: Toolbox, seen_by: Audience) -> list[bytes]:
    """Penstock's own tools that stand in every list."""
    if not has_explorer(session, seen_by):
        return [toolbox.reader_tool]
    return [toolbox.reader_tool, show_tool(toolbox.explorer[SHOW])]


def _for_apps(session: Session, toolbox: Toolbox, seen_by: Audience) -> list[bytes]:
    """Penstock's own tools that the host keeps from the model."""
    return [browse_tool(toolbox.explorer[BROWSE])] if has_explorer(session, seen_by) else []


def listing_of(session: Session, pending: Pending) -> Listing | None:
    shown = shown_to(session, pending)
    return None if shown is None else shown.listing


def list_result(session: Session, pending: Pending) -> bytes:
    """The result of a `tools/list`, once upstream's is known."""
    shown = shown_to(session, pending)
    if shown is None:
        raise LookupError("nothing is known of upstream's tools")
    listing, members = shown.listing, dict(shown.toolbox.members)
    if listing.is_over:
        logger().warning("the list of tools, %s, is above list_budget", listing.form)
    if "cacheScope" in members and depends_on_client(session, pending, listing):
        members["cacheScope"] = b'"private"'
    members["tools"] = b"[" + b",".join(_tools(session, shown)) + b"]"
    return messages.object_from(members)


def _tools(session: Session, shown: Shown) -> Sequence[bytes]:
    """A list that is full is upstream's to the byte, with what has no name or the name of another;
    unless that would break the budget."""
    toolbox, listing = shown.toolbox, shown.listing
    seen_by = shown.audience
    theirs = toolbox.listed_to(has_apps=seen_by.has_apps)
    theirs += [*_ours(session, toolbox, seen_by), *_for_apps(session, toolbox, seen_by)]
    if not listing.has_outputs or session.policy.descriptions:
        return listing.tools
    if len(theirs) == len(listing.tools) or not session.discloser.may_hide(seen_by):
        return theirs
    budget = session.policy.for_client(seen_by.client).list_budget
    weighed = as_result(theirs, _around(toolbox))
    return theirs if budget.admits(weighed, session.gate.meter) else listing.tools


def holder_of(session: Session, pending: Pending) -> Holder:
    """Whose grants count: the legacy session's, or else the principal's; where neither is known,
    whoever's who shows a handle."""
    if session.seat and not pending.is_modern:
        return Holder.of(session.server, f"session:{session.seat}")
    who = "" if session.principal.is_bearer else f"principal:{session.principal.id}"
    return Holder.of(session.server, who, pending.grant)


def _around(toolbox: Toolbox) -> bytes:
    """What stands beside the tools, as it is weighed."""
    if not toolbox.members:
        return b""
    members: dict[str, Any] = {
        name: _A_LIFETIME if name == "ttlMs" else value for name, value in toolbox.members.items()
    }
    members.pop("tools", None)
    beside = messages.object_from(members)[1:-1]
    return b"," + beside if beside else b""
