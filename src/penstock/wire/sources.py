"""The servers that stored results come from, where several servers are behind one Penstock.

A result is stored with the identity of its server as its origin. What is made from a result has the
same origin, and what is made from several has all of them: see `core.model.program.sources_in`.
"""

from __future__ import annotations

from typing import Any, Final

from penstock.wire.servers import HubMember, Servers

_SERVER: Final = "dev.penstock/server"


def origin_from(member: HubMember) -> dict[str, Any]:
    """Return the origin of a result of this server."""
    return {_SERVER: [member.identity, member.name]}


def identity_in(origin: Any) -> str | None:
    """Return the identity of the server in an origin. What Penstock made from no result has none."""
    return origin[_SERVER][0] if isinstance(origin, dict) and _SERVER in origin else None


def may_be_read(servers: Servers, _tool: str, origin: Any) -> bool:
    """Return whether the server that a result comes from is still there, with the same configuration."""
    identity = identity_in(origin)
    return identity is None or servers.is_here(identity)
