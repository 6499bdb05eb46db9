"""The tools that the conformance suite calls, under the names that it uses.

The suite describes what each tool must do, in the scenario that uses the tool. A tool asks its
caller questions in one of two ways: in the old era by a request of the server during the call
(`eliciting`, `sampling`), in the new era by an answer that is a question (`asking`).
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    CallToolRequestParams,
    CallToolResult,
    ClientCapabilities,
    ContentBlock,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitationCapability,
    ElicitRequest,
    ElicitRequestFormParams,
    EmbeddedResource,
    ImageContent,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    MissingRequiredClientCapabilityErrorData,
    RootsCapability,
    SamplingCapability,
    SamplingMessage,
    TextContent,
    TextResourceContents,
    Tool,
)

Context = ServerRequestContext[Any, Any]
Run = Callable[[Context, CallToolRequestParams], Awaitable[Any]]

# One red pixel, and a sound of zero length.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

MODERN = "2026-07-28"
MOMENT = 0.05
EVENTS = InMemorySubscriptionBus()


@dataclass(frozen=True)
class Fixture:
    """A tool: its entry in the list, and its function."""

    description: str
    run: Run
    input_schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})

    def listed_as(self, name: str) -> Tool:
        return Tool(name=name, description=self.description, input_schema=dict(self.input_schema))


def text(words: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=words)], is_error=is_error)


def picture() -> ImageContent:
    return ImageContent(data=PNG, mime_type="image/png")


def embedded(uri: str, words: str, mime_type: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=mime_type, text=words))


def strings(*names: str) -> dict[str, Any]:
    """Return the schema of an object whose members are strings and all required."""
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": list(names),
    }


# What a tool does.


def always(*content: ContentBlock) -> Run:
    async def run(_context: Context, _call: CallToolRequestParams) -> CallToolResult:
        return CallToolResult(content=[*content])

    return run


async def fail(_context: Context, _call: CallToolRequestParams) -> CallToolResult:
    return text("This tool intentionally returns an error for testing", is_error=True)


async def log_thrice(context: Context, _call: CallToolRequestParams) -> CallToolResult:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", words, related_request_id=context.request_id)
        await anyio.sleep(MOMENT)
    return text("Logged three messages")


async def report_progress(context: Context, _call: CallToolRequestParams) -> CallToolResult:
    for percent in (0, 50, 100):
        await context.session.report_progress(percent, 100)
        await anyio.sleep(MOMENT)
    return text("Reported progress three times")


async def hang_up_and_answer(context: Context, _call: CallToolRequestParams) -> CallToolResult:
    """End the stream of the call before its answer, so that the client has to reconnect."""
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    await anyio.sleep(2 * MOMENT)
    return text("Answered after the stream was closed")


def announcing(event: ServerEvent) -> Run:
    """Tell all listeners that a list has changed. It has not: the suite checks only the message."""

    async def run(_context: Context, _call: CallToolRequestParams) -> CallToolResult:
        await EVENTS.publish(event)
        return text("Announced")

    return run


async def sampling(context: Context, call: CallToolRequestParams) -> CallToolResult:
    question = SamplingMessage(role="user", content=TextContent(text=arguments(call)["prompt"]))
    answer = await context.session.create_message(
        [question], max_tokens=100, related_request_id=context.request_id
    )
    return text(f"LLM response: {getattr(answer.content, 'text', answer.content)}")


def eliciting(requested_schema: dict[str, Any]) -> Run:
    async def run(context: Context, call: CallToolRequestParams) -> CallToolResult:
        answer = await context.session.elicit_form(
            arguments(call).get("message", "Please fill in the form"),
            requested_schema,
            related_request_id=context.request_id,
        )
        return text(f"User response: action={answer.action}, content={json.dumps(answer.content)}")

    return run


def asking(questions: Mapping[str, InputRequest], *, state: str | None = None) -> Run:
    """Answer with the questions that the caller can answer, until it sends all answers."""

    async def run(
        context: Context, call: CallToolRequestParams
    ) -> CallToolResult | InputRequiredResult:
        open_questions = answerable(context, questions)
        answers = call.input_responses or {}
        if open_questions.keys() <= answers.keys() and call.request_state == state:
            return text(f"state-ok, with answers to {', '.join(open_questions)}")
        return InputRequiredResult(input_requests=open_questions, request_state=state)

    return run


async def ask_twice(
    _context: Context, call: CallToolRequestParams
) -> CallToolResult | InputRequiredResult:
    """Keep the round in the state that goes back and forth: the server remembers nothing."""
    match call.request_state:
        case None:
            questions = {"step1": form("Step 1: What is your name?", strings("name"))}
            return InputRequiredResult(input_requests=questions, request_state="first")
        case "first":
            questions = {"step2": form("Step 2: What is your favorite color?", strings("color"))}
            return InputRequiredResult(input_requests=questions, request_state="second")
        case _:
            return text("Both steps are done")


def arguments(call: CallToolRequestParams) -> dict[str, Any]:
    return call.arguments or {}


# Questions to the caller.


def form(message: str, requested_schema: dict[str, Any]) -> ElicitRequest:
    return ElicitRequest(
        params=ElicitRequestFormParams(message=message, requested_schema=requested_schema)
    )


def prompt(words: str) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(text=words))
    return CreateMessageRequest(
        params=CreateMessageRequestParams(messages=[message], max_tokens=100)
    )


CAPABILITY = {
    "elicitation/create": ClientCapabilities(elicitation=ElicitationCapability()),
    "sampling/createMessage": ClientCapabilities(sampling=SamplingCapability()),
    "roots/list": ClientCapabilities(roots=RootsCapability()),
}


def answerable(context: Context, questions: Mapping[str, InputRequest]) -> dict[str, InputRequest]:
    """Return the questions that the caller can answer. Raise an error if there are none."""
    able = context.session.check_client_capability
    chosen = {key: q for key, q in questions.items() if able(CAPABILITY[q.method])}
    if not chosen:
        raise missing(CAPABILITY[next(iter(questions.values())).method])
    return chosen


def missing(capabilities: ClientCapabilities) -> MCPError:
    data = MissingRequiredClientCapabilityErrorData(required_capabilities=capabilities)
    return MCPError(
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        "The client has not declared a capability that this needs",
        data.model_dump(by_alias=True, exclude_none=True),
    )


NAME = form("What is your name?", strings("name"))
CONFIRM = form(
    "Please confirm",
    {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]},
)

# Forms of the old era.

DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
}
PLAIN = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{n}", "title": f"Option {n}"} for n in (1, 2, 3)]
ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": PLAIN},
        "titledSingle": {"type": "string", "oneOf": TITLED},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": PLAIN}},
        "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
    },
}

# Schemas of arguments that a relay has to keep as they are.

DRAFT_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
MIRRORED = {
    "type": "object",
    "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    "required": ["region"],
}

# The suite calls the first tool without arguments, whatever it is.
TOOLS = {
    "test_simple_text": Fixture(
        "Text", always(TextContent(text="This is a simple text response for testing."))
    ),
    "test_image_content": Fixture("An image", always(picture())),
    "test_audio_content": Fixture("A sound", always(AudioContent(data=WAV, mime_type="audio/wav"))),
    "test_embedded_resource": Fixture(
        "A resource in the result",
        always(embedded("test://embedded-resource", "This is an embedded resource content.")),
    ),
    "test_multiple_content_types": Fixture(
        "Text, an image and a resource",
        always(
            TextContent(text="Multiple content types test:"),
            picture(),
            embedded(
                "test://mixed-content-resource", '{"test":"data","value":123}', "application/json"
            ),
        ),
    ),
    "test_error_handling": Fixture("An error", fail),
    "test_tool_with_logging": Fixture("Logs while it works", log_thrice),
    "test_logging_tool": Fixture("Logs if the request allows it", log_thrice),
    "test_tool_with_progress": Fixture("Reports progress", report_progress),
    "test_reconnection": Fixture("Hangs up before it answers", hang_up_and_answer),
    "test_sampling": Fixture("Asks the client's model", sampling, strings("prompt")),
    "test_elicitation": Fixture(
        "Asks the user", eliciting(strings("username", "email")), strings("message")
    ),
    "test_elicitation_sep1034_defaults": Fixture("Asks with defaults", eliciting(DEFAULTS)),
    "test_elicitation_sep1330_enums": Fixture("Asks to choose", eliciting(ENUMS)),
    "json_schema_2020_12_tool": Fixture(
        "Tool with JSON Schema 2020-12 features", always(TextContent(text="ok")), DRAFT_2020_12
    ),
    "test_x_mcp_header": Fixture(
        "An argument that is also a header", always(TextContent(text="ok")), MIRRORED
    ),
    "test_trigger_tool_change": Fixture("Announces new tools", announcing(ToolsListChanged())),
    "test_trigger_prompt_change": Fixture(
        "Announces new prompts", announcing(PromptsListChanged())
    ),
    "test_missing_capability": Fixture(
        "Needs sampling", asking({"question": prompt("What is the capital of France?")})
    ),
    "test_streaming_elicitation": Fixture("Asks in its answer", asking({"user_name": NAME})),
    "test_input_required_result_elicitation": Fixture("Asks the user", asking({"user_name": NAME})),
    "test_input_required_result_sampling": Fixture(
        "Asks the model", asking({"capital_question": prompt("What is the capital of France?")})
    ),
    "test_input_required_result_list_roots": Fixture(
        "Asks for roots", asking({"client_roots": ListRootsRequest()})
    ),
    "test_input_required_result_request_state": Fixture(
        "Asks, with a state", asking({"confirm": CONFIRM}, state="asked")
    ),
    "test_input_required_result_tampered_state": Fixture(
        "Asks, with a sealed state", asking({"confirm": CONFIRM}, state="asked")
    ),
    "test_input_required_result_multiple_inputs": Fixture(
        "Asks three things at once",
        asking(
            {
                "user_name": NAME,
                "greeting": prompt("Generate a greeting"),
                "client_roots": ListRootsRequest(),
            },
            state="asked",
        ),
    ),
    "test_input_required_result_multi_round": Fixture("Asks twice", ask_twice),
    "test_input_required_result_capabilities": Fixture(
        "Asks what the client can answer",
        asking({"user_name": NAME, "question": prompt("What is the capital of France?")}),
    ),
}
