"""`initialize` and `server/discover`: Penstock learns about upstream, and announces itself."""

from __future__ import annotations

import msgspec

from penstock.core.json import rawjson
from penstock.disclosure.lists import workflow
from penstock.disclosure.programs import programs_available
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.audience import audience_from
from penstock.wire.effects import Forward, Steps, UpstreamAnswer
from penstock.wire.inner_penstock import joined
from penstock.wire.reader import INSTRUCTIONS
from penstock.wire.request import Request
from penstock.wire.server_info import about_server, name_in
from penstock.wire.shown_tools import disclosed
from penstock.wire.upstream_state import EXTENSION, capabilities_in


def initialize(request: Request) -> Steps[bytes]:
    answer: UpstreamAnswer = yield Forward(request.line)
    if answer.result is None:
        return answer.line
    known, connection = request.known, request.connection
    known.era = "legacy"
    said = messages.members_of(request.params)
    connection.audience = audience_from(said.get("clientInfo"), said.get("capabilities"))
    logger().info("the client's name: %s", connection.audience.client or "not given")
    version = messages.text_of(answer.result, "protocolVersion")
    known.version = version or ""
    known.about = about_server(messages.decoded(answer.result.get("serverInfo")))
    return (yield from _greet(request, answer))


def server_discover(request: Request) -> Steps[bytes]:
    answer: UpstreamAnswer = yield Forward(request.line)
    request.known.learn_discovery(answer.message)
    return (yield from _greet(request, answer))


def _greet(request: Request, answer: UpstreamAnswer) -> Steps[bytes]:
    """Return upstream's greeting with Penstock's additions.

    These are capabilities, and instructions before upstream's own. If upstream has no tools,
    Penstock adds nothing.
    """
    if answer.result is None:
        return answer.line
    members = answer.result
    request.known.capabilities = capabilities_in(members)
    request.known.name = name_in(messages.decoded(members.get("serverInfo"))) or request.known.name
    if "tools" not in request.known.capabilities:
        return answer.line
    told: dict[str, bytes | msgspec.Raw] = dict(members)
    told["capabilities"] = _with_ours(request, members["capabilities"])
    if "cacheScope" in told and request.policy.clients:
        told["cacheScope"] = b'"private"'
    ours = yield from _instructions(request)
    theirs = messages.text_of(members, "instructions") or ""
    told["instructions"] = rawjson.string(joined(ours, theirs))
    return request.answer(messages.object_from(told))


def _with_ours(request: Request, capabilities: msgspec.Raw) -> bytes:
    """Add resources, so that links to stored results and descriptions work. Inside a server, also
    announce Penstock's extension to clients that know it."""
    able: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(capabilities))
    if request.known.lacks_resources:
        able["resources"] = b"{}"
    if not request.connection.is_inside:
        return messages.object_from(able)
    place = "extensions" if request.known.era == "modern" else "experimental"
    others = messages.members_of(able.get(place, b"{}"))
    able[place] = messages.object_from({EXTENSION: b"{}", **others})
    return messages.object_from(able)


def _instructions(request: Request) -> Steps[str]:
    """Return how to read large results, and how to use tools that are not listed in full."""
    shown = yield from disclosed(request)
    if request.client_policy.has_only_programs and programs_available():
        return ""  # the tool that runs programs says all of it
    if not request.may_hide:
        return INSTRUCTIONS
    form, own = (shown.listing.form, shown.listing.own) if shown is not None else ("", {})
    about_list = workflow.instructions(request.gate, form, own)
    return f"{INSTRUCTIONS}\n{about_list}" if about_list else INSTRUCTIONS
