"""Penstock as a middleware of FastMCP 4.x.

    server = FastMCP("inventory")
    server.add_middleware(Penstock())

FastMCP shows its middleware objects of its own, not messages: each hook here makes a message of its
request, and of the answer what FastMCP expects. What nothing was changed in is returned as the object
that it was. Results that are no `ToolResult`, or that ask the client for input, are not looked at.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final
from weakref import WeakSet

from penstock.errors import MissingExtra

try:
    from fastmcp import FastMCP
except ImportError as error:
    raise MissingExtra("fastmcp", "penstock.adapters.fastmcp") from error

import mcp_types
from fastmcp.exceptions import DisabledError, FastMCPError, NotFoundError
from fastmcp.resources import Resource, ResourceContent, ResourceResult, ResourceTemplate
from fastmcp.server.context import Context
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.server.transforms import GetToolNext, Transform
from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
from fastmcp.utilities.versions import VersionSpec, dedupe_with_versions
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel

from penstock.adapters.inside import Answer, Asked, AskServer, Facts, Failed, Inside
from penstock.adapters.sdk import (
    audience_of,
    carried,
    dumped,
    error_of,
    principal_of,
    session_of,
)
from penstock.marks import current, is_served, serving
from penstock.policy import Policy
from penstock.stores import Store
from penstock.wire import eras
from penstock.wire.identity import os_user

_NOT_SDK: Final = "This is the Penstock of FastMCP. On the official SDK: from penstock.adapters.mcp import Penstock."
_NOT_CARRIED: Final = object()
_IN_PYTHON: Final = object()
_THEIRS: Final = object()
_NOT_A_RESULT: Final = {"resultType": "input_required"}  # the rules let it pass
_listing_for_us: Final[ContextVar[bool]] = ContextVar("penstock_listing", default=False)

AnyContext = MiddlewareContext[Any]
AnyNext = CallNext[Any, Any]
# An answer of the server's: as FastMCP's object, and as JSON values.
Given = tuple[Any, Any]


class Penstock(Middleware):
    """The middleware. Without a policy, what the environment says (`PENSTOCK_*`) or the defaults.

    `name` tells this server from others that share a store with it.
    """

    def __init__(
        self, policy: Policy | None = None, *, store: Store | str | None = None, name: str = ""
    ) -> None:
        self._inside = Inside(policy, store, name)
        self._own_tools = _Listed()

    def close(self) -> None:
        """The store and the worker; a process that ends needs no call of it."""
        self._inside.close()

    async def __call__(self, context: AnyContext, call_next: AnyNext) -> Any:
        if not isinstance(context, MiddlewareContext):
            raise TypeError(_NOT_SDK)
        return await super().__call__(context, call_next)

    async def on_message(self, context: AnyContext, call_next: AnyNext) -> Any:
        """Whatever is served: decorated functions are told that it is no call of theirs."""
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
        if _listing_for_us.get() or is_served(_request_of(context)):
            return await call_next(context)
        with serving(request=_request_of(context)):
            tools = _Tools(await call_next(context))
        answer = await self._carry(context, "tools/list", {}, tools.answer)
        listed = tools.wire if answer.result is None else answer.result["tools"]
        shown = [tools.listed(wire) for wire in listed]
        self._own_tools.keep(context, shown)
        return shown

    async def on_call_tool(
        self, context: AnyContext, call_next: CallNext[Any, ToolResult]
    ) -> ToolResult:
        if is_served(_request_of(context)):  # called by a tool, or for a server around this one
            return await call_next(context)
        message = context.message

        async def ask(method: str, params: Any) -> Given:
            if method == "tools/list":
                return await _own_list(context)
            called = {"name": params["name"], "arguments": params.get("arguments") or {}}
            asked = context.copy(message=message.model_copy(update=called))
            given, wire = await _call(call_next, asked)
            return given, wire if wire is _NOT_A_RESULT else {**wire, **_stamp(context, wire)}

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
        return [*map(_OurResource.listed, ours), *theirs]

    async def on_list_resource_templates(
        self, context: AnyContext, call_next: CallNext[Any, Sequence[ResourceTemplate]]
    ) -> Sequence[ResourceTemplate]:
        theirs = await call_next(context)
        ours = await self._listed(context, "resources/templates/list", "resourceTemplates")
        return [*map(_OurTemplate.listed, ours), *theirs]

    async def _listed(self, context: AnyContext, method: str, name: str) -> list[dict[str, Any]]:
        """What Penstock lists besides: it is told that the server has nothing to list."""

        async def ask(asked: str, _params: Any) -> Given:
            nothing: dict[str, list[Any]] = {name: []}
            return await _own_list(context) if asked == "tools/list" else (nothing, nothing)

        answer = await self._carry(context, method, {}, ask)
        listed: list[dict[str, Any]] = (answer.result or {}).get(name, [])
        return listed

    async def on_read_resource(
        self, context: AnyContext, call_next: CallNext[Any, ResourceResult]
    ) -> ResourceResult:
        async def ask(method: str, _params: Any) -> Given:
            return await _own_list(context) if method == "tools/list" else (_THEIRS, {})

        uri = str(context.message.uri)
        answer = await self._carry(context, "resources/read", {"uri": uri}, ask)
        if answer.result is None:
            return await super().on_read_resource(context, call_next)
        return _OurContents(contents=[_content(told) for told in answer.result["contents"]])

    # -- to the rules and back -----------------------------------------------------------------

    async def _carry(
        self, context: AnyContext, method: str, params: dict[str, Any], ask: AskServer
    ) -> Answer:
        return await carried(self._inside, _asked(context, method, params), ask)


def _request_of(context: AnyContext) -> object:
    """What there is one of for each request."""
    around = context.fastmcp_context
    request = None if around is None else around.request_context
    return _IN_PYTHON if request is None else request.session


def _asked(context: AnyContext, method: str, params: dict[str, Any]) -> Asked:
    """A request as it came, with what FastMCP does not show its hooks of it."""
    around = context.fastmcp_context
    request = None if around is None else around.request_context
    facts, served = _facts(around), _request_of(context)
    if around is None or request is None:  # called in Python, by whoever runs the server
        return Asked(method, params, os_user(), is_modern=False, facts=facts, request=served)
    is_modern = request.protocol_version in MODERN_PROTOCOL_VERSIONS
    who = principal_of(request.request, is_modern=is_modern)
    seat = around.session_id if request.request is None else session_of(request.request)
    said = {**params, "_meta": dict(request.meta or {})} if is_modern else params
    if method == "initialize" and isinstance(context.message, BaseModel):
        said = dumped(context.message)["params"]
    return Asked(
        method,
        said,
        who,
        is_modern,
        "" if is_modern else seat,
        audience_of(request.session),
        facts,
        served,
    )


def _facts(around: Context | None) -> Facts:
    """What need not be asked. FastMCP serves tools and resources whether or not there are any."""
    capabilities: dict[str, Any] = {"tools": {}, "resources": {}}
    info = None if around is None else _server_info(around.fastmcp)
    return Facts(capabilities, info, {"isError": False})


def _server_info(server: FastMCP[Any]) -> dict[str, Any]:
    """What the SDK stamps results of the modern era with."""
    return dumped(
        mcp_types.Implementation(
            name=server.name,
            version=server.version or "",
            website_url=server.website_url,
            icons=server.icons or None,
        )
    )


def _model(context: AnyContext, call_next: AnyNext) -> AskServer:
    async def ask(_method: str, _params: Mapping[str, Any] | None) -> Given:
        given = await call_next(context)
        return given, dumped(given) if isinstance(given, BaseModel) else given or {}

    return ask


def _greeting(answer: Answer, kind: type[BaseModel]) -> Any:
    if answer.result is None:
        return answer.given
    return kind.model_validate(answer.result)


# -- tools -------------------------------------------------------------------------------------


class _ListedTool(Tool):
    """A tool as it is listed, when that is not how FastMCP would list it. It is never called."""

    wire: dict[str, Any]

    def to_mcp_tool(self, **_overrides: Any) -> mcp_types.Tool:
        return mcp_types.Tool.model_validate(self.wire)


class _Listed(Transform):
    """Makes tools of Penstock's own be found by their names: where the server is mounted in another,
    that one looks for a tool before this one's middleware is asked."""

    def __init__(self) -> None:
        self._own: dict[str, Tool] = {}
        self._servers: WeakSet[FastMCP[Any]] = WeakSet()

    def keep(self, context: AnyContext, listed: Sequence[Tool]) -> None:
        self._own |= {tool.name: tool for tool in listed if isinstance(tool, _ListedTool)}
        around = context.fastmcp_context
        if around is not None and around.fastmcp not in self._servers:
            self._servers.add(around.fastmcp)
            around.fastmcp.add_transform(self)

    async def get_tool(
        self, name: str, call_next: GetToolNext, *, version: VersionSpec | None = None
    ) -> Tool | None:
        found = await call_next(name, version=version)
        return self._own.get(name) if found is None else found


