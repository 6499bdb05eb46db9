"""A server that does all that the official conformance suite asks for, in both eras of MCP.

It uses the official SDK. `--port 0` takes a free port and prints the URL; `--stdio` serves
standard input and output instead, for a relay that starts it as a command.
"""

import argparse
import asyncio
import json
import re
import socket
import warnings
from typing import Any

import uvicorn
from conformance_tasks import TASK_TOOLS, add_tasks
from conformance_tools import (
    EVENTS,
    MODERN,
    PNG,
    TOOLS,
    Context,
    answerable,
    embedded,
    form,
    picture,
    strings,
)
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import (
    INVALID_PARAMS,
    BlobResourceContents,
    CallToolRequestParams,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    ContentBlock,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    JSONRPCMessage,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from penstock import Policy
from penstock.adapters.mcp import Penstock

LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
RESOURCE_NOT_FOUND = -32002  # of the old era; the new era uses INVALID_PARAMS


# Tools.

ALL_TOOLS = TOOLS | TASK_TOOLS


async def list_tools(_context: Context, _params: Any) -> ListToolsResult:
    return ListToolsResult(tools=[fixture.listed_as(name) for name, fixture in ALL_TOOLS.items()])


async def call_tool(context: Context, call: CallToolRequestParams) -> Any:
    if call.name not in ALL_TOOLS:
        raise MCPError(INVALID_PARAMS, f"There is no tool {call.name}")
    return await ALL_TOOLS[call.name].run(context, call)


# Resources.

STATIC = {
    "test://static-text": TextResourceContents(
        uri="test://static-text",
        mime_type="text/plain",
        text="This is the content of the static text resource.",
    ),
    "test://static-binary": BlobResourceContents(
        uri="test://static-binary", mime_type="image/png", blob=PNG
    ),
    "test://watched-resource": TextResourceContents(
        uri="test://watched-resource", mime_type="text/plain", text="Watched."
    ),
}
TEMPLATE = ResourceTemplate(
    name="template",
    uri_template="test://template/{id}/data",
    description="Data for an id",
    mime_type="application/json",
)


async def list_resources(_context: Context, _params: Any) -> ListResourcesResult:
    listed = [
        Resource(uri=uri, name=uri, description=f"What is at {uri}", mime_type=content.mime_type)
        for uri, content in STATIC.items()
    ]
    return ListResourcesResult(resources=listed)


async def list_resource_templates(_context: Context, _params: Any) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(resource_templates=[TEMPLATE])


async def read_resource(context: Context, wanted: ReadResourceRequestParams) -> ReadResourceResult:
    if wanted.uri in STATIC:
        return ReadResourceResult(contents=[STATIC[wanted.uri]])
    if matched := re.fullmatch(r"test://template/([^/]+)/data", wanted.uri):
        return ReadResourceResult(contents=[from_template(wanted.uri, matched[1])])
    code = INVALID_PARAMS if context.protocol_version == MODERN else RESOURCE_NOT_FOUND
    raise MCPError(code, "Resource not found", {"uri": wanted.uri})


def from_template(uri: str, name: str) -> TextResourceContents:
    data = {"id": name, "templateTest": True, "data": f"Data for ID: {name}"}
    return TextResourceContents(uri=uri, mime_type="application/json", text=json.dumps(data))


# Prompts.

CONTEXT = {"user_context": form("What context should the prompt use?", strings("context"))}


def prompt(name: str, description: str, *arguments: str) -> Prompt:
    asked = [PromptArgument(name=argument, required=True) for argument in arguments]
    return Prompt(name=name, description=description, arguments=asked)


PROMPTS = [
    prompt("test_simple_prompt", "Without arguments"),
    prompt("test_prompt_with_arguments", "With two arguments", "arg1", "arg2"),
    prompt("test_prompt_with_embedded_resource", "With a resource", "resourceUri"),
    prompt("test_prompt_with_image", "With an image"),
    prompt("test_input_required_result_prompt", "Asks the user first"),
]


async def list_prompts(_context: Context, _params: Any) -> ListPromptsResult:
    return ListPromptsResult(prompts=PROMPTS)


async def get_prompt(
    context: Context, wanted: GetPromptRequestParams
) -> GetPromptResult | InputRequiredResult:
    given = wanted.arguments or {}
    match wanted.name:
        case "test_simple_prompt":
            return says(TextContent(text="This is a simple prompt for testing."))
        case "test_prompt_with_arguments":
            words = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
            return says(TextContent(text=words))
        case "test_prompt_with_embedded_resource":
            resource = embedded(given["resourceUri"], "Embedded resource content for testing.")
            return says(resource, TextContent(text="Please process the embedded resource above."))
        case "test_prompt_with_image":
            return says(picture(), TextContent(text="Please analyze the image above."))
        case "test_input_required_result_prompt" if not wanted.input_responses:
            return InputRequiredResult(input_requests=answerable(context, CONTEXT))
        case "test_input_required_result_prompt":
            return says(TextContent(text="With the context that was asked for."))
    raise MCPError(INVALID_PARAMS, f"There is no prompt {wanted.name}")


def says(*content: ContentBlock) -> GetPromptResult:
    return GetPromptResult(messages=[PromptMessage(role="user", content=part) for part in content])


async def complete(_context: Context, asked: CompleteRequestParams) -> CompleteResult:
    known = ["paris", "park", "party"]
    values = [word for word in known if word.startswith(asked.argument.value)]
    return CompleteResult(completion=Completion(values=values, total=len(values), has_more=False))


async def agree(_context: Context, _params: Any) -> EmptyResult:
    """Accept a log level or a subscription of the old era. The suite asks for no more."""
    return EmptyResult()


def build() -> Server:
    server = Server(
        "conformance",
        version="1",
        cache_hints=dict.fromkeys((*LISTS, "resources/read"), CacheHint(60_000, "public")),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_resource_templates,
        on_read_resource=read_resource,
        on_subscribe_resource=agree,
        on_unsubscribe_resource=agree,
        on_subscriptions_listen=ListenHandler(EVENTS),
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_set_logging_level=agree,
    )
    sealed = RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=server.name)
    server.middleware.append(sealed)
    add_tasks(server)
    return server


