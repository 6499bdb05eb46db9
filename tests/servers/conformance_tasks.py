"""The tasks extension of the new era, as far as the conformance suite asks for it.

The answer to a call of one of these tools is a task, which the caller polls until it is done. This
version of the official SDK has no tasks, but lets a server add methods.
"""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from datetime import UTC, datetime
from typing import Any

from conformance_tools import (
    MODERN,
    NAME,
    Context,
    Fixture,
    Run,
    answerable,
    arguments,
    form,
    missing,
    strings,
    text,
)
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ClientCapabilities,
    InputRequest,
    InputRequiredResult,
    RequestParams,
)
from pydantic import BaseModel

EXTENSION = "io.modelcontextprotocol/tasks"
TASKS = ClientCapabilities(extensions={EXTENSION: {}})
TTL_MS = 600_000
POLL_MS = 100


class Job:
    """A call that runs on after its answer, which is a task."""

    def __init__(self) -> None:
        self.id = uuid.uuid4().hex
        self.started = self.changed = now()
        self.status = "working"
        self.outcome: dict[str, Any] = {}
        self.questions: dict[str, InputRequest] = {}
        self.all_answered = asyncio.Event()
        self.running: asyncio.Task[None] | None = None

    def start(self, work: Coroutine[Any, Any, CallToolResult]) -> None:
        self.running = asyncio.create_task(self._settle(work))

    async def _settle(self, work: Coroutine[Any, Any, CallToolResult]) -> None:
        try:
            result = await work
        except asyncio.CancelledError:
            self._becomes("cancelled")
        except MCPError as error:
            self._becomes("failed", error={"code": error.code, "message": error.message})
        else:
            self._becomes("completed", result=on_the_wire(result))

    def _becomes(self, status: str, **outcome: Any) -> None:
        self.status, self.outcome, self.changed = status, outcome, now()

    async def ask(self, questions: Mapping[str, InputRequest]) -> None:
        self.questions = dict(questions)
        self._becomes("input_required")
        await self.all_answered.wait()
        self._becomes("working")

    def answer(self, answers: Mapping[str, Any]) -> None:
        for key in self.questions.keys() & answers.keys():
            del self.questions[key]
        if self.status == "input_required" and not self.questions:
            self.all_answered.set()

    def cancel(self) -> None:
        if self.running is not None:
            self.running.cancel()

    def as_task(self) -> dict[str, Any]:
        return {
            "taskId": self.id,
            "status": self.status,
            "createdAt": self.started,
            "lastUpdatedAt": self.changed,
            "ttlMs": TTL_MS,
            "pollIntervalMs": POLL_MS,
        }

    def in_detail(self) -> dict[str, Any]:
        asked = {key: on_the_wire(question) for key, question in self.questions.items()}
        open_questions = {"inputRequests": asked} if self.status == "input_required" else {}
        return self.as_task() | open_questions | self.outcome


def now() -> str:
    return datetime.now(UTC).isoformat()


def on_the_wire(value: BaseModel) -> dict[str, Any]:
    return value.model_dump(by_alias=True, exclude_none=True, mode="json")


# There is one server per process, so its jobs may be global.
JOBS: dict[str, Job] = {}

Work = Callable[[Job, CallToolRequestParams], Coroutine[Any, Any, CallToolResult]]


# What the tools do.


def in_background(work: Work, *, only_so: bool = True) -> Run:
    """Run the work as a task. A caller without tasks waits, or gets an error if `only_so`."""

    async def run(context: Context, call: CallToolRequestParams) -> Any:
        job = Job()
        if takes_tasks(context):
            JOBS[job.id] = job
            job.start(work(job, call))
            return {"resultType": "task"} | job.as_task()
        if only_so:
            raise missing(TASKS)
        return await work(job, call)

    return run


def takes_tasks(context: Context) -> bool:
    return context.protocol_version == MODERN and context.session.check_client_capability(TASKS)


async def greet(_context: Context, call: CallToolRequestParams) -> CallToolResult:
    return text(f"Hello, {arguments(call)['name']}!")


async def compute_slowly(_job: Job, call: CallToolRequestParams) -> CallToolResult:
    await asyncio.sleep(arguments(call).get("seconds", 0))
    return text("Computed")


async def end_in_an_error(_job: Job, _call: CallToolRequestParams) -> CallToolResult:
    return text("The job failed, as it always does", is_error=True)


async def break_down(_job: Job, _call: CallToolRequestParams) -> CallToolResult:
    raise MCPError(INTERNAL_ERROR, "The server could not run the job")


def asking_meanwhile(*keys: str) -> Work:
    async def work(job: Job, _call: CallToolRequestParams) -> CallToolResult:
        await job.ask({key: form(f"Please answer {key}", strings("confirm")) for key in keys})
        return text(f"Answered: {', '.join(keys)}")

    return work


async def ask_then_compute(context: Context, call: CallToolRequestParams) -> Any:
    """Ask as an ordinary call does, and become a task once the answer is here."""
    answer = (call.input_responses or {}).get("user_name")
    if answer is None:
        return InputRequiredResult(input_requests=answerable(context, {"user_name": NAME}))

    async def greet_by_name(_job: Job, _call: CallToolRequestParams) -> CallToolResult:
        return text(f"Hello, {answer.content['name']}!")

    return await in_background(greet_by_name)(context, call)


SECONDS = {"type": "object", "properties": {"seconds": {"type": "number"}}}
TASK_TOOLS = {
    "greet": Fixture("Greets, at once", greet, strings("name")),
    "slow_compute": Fixture(
        "Takes its time", in_background(compute_slowly, only_so=False), SECONDS
    ),
    "failing_job": Fixture("Ends in an error", in_background(end_in_an_error)),
    "protocol_error_job": Fixture("Breaks down", in_background(break_down)),
    "confirm_delete": Fixture("Asks meanwhile", in_background(asking_meanwhile("confirm"))),
    "multi_input": Fixture(
        "Asks two things meanwhile", in_background(asking_meanwhile("first", "second"))
    ),
    "test_tool_with_task": Fixture("Asks, then takes its time", ask_then_compute),
}


# The methods.


class TaskParams(RequestParams):
    task_id: str


class AnswerParams(TaskParams):
    input_responses: dict[str, Any]


async def get_task(context: Context, asked: TaskParams) -> dict[str, Any]:
    return job_of(context, asked).in_detail()


async def update_task(context: Context, asked: AnswerParams) -> dict[str, Any]:
    job_of(context, asked).answer(asked.input_responses)
    return {}


async def cancel_task(context: Context, asked: TaskParams) -> dict[str, Any]:
    job_of(context, asked).cancel()
    return {}


def job_of(context: Context, asked: TaskParams) -> Job:
    if not takes_tasks(context):
        raise missing(TASKS)
    if context.request is not None and context.request.headers.get("mcp-name") != asked.task_id:
        raise MCPError(HEADER_MISMATCH, "Mcp-Name is not the id of the task")
    if asked.task_id not in JOBS:
        raise MCPError(INVALID_PARAMS, "There is no such task")
    return JOBS[asked.task_id]


METHODS: dict[str, tuple[type[TaskParams], Callable[[Context, Any], Awaitable[dict[str, Any]]]]] = {
    "tasks/get": (TaskParams, get_task),
    "tasks/update": (AnswerParams, update_task),
    "tasks/cancel": (TaskParams, cancel_task),
}


def add_tasks(server: Server) -> None:
    server.extensions[EXTENSION] = {}
    for method, (params, handler) in METHODS.items():
        server.add_request_handler(method, params, handler)