class _Tools:
    """The server's tools, as it lists them."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        known = dedupe_with_versions(list(tools), lambda tool: tool.name)
        self.wire = [dumped(tool.to_mcp_tool(name=tool.name)) for tool in known]
        self._known = {tool.name: (tool, wire) for tool, wire in zip(known, self.wire, strict=True)}

    async def answer(self, _method: str, _params: Any) -> Given:
        return self, {"tools": self.wire}

    def listed(self, wire: dict[str, Any]) -> Tool:
        tool, own = self._known.get(wire["name"], (None, None))
        if tool is not None and wire == own:
            return tool
        return _ListedTool(
            name=wire["name"],
            description=wire.get("description"),
            parameters=wire["inputSchema"],
            annotations=wire.get("annotations"),
            wire=wire,
        )


async def _own_list(context: AnyContext) -> Given:
    """All tools that the caller may see, as every other middleware leaves them."""
    around = context.fastmcp_context
    if around is None:
        return None, {"tools": []}
    with _listing():
        tools = _Tools(await around.fastmcp.list_tools())
    return await tools.answer("tools/list", None)


@contextmanager
def _listing() -> Iterator[None]:
    reset = _listing_for_us.set(True)
    try:
        yield
    finally:
        _listing_for_us.reset(reset)


async def _call(call_next: AnyNext, context: AnyContext) -> Given:
    """What a tool gave, or the error that FastMCP makes a result of."""
    try:
        given = await call_next(context)
    except MCPError as error:
        raise Failed(error_of(error), error) from error
    except (DisabledError, NotFoundError) as error:
        return error, _error(f"Unknown tool: {context.message.name!r}")
    except FastMCPError as error:
        return error, _error(str(error))
    if not isinstance(given, ToolResult) or isinstance(given, InputRequiredToolResult):
        return given, _NOT_A_RESULT
    return given, _result(given)


def _stamp(context: AnyContext, wire: Mapping[str, Any]) -> dict[str, Any]:
    """What is added to a result on its way out, and weighs something."""
    around = context.fastmcp_context
    request = None if around is None else around.request_context
    stamp: dict[str, Any] = {"isError": wire.get("isError", False)}
    if around is None or request is None:
        return stamp
    if request.protocol_version in MODERN_PROTOCOL_VERSIONS:
        info = {eras.SERVER_META: _server_info(around.fastmcp)}
        stamp |= {**eras.COMPLETE, "_meta": {**info, **wire.get("_meta", {})}}
    return stamp


def _error(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def _result(given: ToolResult) -> dict[str, Any]:
    """As FastMCP will send it."""
    made = given.to_mcp_result()
    if isinstance(made, mcp_types.CallToolResult):
        return dumped(made)
    content, structured = made if isinstance(made, tuple) else (made, None)
    wire: dict[str, Any] = {"content": [dumped(block) for block in content]}
    return wire if structured is None else {**wire, "structuredContent": structured}


# -- resources ---------------------------------------------------------------------------------


class _OurResource(Resource):
    """A resource of Penstock's as it is listed. It is read before FastMCP looks for it."""

    wire: dict[str, Any]

    @classmethod
    def listed(cls, wire: dict[str, Any]) -> _OurResource:
        return cls(uri=wire["uri"], name=wire["name"], wire=wire)

    def to_mcp_resource(self, **_overrides: Any) -> mcp_types.Resource:
        return mcp_types.Resource.model_validate(self.wire)


class _OurTemplate(ResourceTemplate):
    """The same, for an address with a gap in it."""

    wire: dict[str, Any]

    @classmethod
    def listed(cls, wire: dict[str, Any]) -> _OurTemplate:
        return cls(uri_template=wire["uriTemplate"], name=wire["name"], parameters={}, wire=wire)

    def to_mcp_template(self, **_overrides: Any) -> mcp_types.ResourceTemplate:
        return mcp_types.ResourceTemplate.model_validate(self.wire)


class _OurContents(ResourceResult):
    """What is read of Penstock's is its caller's, whatever the server says of its own resources."""

    def to_mcp_result(self, uri: Any) -> mcp_types.ReadResourceResult:
        made = super().to_mcp_result(uri)
        return made.model_copy(update={"ttl_ms": 0, "cache_scope": "private"})


def _content(told: Mapping[str, Any]) -> ResourceContent:
    body = base64.b64decode(told["blob"]) if "blob" in told else told["text"]
    return ResourceContent(body, mime_type=told.get("mimeType"))
