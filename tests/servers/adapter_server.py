"""The same functions behind each door, in process for tests that import this, or as a program.

`python adapter_server.py DOOR [--tools few|many|heavy] [--http [--stateless] [--users]]
[--store URL] [--name NAME] [--set NAME=VALUE …]`. Doors: `plain` (the official SDK without
Penstock), `mcp`, `lowlevel`, `fastmcp`.
"""

import argparse
import asyncio
import socket
import sys
from pathlib import Path
from typing import Any

import mcp_types
from mcp.server import Server
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

sys.path.insert(0, str(Path(__file__).parent))
from adapter_functions import FUNCTIONS, MANY, failing, image_bytes, rows

from penstock import Policy, heavy, open_store

# The user of each bearer token of the tests.
USERS = {"token-of-ann": "ann", "token-of-bob": "bob"}
INSTRUCTIONS = "Ask for rows first."


def image() -> Image:
    """A picture."""
    return Image(data=image_bytes(), format="png")


def heavy_rows(count: int, start: int = 0) -> list[dict[str, Any]]:
    """Rows that are heavy by nature."""
    return [{**row, "id": row["id"] + start} for row in rows(count)]


def functions(kind: str) -> list[Any]:
    if kind == "heavy":
        return [*FUNCTIONS, heavy(heavy_rows)]
    return MANY if kind == "many" else list(FUNCTIONS)


class Verifier:
    """The SDK's `TokenVerifier`, for two users."""

    async def verify_token(self, token: str) -> AccessToken | None:
        user = USERS.get(token)
        if user is None:
            return None
        return AccessToken(token=token, client_id="client", scopes=[], subject=user)


def sdk_server(kind: str = "few", middleware: Any = (), **options: Any) -> MCPServer:
    about = {"version": "1", "instructions": INSTRUCTIONS, "log_level": "CRITICAL"}
    server = MCPServer("doors", **about, **options)
    server.middleware.extend(middleware)
    for function in functions(kind):
        server.add_tool(function)
    if kind != "many":
        server.add_tool(image)
        server.add_tool(failing(ToolError))
    return server


def lowlevel_server(kind: str = "few", middleware: Any = ()) -> Server[Any]:
    """Return a server with handlers written by hand and the schemas of the other door."""
    behind = sdk_server(kind)

    async def listed(_context: Any, _params: Any) -> mcp_types.ListToolsResult:
        return mcp_types.ListToolsResult(tools=await behind.list_tools())

    async def called(_context: Any, params: mcp_types.CallToolRequestParams) -> Any:
        try:
            return await behind.call_tool(params.name, params.arguments or {})
        except ToolError as error:
            told = mcp_types.TextContent(text=str(error))
            return mcp_types.CallToolResult(content=[told], is_error=True)

    server: Server[Any] = Server(
        "doors", version="1", instructions=INSTRUCTIONS, on_list_tools=listed, on_call_tool=called
    )
    server.middleware.extend(middleware)
    return server


def fastmcp_server(kind: str = "few", middleware: Any = (), **options: Any) -> Any:
    from fastmcp import FastMCP
    from fastmcp.exceptions import ToolError as FastError
    from fastmcp.utilities.types import Image as FastImage

    server = FastMCP("doors", version="1", instructions=INSTRUCTIONS, **options)
    for item in middleware:
        server.add_middleware(item)
    for function in functions(kind):
        server.tool(function)
    if kind != "many":
        server.tool(failing(FastError))

        @server.tool(name="image")
        def fast_image() -> FastImage:
            """A picture."""
            return FastImage(data=image_bytes(), format="png")

    return server


def build(door: str, kind: str = "few", *, store: Any = None, name: str = "", **settings: Any):
    """Return a server with Penstock in it, and the middleware, which the caller closes."""
    policy = Policy(**settings)
    if door == "fastmcp":
        from penstock.adapters.fastmcp import Penstock as InFastMCP

        fast = InFastMCP(policy, store=store, name=name)
        return fastmcp_server(kind, [fast]), fast
    from penstock.adapters.mcp import Penstock

    inside = Penstock(policy, store=store, name=name)
    make = {"mcp": sdk_server, "lowlevel": lowlevel_server}[door]
    return make(kind, [inside]), inside


def with_users(door: str, kind: str, middleware: Any) -> Any:
    if door == "fastmcp":
        from fastmcp.server.auth import TokenVerifier

        class FastVerifier(TokenVerifier):
            async def verify_token(self, token: str) -> Any:
                found = await Verifier().verify_token(token)
                if found is None:
                    return None
                from fastmcp.server.auth import AccessToken as FastToken

                return FastToken(**found.model_dump(exclude_none=True))

        return fastmcp_server(kind, middleware, auth=FastVerifier())
    auth = AuthSettings(
        issuer_url="http://127.0.0.1:1",
        resource_server_url="http://127.0.0.1:1/mcp",
        validate_token_resource=False,
    )
    return sdk_server(kind, middleware, token_verifier=Verifier(), auth=auth)


def app_of(door: str, server: Any, *, stateless: bool) -> Any:
    if door == "fastmcp":
        return server.http_app(path="/mcp", stateless_http=stateless)
    return server.streamable_http_app(stateless_http=stateless)


def serve(app: Any) -> None:
    import uvicorn

    listening = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)  # noqa: T201
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    asyncio.run(uvicorn.Server(config).serve(sockets=[listening]))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("door")
    parser.add_argument("--tools", default="few")
    parser.add_argument("--http", action="store_true")
    parser.add_argument("--stateless", action="store_true")
    parser.add_argument("--users", action="store_true")
    parser.add_argument("--store", default="")
    parser.add_argument("--name", default="")
    parser.add_argument("--set", action="append", default=[])
    return parser.parse_args()


def main() -> None:
    given = parsed()
    settings = dict(item.split("=", 1) for item in given.set)
    store = open_store(given.store) if given.store else None
    if given.door == "plain":
        server = sdk_server(given.tools)
    else:
        server, middleware = build(
            given.door, given.tools, store=store, name=given.name, **settings
        )
        if given.users:
            server = with_users(given.door, given.tools, [middleware])
    if given.http:
        serve(app_of(given.door, server, stateless=given.stateless))
    elif given.door == "fastmcp":
        server.run(show_banner=False)
    elif given.door == "lowlevel":
        from mcp.server.stdio import stdio_server

        async def run() -> None:
            async with stdio_server() as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())

        asyncio.run(run())
    else:
        server.run()


if __name__ == "__main__":
    main()