# Transports.


class RememberedEvents(EventStore):
    """Every event of every stream, because clients of the old era may resume a stream."""

    def __init__(self) -> None:
        self.events: list[tuple[str, JSONRPCMessage | None]] = []

    async def store_event(self, stream_id: str, message: JSONRPCMessage | None) -> str:
        self.events.append((stream_id, message))
        return str(len(self.events))

    async def replay_events_after(
        self, last_event_id: str, send_callback: EventCallback
    ) -> str | None:
        position = int(last_event_id)
        stream = self.events[position - 1][0]
        for number, (of, message) in enumerate(self.events[position:], position + 1):
            if of == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


def with_penstock(server: Server) -> Server:
    """Add the middleware, inside RequestStateBoundary."""
    server.middleware.append(Penstock(Policy(list_form="full")))
    return server


def serve_http(port: int, *, penstock: bool) -> None:
    server = with_penstock(build()) if penstock else build()
    app = server.streamable_http_app(event_store=RememberedEvents(), retry_interval=100)
    with socket.create_server(("127.0.0.1", port)) as listening:
        # Connections now wait in the socket's queue, so clients can use the URL at once.
        print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)  # noqa: T201 - for the caller
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


async def serve_stdio() -> None:
    server = build()
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    transport = parser.add_mutually_exclusive_group(required=True)
    transport.add_argument("--port", type=int, help="serve streamable HTTP there; 0: a free one")
    transport.add_argument("--stdio", action="store_true", help="serve stdin and stdout")
    parser.add_argument("--penstock", action="store_true", help="over HTTP: with the middleware")
    chosen = parser.parse_args()
    # Logging and sampling are deprecated, but the suite still asks for them.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    if chosen.stdio:
        asyncio.run(serve_stdio())
    else:
        serve_http(chosen.port, penstock=chosen.penstock)


if __name__ == "__main__":
    main()
