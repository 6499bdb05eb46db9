"""`initialize` and `server/discover`: learning what upstream is, and saying what was added."""

from __future__ import annotations

import msgspec

from penstock.core.json import rawjson
from penstock.disclosure import workflow
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.disclosing import audience, audience_of, listing_of
from penstock.wire.messages import Message
from penstock.wire.reader import INSTRUCTIONS
from penstock.wire.session import Session
from penstock.wire.state import EXTENSION, Outputs, Pending, capabilities_in


def close_initialize(session: Session, pending: Pending, message: Message, line: bytes) -> Outputs:
    if isinstance(message.result, msgspec.UnsetType):
        return session.deliver(pending, line)
    session.known.era = "legacy"
    said = messages.members_of(pending.params)
    session.audience = audience(said.get("clientInfo"), said.get("capabilities"))
    logger().info("the client calls itself %s", session.audience.client or "nothing")
    version = messages.text_of(messages.members_of(message.result), "protocolVersion")
    session.known.version = version or ""
    return _greet(session, pending, message.result, line)


def close_discover(session: Session, pending: Pending, message: Message, line: bytes) -> Outputs:
    session.known.learn_discovery(message)
    if isinstance(message.result, msgspec.UnsetType):
        return session.deliver(pending, line)
    return _greet(session, pending, message.result, line)


def _greet(session: Session, pending: Pending, result: msgspec.Raw, line: bytes) -> Outputs:
    """Upstream's greeting, with what Penstock adds: resources, for links to stored results and
    descriptions, and a few sentences before upstream's own instructions. To an upstream without
    tools it adds nothing."""
    members = messages.members_of(result)
    session.known.capabilities = capabilities_in(members)
    if "tools" not in session.known.capabilities:
        return session.deliver(pending, line)
    told: dict[str, bytes | msgspec.Raw] = dict(members)
    told["capabilities"] = _with_ours(session, members["capabilities"])
    if "cacheScope" in told and session.discloser.depends_on_client():
        told["cacheScope"] = b'"private"'
    ours = _instructions(session, pending)
    theirs = messages.text_of(members, "instructions")
    told["instructions"] = rawjson.string(f"{ours}\n\n{theirs}" if theirs else ours)
    return session.answer(pending, messages.object_from(told))


def _with_ours(session: Session, capabilities: msgspec.Raw) -> bytes:
    """Resources, for what is linked to; and, where it is the server's own, that Penstock is here,
    for clients that know it."""
    able: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(capabilities))
    if session.known.lacks_resources:
        able["resources"] = b"{}"
    if not session.is_inside:
        return messages.object_from(able)
    place = "extensions" if session.known.era == "modern" else "experimental"
    others = messages.members_of(able.get(place, b"{}"))
    able[place] = messages.object_from({EXTENSION: b"{}", **others})
    return messages.object_from(able)


def _instructions(session: Session, pending: Pending) -> str:
    """How large results are read, and how tools are used that are not listed in full."""
    seen_by = audience_of(session, pending)
    listing = listing_of(session, pending)
    is_full = listing.form == "full" if listing else not session.discloser.may_hide(seen_by)
    if is_full:
        return INSTRUCTIONS
    gate = session.discloser.gate_for(seen_by)
    form, own = (listing.form, listing.own) if listing else ("", {})
    return f"{INSTRUCTIONS}\n{workflow.instructions(gate, form, own)}"
