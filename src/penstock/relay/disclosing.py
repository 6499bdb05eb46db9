"""What a client is shown of upstream's tools, and who it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.disclosure.discloser import Audience, Discloser
from penstock.disclosure.forms import Listing
from penstock.disclosure.grants import Holder
from penstock.gate import Gate
from penstock.relay import eras, messages
from penstock.relay.state import Pending
from penstock.relay.toolbox import Toolbox

if TYPE_CHECKING:
    from penstock.relay.session import Session

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
    return Audience(name[:_LONGEST_NAME], has_apps=APPS in extensions)


def audience_of(session: Session, pending: Pending) -> Audience:
    """In the legacy era a client says once who it is, since then with every request."""
    if not pending.is_modern:
        return session.audience
    meta = eras.meta_of(pending.params)
    return audience(meta.get(eras.CLIENT_META), meta.get(eras.CAPABILITIES_META))


def listing_of(session: Session, pending: Pending) -> Listing | None:
    """What the client is shown; None where upstream's tools are not known."""
    toolbox = session.toolbox
    if toolbox is None:
        return None
    seen_by = audience_of(session, pending)
    catalogue = session.discloser.catalogue(toolbox.catalogue)
    return session.discloser.listing(catalogue, [toolbox.reader_tool], seen_by, _around(toolbox))


def list_result(session: Session, pending: Pending, toolbox: Toolbox) -> bytes:
    """The result of a `tools/list`."""
    listing = listing_of(session, pending)
    members = dict(toolbox.members)
    tools = listing.tools if listing is not None else ()
    if listing is None or (listing.has_outputs and not session.policy.descriptions):
        tools = [*toolbox.listed, toolbox.reader_tool]  # to the byte as upstream wrote it
    elif "cacheScope" in members and session.discloser.depends_on_client(listing):
        members["cacheScope"] = b'"private"'
    members["tools"] = b"[" + b",".join(tools) + b"]"
    return messages.object_from(members)


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
