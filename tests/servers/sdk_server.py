"""A server on the official Python SDK that uses all of the protocol, in both eras, over stdio."""

import json
import os
import warnings
from typing import Annotated

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp_types import (
    Completion,
    CreateMessageResult,
    EmptyResult,
    ListRootsResult,
    SamplingMessage,
    SubscribeRequestParams,
    TextContent,
)
from pydantic import BaseModel

warnings.simplefilter("ignore", MCPDeprecationWarning)
server = MCPServer("sdk", instructions="Call rows first.")
marks: dict[str, int] = {}


# What tools give.


@server.tool()
def add(a: int, b: int) -> int:
    return a + b


@server.tool()
def rows(count: int) -> list[dict[str, int | str]]:
    return [{"id": number, "city": f"city {number % 7}"} for number in range(count)]


@server.tool(structured_output=False)
def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 (as an ordinary tool would)
        return file.read()


@server.tool()
def total(items: list[dict[str, int | str]]) -> int:
    return sum(int(item["id"]) for item in items)


@server.tool()
def fail() -> str:
    raise ToolError("it does not work")


@server.tool()
async def slowly(context: Context, steps: int) -> str:
    for step in range(steps):
        await context.report_progress(step + 1, steps, f"step {step + 1}")
    return "done"


@server.tool()
async def forever(name: str) -> str:
    """Run until cancelled, and remember the cancellation."""
    marks[name] = 1
    try:
        await anyio.sleep_forever()
    finally:
        marks[name] = 2
    return "never"


@server.tool()
async def mark(name: str, at_least: int) -> int:
    """Wait until the mark has reached this number."""
    while marks.get(name, 0) < at_least:  # noqa: ASYNC110 (a server may do as it likes)
        await anyio.sleep(0.005)
    return marks[name]


@server.tool()
async def say(context: Context, words: str) -> str:
    await context.info(words)
    return "said"


# What tools ask.


class Name(BaseModel):
    name: str


def ask_for_name() -> Elicit[Name]:
    return Elicit("What is your name?", Name)


def ask_the_model() -> Sample:
    question = SamplingMessage(role="user", content=TextContent(text="How much?"))
    return Sample([question], max_tokens=10)


def ask_for_roots() -> ListRoots:
    return ListRoots()


@server.tool()
def greet(name: Annotated[Name, Resolve(ask_for_name)]) -> str:
    return f"Hello {name.name}"


@server.tool()
def think(answer: Annotated[CreateMessageResult, Resolve(ask_the_model)]) -> str:
    return f"The model says {answer.content.text}"


@server.tool()
def look(roots: Annotated[ListRootsResult, Resolve(ask_for_roots)]) -> str:
    return ", ".join(str(root.uri) for root in roots.roots)


# What changes.


@server.tool()
async def grow(context: Context, name: str) -> str:
    server.add_tool(lambda: "new", name=name, description="A tool that was not there")
    if context.protocol_version and context.protocol_version >= "2026":
        await context.notify_tools_changed()
    else:
        await context.session.send_tool_list_changed()
    return "grown"


@server.tool()
async def touch(context: Context, uri: str) -> str:
    if context.protocol_version and context.protocol_version >= "2026":
        await context.notify_resource_updated(uri)
    else:
        await context.session.send_resource_updated(uri)
    return "touched"


async def subscribe(_context: object, _params: SubscribeRequestParams) -> EmptyResult:
    return EmptyResult()


# Subscriptions of the old era, for which the SDK has no decorator.
server._lowlevel_server.add_request_handler(
    "resources/subscribe", SubscribeRequestParams, subscribe
)


# What else there is.


@server.resource("data://long")
def long() -> str:
    return "x" * 100_000


@server.resource("data://{name}/item")
def item(name: str) -> str:
    return json.dumps({"name": name, "pid": os.getpid() > 0})


@server.prompt()
def review(code: str) -> str:
    return f"Please review:\n{code * 50_000}"


@server.completion()
async def complete(_reference: object, argument: object, _context: object) -> Completion:
    return Completion(values=[f"{argument.value}-done"])


if __name__ == "__main__":
    server.run("stdio")
