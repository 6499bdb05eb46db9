"""The server on a stage (`staging.py`) with Penstock inside: the official SDK's or FastMCP's.

`python staged_inside.py FOLDER mcp|fastmcp`, on stdio. Behind Penstock is one more middleware. It
holds back what the stage holds, and so sees what Penstock asks the server.
"""

import json
import sys
from itertools import count as numbers
from typing import Any

import anyio
from staging import LOOK_SECONDS, Stage, cue_of, large, small, take, wait

WITHOUT_TALK = (small, large, take, wait)


class Prompter:
    """A middleware that holds back a request, and tells the stage if it is cancelled meanwhile."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._ids = numbers()  # a framework does not give the request's id to every middleware

    async def prompt(self, method: str, params: Any) -> None:
        key = next(self._ids)
        message = {"id": key, "method": method, "params": params or {}}
        self._stage.hear(json.dumps(message))
        try:
            while self._stage.is_held(cue_of(message)):  # noqa: ASYNC110 (a file has no event)
                await anyio.sleep(LOOK_SECONDS)
        except anyio.get_cancelled_exc_class():
            self._stage.hear(json.dumps({"method": "cancelled", "params": {"requestId": key}}))
            raise


async def talk_of(stage: Stage, count: int, report: Any) -> str:
    """Report progress, and tell the stage what the client should get."""
    for number in range(count):
        stage.say(json.dumps({"method": "notifications/progress", "params": {"progress": number}}))
        await report(number)
    return f"{count} words"


def run_mcp(stage: Stage) -> None:
    from mcp.server.mcpserver import Context, MCPServer

    from penstock.adapters.mcp import Penstock

    prompter = Prompter(stage)

    async def staged(ctx: Any, call_next: Any) -> Any:
        if ctx.request_id is not None:
            await prompter.prompt(ctx.method, ctx.params)
        return await call_next(ctx)

    async def talk(count: int, ctx: Context) -> str:
        return await talk_of(stage, count, ctx.report_progress)

    server = MCPServer("staged", log_level="CRITICAL")
    server.middleware.extend([Penstock(name="staged"), staged])
    for function in (*WITHOUT_TALK, talk):
        server.add_tool(function, structured_output=False)
    server.run()


def run_fastmcp(stage: Stage) -> None:
    from fastmcp import Context, FastMCP
    from fastmcp.server.middleware import Middleware

    from penstock.adapters.fastmcp import Penstock

    prompter = Prompter(stage)

    class Staged(Middleware):
        async def on_list_tools(self, context: Any, call_next: Any) -> Any:
            await prompter.prompt("tools/list", {})
            return await call_next(context)

        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            await prompter.prompt("tools/call", {"name": context.message.name})
            return await call_next(context)

    async def talk(count: int, ctx: Context) -> str:
        return await talk_of(stage, count, ctx.report_progress)

    server = FastMCP("staged", middleware=[Penstock(name="staged"), Staged()])
    for function in (*WITHOUT_TALK, talk):
        server.tool(function, output_schema=None)
    server.run(show_banner=False)


if __name__ == "__main__":
    {"mcp": run_mcp, "fastmcp": run_fastmcp}[sys.argv[2]](Stage(sys.argv[1]))
