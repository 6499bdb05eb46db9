"""Callers and errors of the official SDK, for both adapters: FastMCP is built on the SDK."""

from __future__ import annotations

from typing import Any, Final

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken, principal_components
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from penstock.adapters.server_side import (
    AskServer,
    ServerAnswer,
    ServerError,
    ServerRequest,
    ServerSide,
)
from penstock.core.json.encoding import encode
from penstock.core.model.values import NOBODY, Principal
from penstock.disclosure.discloser import Audience
from penstock.gate.identity import os_user
from penstock.wire.audience import APPS, shows_apps

_SESSION_HEADER: Final = "mcp-session-id"


def token_of(request: Any) -> AccessToken | None:
    """Return the request's own access token. The context may hold that of the session's first."""
    user = getattr(request, "scope", {}).get("user")
    return user.access_token if isinstance(user, AuthenticatedUser) else get_access_token()


def principal_of(request: Any, *, is_modern: bool) -> Principal:
    """Return the caller: the authenticated user, else the legacy session, else, without HTTP, the
    user of this machine. If the caller is unknown, any bearer of a token may use it."""
    token = token_of(request)
    if token is not None:
        return Principal(f"oauth:{encode(principal_components(token)).decode()}")
    if request is None:
        return os_user()
    session = "" if is_modern else session_of(request)
    return Principal(f"session:{session}") if session else NOBODY


def session_of(request: Any) -> str:
    """Return the legacy session of an HTTP request, or nothing if the server keeps none."""
    headers = getattr(request, "headers", None)
    return "" if headers is None else headers.get(_SESSION_HEADER) or ""


def peer_of(request: Any) -> str:
    """Return the address that an HTTP request comes from, or nothing without HTTP."""
    client = getattr(request, "client", None)
    return "" if client is None else client.host


def audience_of(session: ServerSession) -> Audience:
    """Return what the client reported of itself."""
    said, able = session.client_params, session.client_capabilities
    extensions = (able.extensions if able is not None else None) or {}
    return Audience(
        said.client_info.name if said is not None else "", has_apps=shows_apps(extensions.get(APPS))
    )


def error_of(error: MCPError) -> dict[str, Any]:
    told = {"code": error.code, "message": error.message}
    return told if error.data is None else {**told, "data": error.data}


async def carried(inside: ServerSide, asked: ServerRequest, ask_server: AskServer) -> ServerAnswer:
    """Pass a request through the rules. Raise an error of the server as the original exception,
    outside of any `except` block, so that its context stays unchanged."""
    try:
        return await inside.carry(asked, ask_server)
    except ServerError as caught:
        failed = caught
    if failed.cause is not None:
        raise failed.cause
    error = failed.error
    raise MCPError(code=error["code"], message=error["message"], data=error.get("data"))


def dumped(model: BaseModel) -> dict[str, Any]:
    """Return the model as JSON values, as it is sent."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)
