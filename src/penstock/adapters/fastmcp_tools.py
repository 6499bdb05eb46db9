"""FastMCP's tools and their results, as messages and back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final
from weakref import WeakSet

import mcp_types
from fastmcp import FastMCP
from fastmcp.exceptions import DisabledError, FastMCPError, NotFoundError
from fastmcp.server.middleware import CallNext
from fastmcp.server.transforms import GetToolNext, Transform
from fastmcp.tools.base import InputRequiredToolResult, Tool, ToolResult
from fastmcp.utilities.versions import VersionSpec, dedupe_with_versions
from mcp.shared.exceptions import MCPError

from penstock.adapters.fastmcp_requests import AnyContext, stamp_of
from penstock.adapters.sdk_requests import dumped, error_of
from penstock.adapters.server_side import ServerError

# An answer of the server: FastMCP's object, and the same as JSON values.
Given = tuple[Any, Any]
_NOT_A_RESULT: Final = {"resultType": "input_required"}  # the rules let such a result pass
listing_for_us: Final[ContextVar[bool]] = ContextVar("penstock_listing", default=False)


class ListedTool(Tool):
    """A tool whose entry in the list differs from FastMCP's. It is never called."""

    wire: dict[str, Any]

    def to_mcp_tool(self, **_overrides: Any) -> mcp_types.Tool:
        return mcp_types.Tool.model_validate(self.wire)


class OwnTools(Transform):
    """A transform that finds Penstock's own tools by name. If this server is mounted in another,
    the outer server looks for a tool before it calls this server's middleware."""

    def __init__(self) -> None:
        self._own: dict[str, Tool] = {}
        self._servers: WeakSet[FastMCP[Any]] = WeakSet()

    def keep(self, context: AnyContext, own: Sequence[Tool]) -> None:
        self._own = {tool.name: tool for tool in own}
        around = context.fastmcp_context
        if around is not None and around.fastmcp not in self._servers:
            self._servers.add(around.fastmcp)
            around.fastmcp.add_transform(self)

    async def get_tool(
        self, name: str, call_next: GetToolNext, *, version: VersionSpec | None = None
    ) -> Tool | None:
        found = await call_next(name, version=version)
        return self._own.get(name) if found is None else found


class Tools:
    """The server's tools, as FastMCP's objects and as JSON values."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        known = dedupe_with_versions(list(tools), lambda tool: tool.name)
        self.wire = [dumped(tool.to_mcp_tool(name=tool.name)) for tool in known]
        self._known = {tool.name: (tool, wire) for tool, wire in zip(known, self.wire, strict=True)}

    async def answer(self, _method: str, _params: Any) -> Given:
        return self, {"tools": self.wire}

    def without(self, listed: Sequence[Tool]) -> list[Tool]:
        """Return the listed tools that are not the server's."""
        return [tool for tool in listed if tool.name not in self._known]

    def listed(self, wire: dict[str, Any]) -> Tool:
        tool, own = self._known.get(wire["name"], (None, None))
        if tool is not None and wire == own:
            return tool
        return ListedTool(
            name=wire["name"],
            description=wire.get("description"),
            parameters=wire["inputSchema"],
            annotations=wire.get("annotations"),
            wire=wire,
        )


async def own_list(context: AnyContext) -> Given:
    """Return all tools that the caller may see, after every other middleware."""
    around = context.fastmcp_context
    if around is None:
        return None, {"tools": []}
    with _listing():
        tools = Tools(await around.fastmcp.list_tools())
    return await tools.answer("tools/list", None)


@contextmanager
def _listing() -> Iterator[None]:
    reset = listing_for_us.set(True)
    try:
        yield
    finally:
        listing_for_us.reset(reset)


async def called(call_next: CallNext[Any, Any], context: AnyContext) -> Given:
    """Call a tool. Return its result, or an error that FastMCP sends as a result."""
    try:
        given = await call_next(context)
    except MCPError as error:
        raise ServerError(error_of(error), error) from error
    except (DisabledError, NotFoundError) as error:
        return error, _error(context, f"Unknown tool: {context.message.name!r}")
    except FastMCPError as error:
        return error, _error(context, str(error))
    if not isinstance(given, ToolResult) or isinstance(given, InputRequiredToolResult):
        return given, _NOT_A_RESULT
    wire = _result(given)
    return given, {**wire, **stamp_of(context, wire)}


def _error(context: AnyContext, text: str) -> dict[str, Any]:
    wire = {"content": [{"type": "text", "text": text}], "isError": True}
    return {**wire, **stamp_of(context, wire)}


def _result(given: ToolResult) -> dict[str, Any]:
    """Return the result as FastMCP will send it."""
    made = given.to_mcp_result()
    if isinstance(made, mcp_types.CallToolResult):
        return dumped(made)
    content, structured = made if isinstance(made, tuple) else (made, None)
    wire: dict[str, Any] = {"content": [dumped(block) for block in content]}
    return wire if structured is None else {**wire, "structuredContent": structured}
