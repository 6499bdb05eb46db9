"""The servers that stored results come from, where several servers are behind one Penstock.

A result is stored with the identity of its server as its origin. What is made from a result has the
same origin, and what is made from several has all of them: see `core.model.program.sources_in`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from penstock.core.model.program import Source
from penstock.core.model.values import Refusal
from penstock.wire.request import Request
from penstock.wire.servers import HubMember, Servers

_SERVER: Final = "dev.penstock/server"


def origin_from(member: HubMember) -> dict[str, Any]:
    """Return the origin of a result of this server."""
    return {_SERVER: [member.identity, member.name]}


def _server_in(origin: Any) -> tuple[str, str] | None:
    """Return the identity and the name of the server in an origin. What Penstock made from no
    result has none."""
    if not isinstance(origin, dict) or _SERVER not in origin:
        return None
    identity, name = origin[_SERVER]
    return identity, name


def may_be_read(servers: Servers, request: Request, _tool: str, origin: Any) -> bool:
    """Return whether the server that a result comes from is still there, with the same configuration.
    Note for the figures that the request needs a result of this server."""
    found = _server_in(origin)
    if found is None:
        return True
    identity, name = found
    if name not in request.read_from:
        request.read_from += (name,)
    return servers.is_here(identity)


def refusal_to_hand_on(servers: Servers, tool: str, sources: Iterable[Source]) -> Refusal | None:
    """Refuse to hand values from these sources to a tool of a remote server, unless they are this
    server's own or the settings allow it."""
    target = servers.owner(tool)
    if target is not None and target.takes_results:
        return None
    found = [server for _, origin in sources if (server := _server_in(origin)) is not None]
    if target is None and found:
        return Refusal(
            "It is not known which server this tool belongs to.", "List the tools, and try again."
        )
    others = sorted({name for identity, name in found if target and identity != target.identity})
    if target is None or not others:
        return None
    return Refusal(
        f"Results of {' and '.join(map(repr, others))} must not go to the server {target.name!r}, "
        "which is behind a URL.",
        f"The user can allow it: the setting results_to (--results-to) must name {target.name!r}.",
    )
