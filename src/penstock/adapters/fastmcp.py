"""Penstock as a middleware of FastMCP 4.x.

    server = FastMCP("inventory")
    server.add_middleware(Penstock())

FastMCP passes its own objects to a middleware, not messages. Each hook here turns its request into
a message, and the answer into the object that FastMCP expects. An unchanged result stays the same
object. Results that are not a `ToolResult`, or that ask the client for input, pass unread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from penstock.errors import MissingExtra

try:
    from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
except ImportError as error:
    raise MissingExtra("fastmcp", "penstock.adapters.fastmcp") from error

import mcp_types
from fastmcp.resources import Resource, ResourceResult, ResourceTemplate
from fastmcp.tools.base import Tool, ToolResult
from pydantic import BaseModel

from penstock.adapters.fastmcp_requests import AnyContext, asked_by, request_of
from penstock.adapters.fastmcp_resources import OurContents, OurResource, OurTemplate, content_of
from penstock.adapters.fastmcp_tools import (
    Given,
    OwnTools,
    Tools,
    called,
    listing_for_us,
    own_list,
)
from penstock.adapters.sdk_requests import carried, dumped
from penstock.adapters.server_side import AskServer, ServerAnswer, ServerSide
from penstock.settings.policy import Policy
from penstock.stores import Store
from penstock.wire.marks import current, is_served, serving

_NOT_SDK: Final = "This Penstock is for FastMCP. For the official SDK, use penstock.adapters.mcp."
_NOT_CARRIED: Final = object()
_THEIRS: Final = object()

AnyNext = CallNext[Any, Any]


class Penstock(Middleware):
    """The middleware. Without a policy, its settings come from the environment (`PENSTOCK_*`).
    `name` distinguishes this server from others that share its store."""

    def __init__(
        self, policy: Policy | None = None, *, store: Store | str | None = None, name: str = ""
    ) -> None:
        self._inside = ServerSide(policy, store, name)
        self._own_tools = OwnTools()

    def close(self) -> None:
        """Close the store and the worker. A process that ends need not call this."""
        self._inside.close()

    async def __call__(self, context: AnyContext, call_next: AnyNext) -> Any:
        if not isinstance(context, MiddlewareContext):
            raise TypeError(_NOT_SDK)
        return await super().__call__(context, call_next)

    async def on_message(self, context: AnyContext, call_next: AnyNext) -> Any:
        """Mark every message as served, so that a decorated function does not answer for itself."""
        if current() is not None:
            return await call_next(context)
        with serving(request=_NOT_CARRIED):
            return await call_next(context)

    # -- greetings -----------------------------------------------------------------------------

    async def on_initialize(self, context: AnyContext, call_next: AnyNext) -> Any:
        answer = await self._carry(context, "initialize", {}, _model(context, call_next))
        return _greeting(answer, mcp_types.InitializeResult)

    async def on_discover(self, context: AnyContext, call_next: AnyNext) -> Any:
        answer = await self._carry(context, "server/discover", {}, _model(context, call_next))
        return _greeting(answer, mcp_types.DiscoverResult)

    # -- tools ---------------------------------------------------------------------------------

    async def on_list_tools(
        self, context: AnyContext, call_next: CallNext[Any, Sequence[Tool]]
    ) -> Sequence[Tool]:
        if listing_for_us.get() or is_served(request_of(context)):
            return await call_next(context)
        with serving(request=request_of(context)):
            tools = Tools(await call_next(context))
        answer = await self._carry(context, "tools/list", {}, tools.answer)
        listed = tools.wire if answer.result is None else answer.result["tools"]
        shown = [tools.listed(wire) for wire in listed]
        self._own_tools.keep(context, tools.without(shown))
        return shown

    async def on_call_tool(
        self, context: AnyContext, call_next: CallNext[Any, ToolResult]
    ) -> ToolResult:
        if is_served(request_of(context)):  # called by a tool, or by an outer server
            return await call_next(context)
        message = context.message

        async def ask(method: str, params: Any) -> Given:
            if method == "tools/list":
                return await own_list(context)
            call = {"name": params["name"], "arguments": params.get("arguments") or {}}
            asked = context.copy(message=message.model_copy(update=call))
            return await called(call_next, asked)

        sent = {"name": message.name, "arguments": message.arguments or {}}
        answer = await self._carry(context, "tools/call", sent, ask)
        if answer.result is not None:
            return ToolResult.from_mcp_result(mcp_types.CallToolResult(**answer.result))
        if isinstance(answer.given, Exception):
            raise answer.given
        result: ToolResult = answer.given
        return result

    # -- resources -----------------------------------------------------------------------------

    async def on_list_resources(
        self, context: AnyContext, call_next: CallNext[Any, Sequence[Resource]]
    ) -> Sequence[Resource]:
        theirs = await call_next(context)
        ours = await self._listed(context, "resources/list", "resources")
        return [*map(OurResource.listed, ours), *theirs]

    async def on_list_resource_templates(
        self, context: AnyContext, call_next: CallNext[Any, Sequence[ResourceTemplate]]
    ) -> Sequence[ResourceTemplate]:
        theirs = await call_next(context)
        ours = await self._listed(context, "resources/templates/list", "resourceTemplates")
        return [*map(OurTemplate.listed, ours), *theirs]

    async def _listed(self, context: AnyContext, method: str, name: str) -> list[dict[str, Any]]:
        """Return only the entries that Penstock adds: here, the server's own list is empty."""

        async def ask(asked: str, _params: Any) -> Given:
            nothing: dict[str, list[Any]] = {name: []}
            return await own_list(context) if asked == "tools/list" else (nothing, nothing)

        answer = await self._carry(context, method, {}, ask)
        listed: list[dict[str, Any]] = (answer.result or {}).get(name, [])
        return listed

    async def on_read_resource(
        self, context: AnyContext, call_next: CallNext[Any, ResourceResult]
    ) -> ResourceResult:
        async def ask(method: str, _params: Any) -> Given:
            return await own_list(context) if method == "tools/list" else (_THEIRS, {})

        uri = str(context.message.uri)
        answer = await self._carry(context, "resources/read", {"uri": uri}, ask)
        if answer.result is None:
            return await super().on_read_resource(context, call_next)
        return OurContents(contents=[content_of(told) for told in answer.result["contents"]])

    # -- to the rules and back -----------------------------------------------------------------

    async def _carry(
        self, context: AnyContext, method: str, params: dict[str, Any], ask: AskServer
    ) -> ServerAnswer:
        return await carried(self._inside, asked_by(context, method, params), ask)


def _model(context: AnyContext, call_next: AnyNext) -> AskServer:
    async def ask(_method: str, _params: Mapping[str, Any] | None) -> Given:
        given = await call_next(context)
        return given, dumped(given) if isinstance(given, BaseModel) else given or {}

    return ask


def _greeting(answer: ServerAnswer, kind: type[BaseModel]) -> Any:
    if answer.result is None:
        return answer.given
    return kind.model_validate(answer.result)
