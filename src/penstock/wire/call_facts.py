"""Facts about a call that the core needs."""

from __future__ import annotations

from functools import partial
from typing import Any

from penstock.core.model.values import Call
from penstock.settings.policy import Policy
from penstock.wire.effects import Steps
from penstock.wire.request import Request
from penstock.wire.shown_tools import disclosed
from penstock.wire.sources import origin_from, refusal_to_hand_on


def promises_structure(request: Request) -> Steps[bool]:
    """Return whether the client has seen an output schema, which promises structured content."""
    tool = request.upstream_tool
    if tool is None or not tool.promises_structure:
        return False
    shown = yield from disclosed(request)
    return shown is None or shown.listing.has_outputs or is_for_app(request)


def is_for_app(request: Request) -> bool:
    """Return whether only an app sees the result: the tool is for apps alone, and the client shows
    apps, so its host keeps the result from the model."""
    tool = request.upstream_tool
    if tool is None or not tool.is_for_apps_alone or not request.audience.has_apps:
        return False
    return request.known.app_rights.is_for_apps_alone(tool)


def has_widget_output(request: Request) -> bool:
    """Return whether an app gets the structured content of the result, and the model does not."""
    tool = request.upstream_tool
    is_apps = tool is not None and request.known.app_rights.has_widget(tool)
    return is_apps and request.audience.has_apps


def is_merged(request: Request) -> bool:
    """Return whether the tool's schema advertises the negotiation fields as its own."""
    if not request.connection.is_inside:
        return False  # only decorators in this process add them
    tool = request.upstream_tool
    return tool is not None and tool.mark is not None and tool.mark.is_merged


def policy_of(request: Request) -> Policy:
    """Return the policy for the result of a call."""
    policy = request.policy.for_tool(request.tool)
    return policy.for_apps if is_for_app(request) else policy


def origin_of(request: Request) -> Any:
    """Return the origin of the result: what an adapter says, or which of several servers gave it."""
    member = request.member
    return request.inside.origin if member is None else origin_from(member)


def call_of(request: Request, arguments: dict[str, Any], *, structured: bool = False) -> Call:
    tool, inside, member = request.upstream_tool, request.inside, request.member
    mark, servers = None if tool is None else tool.mark, request.connection.servers
    return Call(
        request.tool,
        arguments,
        request.connection.principal,
        request.connection.server,
        request.known.frame(is_modern=request.is_modern, structured=structured),
        schema=None if tool is None else tool.schema,
        reader=request.reader,
        is_merged=is_merged(request),
        for_app=is_for_app(request),
        has_link=mark is not None and mark.has_link,
        origin=origin_of(request),
        pages_first=inside.pages_first,
        is_part=inside.is_part,
        server_name=request.known.name if member is None else member.name,
        essence=inside.essence,
        party=request.connection.party,
        refusal_of=None if servers is None else partial(refusal_to_hand_on, servers, request.tool),
    )
