"""What the official SDK knows of a caller and of an error, for both adapters: FastMCP stands on it."""

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
    """The access token of the request itself: that of the context may be of the session's first."""
    user = getattr(request, "scope", {}).get("user")
    return user.access_token if isinstance(user, AuthenticatedUser) else get_access_token()


def principal_of(request: Any, *, is_modern: bool) -> Principal:
    """Who calls: whom the framework has authenticated, else the legacy session, else without HTTP
    the user of this machine; else nobody, and whoever holds a token is its bearer."""
    token = token_of(request)
    if token is not None:
        return Principal(f"oauth:{encode(principal_components(token)).decode()}")
    if request is None:
        return os_user()
    session = "" if is_modern else session_of(request)
    return Principal(f"session:{session}") if session else NOBODY


def session_of(request: Any) -> str:
    """The legacy session of an HTTP request; empty where the server keeps none."""
    headers = getattr(request, "headers", None)
    return "" if headers is None else headers.get(_SESSION_HEADER) or ""


def audience_of(session: ServerSession) -> Audience:
    """What a client has said of itself."""
    said, able = session.client_params, session.client_capabilities
    extensions = (able.extensions if able is not None else None) or {}
    return Audience(
        said.client_info.name if said is not None else "", has_apps=shows_apps(extensions.get(APPS))
    )


def error_of(error: MCPError) -> dict[str, Any]:
    told = {"code": error.code, "message": error.message}
    return told if error.data is None else {**told, "data": error.data}


async def carried(inside: ServerSide, asked: ServerRequest, ask_server: AskServer) -> ServerAnswer:
    """A request through the rules. An error of the server's own comes out as the exception it was;
    outside of any other, so that nothing in it is changed."""
    try:
        return await inside.carry(asked, ask_server)
    except ServerError as caught:
        failed = caught
    if failed.cause is not None:
        raise failed.cause
    error = failed.error
    raise MCPError(code=error["code"], message=error["message"], data=error.get("data"))


def dumped(model: BaseModel) -> dict[str, Any]:
    """As it is sent."""
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)
