"""The caller of a FastMCP server, and the parts of a request that FastMCP hides from middleware."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import mcp_types
from fastmcp import FastMCP
from fastmcp.server.context import Context
from fastmcp.server.middleware import MiddlewareContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

from penstock.adapters.sdk_requests import (
    audience_of,
    dumped,
    peer_of,
    principal_of,
    session_of,
)
from penstock.adapters.server_side import ServerRequest, SpokenRevision
from penstock.gate.identity import os_user
from penstock.wire import eras

AnyContext = MiddlewareContext[Any]
_IN_PYTHON: Final = object()


def request_of(context: AnyContext) -> object:
    """Return an object that identifies the request."""
    around = context.fastmcp_context
    request = None if around is None else around.request_context
    return _IN_PYTHON if request is None else request.session


def asked_by(context: AnyContext, method: str, params: dict[str, Any]) -> ServerRequest:
    """Return the request as the client sent it, with the parts that FastMCP hides."""
    around = context.fastmcp_context
    request = None if around is None else around.request_context
    facts, served = _facts(around), request_of(context)
    if around is None or request is None:  # called in Python, by the user who runs the server
        return ServerRequest(
            method, params, os_user(), is_modern=False, facts=facts, request=served
        )
    is_modern = request.protocol_version in MODERN_PROTOCOL_VERSIONS
    who = principal_of(request.request, is_modern=is_modern)
    legacy_session = around.session_id if request.request is None else session_of(request.request)
    said = {**params, "_meta": dict(request.meta or {})} if is_modern else params
    if method == "initialize" and isinstance(context.message, BaseModel):
        said = dumped(context.message)["params"]
    return ServerRequest(
        method,
        said,
        who,
        is_modern,
        "" if is_modern else legacy_session,
        audience_of(request.session),
        facts,
        served,
        peer_of(request.request),
    )


def _facts(around: Context | None) -> SpokenRevision:
    """Return what is known of the server. FastMCP always serves tools and resources."""
    capabilities: dict[str, Any] = {"tools": {}, "resources": {}}
    info = None if around is None else _server_info(around.fastmcp)
    return SpokenRevision(capabilities, info, {"isError": False})


def _server_info(server: FastMCP[Any]) -> dict[str, Any]:
    """Return the server's data that the SDK adds to results of the modern era."""
    return dumped(
        mcp_types.Implementation(
            name=server.name,
            version=server.version or "",
            website_url=server.website_url,
            icons=server.icons or None,
        )
    )


def stamp_of(context: AnyContext, wire: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that are added to a result on sending. The budget includes them."""
    around = context.fastmcp_context
    request = None if around is None else around.request_context
    stamp: dict[str, Any] = {"isError": wire.get("isError", False)}
    if around is None or request is None:
        return stamp
    if request.protocol_version in MODERN_PROTOCOL_VERSIONS:
        info = {eras.SERVER_META: _server_info(around.fastmcp)}
        stamp |= {**eras.COMPLETE, "_meta": {**info, **wire.get("_meta", {})}}
    return stamp
