"""Tasks: tools whose results come later, with another request or in a notification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from penstock.wire import messages
from penstock.wire.bad_bytes import note_original
from penstock.wire.effects import Forward, StepAside, Steps, UpstreamAnswer
from penstock.wire.offering import offer_error
from penstock.wire.request import Request
from penstock.wire.result_budget import held, hold
from penstock.wire.results import WireResult

_DONE: Final = frozenset({"result", "error"})


def tasks_result(request: Request) -> Steps[bytes]:
    """Hold the result of a task to the budget, like that of a call."""
    _find_tool(request)
    answer: UpstreamAnswer = yield Forward(request.line)
    return (yield from hold(request, answer))


def tasks_get(request: Request) -> Steps[bytes]:
    """Hold a task's status to the budget. Since 2026-07-28 it carries the result or the error."""
    _find_tool(request)
    answer: UpstreamAnswer = yield Forward(request.line)
    if answer.result is None:
        return (yield from hold(request, answer))
    if _is_done(request, answer.result):
        yield from note_original(request, answer.original)
    instead = yield from _hold_inside(request, answer.result)
    return answer.line if instead is None else request.in_place(request.answer(instead))


def task_notified(request: Request, original: bytes) -> Steps[bytes]:
    """Hold the result in a notification that a task is done to the budget. `original`: the message as
    upstream sent it, if that was not UTF-8."""
    _find_tool(request)
    members = messages.members_of(request.params)
    if _is_done(request, members):
        yield from note_original(request, original)
    instead = yield from _hold_inside(request, members)
    if instead is None:
        return request.line
    return messages.notification("notifications/tasks", instead)


def _find_tool(request: Request) -> None:
    """Find the tool that the task runs, because the tool's settings apply to the result."""
    task = messages.text_of(messages.members_of(request.params), "taskId")
    request.task = task or ""
    request.set_call(request.known.tool_of_task(task), None)


def _is_done(request: Request, members: Mapping[str, msgspec.Raw]) -> bool:
    """Return whether a task carries a result or an error that is held to the budget."""
    return not _DONE.isdisjoint(members) and request.policy.covers(request.tool)


def _hold_inside(request: Request, members: Mapping[str, msgspec.Raw]) -> Steps[bytes | None]:
    """Return a task whose result fits the budget together with the rest of the task, or None if the
    task passes unchanged."""
    if not _is_done(request, members):
        return None
    yield StepAside()
    around: dict[str, Any] = {name: {} if name in _DONE else raw for name, raw in members.items()}
    if "result" not in members:
        error = yield from offer_error(request, bytes(members["error"]), around)
        return None if error is None else messages.object_from({**members, "error": error})
    wire = WireResult(messages.members_of(members["result"]))
    result = (yield from held(request, wire, around)) if wire.is_complete else None
    return None if result is None else messages.object_from({**members, "result": result})
