"""Penstock as a middleware of the official Python SDK (`mcp` 2.x), for `Server` and `MCPServer`.

    server = MCPServer("inventory", middleware=[Penstock()])

`Server.middleware` is provisional in the SDK: only this file uses it. An SDK middleware gets each
request as the client sent it, and returns each result as the server sends it. So this adapter knows
nothing of tools: everything is a message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from penstock.errors import MissingExtra

try:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
except ImportError as error:
    raise MissingExtra("mcp", "penstock.adapters.mcp") from error

from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

from penstock.adapters.sdk_requests import (
    audience_of,
    carried,
    dumped,
    error_of,
    peer_of,
    principal_of,
    session_of,
)
from penstock.adapters.server_side import ServerError, ServerRequest, ServerSide
from penstock.gate.identity import new_session_name
from penstock.settings.policy import Policy
from penstock.stores import Store
from penstock.wire.marks import serving
from penstock.wire.methods import HANDLERS

Context = ServerRequestContext[Any, Any]
_NOT_FASTMCP: Final = (
    "This Penstock is for the official SDK. For FastMCP, use penstock.adapters.fastmcp."
)


class Penstock:
    """The middleware. Without a policy, its settings come from the environment (`PENSTOCK_*`).
    `name` distinguishes this server from others that share its store."""

    def __init__(
        self, policy: Policy | None = None, *, store: Store | str | None = None, name: str = ""
    ) -> None:
        self._inside = ServerSide(policy, store, name)
        self._session_name = new_session_name()

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        if not isinstance(ctx, ServerRequestContext):
            raise TypeError(_NOT_FASTMCP)
        if ctx.request_id is None or ctx.method not in HANDLERS:
            with serving(request=ctx.session):
                return await call_next(ctx)

        async def ask_server(method: str, params: Mapping[str, Any] | None) -> tuple[Any, Any]:
            is_same = method == ctx.method and params is ctx.params
            asked = ctx if is_same else replace(ctx, method=method, params=params)
            try:
                given = await call_next(asked)
            except MCPError as error:
                raise ServerError(error_of(error), error) from error
            return given, _wire(given)

        answer = await carried(self._inside, self._asked(ctx), ask_server)
        return answer.given if answer.result is None else dict(answer.result)

    def close(self) -> None:
        """Close the store and the worker. A process that ends need not call this."""
        self._inside.close()

    def _asked(self, ctx: Context) -> ServerRequest:
        is_modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        who = principal_of(ctx.request, is_modern=is_modern)
        legacy_session = self._session_name if ctx.request is None else session_of(ctx.request)
        legacy_session = "" if is_modern else legacy_session
        return ServerRequest(
            ctx.method,
            ctx.params,
            who,
            is_modern,
            legacy_session,
            audience_of(ctx.session),
            request=ctx.session,
            peer=peer_of(ctx.request),
        )


def _wire(result: HandlerResult) -> Any:
    """Return the result as it is sent. Another middleware may have returned a pydantic model."""
    if isinstance(result, BaseModel):
        return dumped(result)
    return {} if result is None else result
