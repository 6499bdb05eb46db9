"""Results and errors of tools, held to the budget on their way down."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from penstock.core.model.values import Frame, Result
from penstock.wire import messages
from penstock.wire.call_facts import policy_of
from penstock.wire.effects import StepAside, Steps, UpstreamAnswer
from penstock.wire.explorer_tools import ROLES
from penstock.wire.messages import HEADER_MISMATCH
from penstock.wire.offering import is_for_widget, offer, offer_error
from penstock.wire.request import Request
from penstock.wire.results import WireResult, plain_wire


def hold(request: Request, answer: UpstreamAnswer) -> Steps[bytes]:
    """Upstream's answer to a call, or what goes down in its place."""
    result, error = answer.result, answer.error
    if result is None and error is None:
        return answer.line
    inside, is_covered = request.inside.result, request.policy.covers(request.tool)
    if isinstance(inside, Result) and not is_covered:
        fields = request.known.frame(is_modern=request.is_modern).fields
        return request.answer(plain_wire(inside, fields))
    if not is_covered or (inside is None and _is_small(request, answer.line)):
        _note(request, answer)
        return answer.line
    yield StepAside()
    if result is not None:
        return (yield from _hold_result(request, answer, WireResult(result)))
    return (yield from _hold_error(request, answer, bytes(error or b"")))


def _is_small(request: Request, line: bytes) -> bool:
    policy = policy_of(request)
    return not policy.heavy and policy.inline_budget.surely_admits(len(line))


def _note(request: Request, answer: UpstreamAnswer) -> None:
    """What an answer that passes as it is says of upstream."""
    if answer.result is not None and b'"taskId"' in answer.line:
        _remember_task(request, WireResult(answer.result))
    if answer.error is not None and messages.code_of(answer.message) == HEADER_MISMATCH:
        # Upstream's schema is not the one that the headers were made from.
        request.known.outdate_toolbox()


def _hold_result(request: Request, answer: UpstreamAnswer, wire: WireResult) -> Steps[bytes]:
    if not wire.is_complete:
        _remember_task(request, wire)
        return answer.line
    if _is_of_explorer(request):
        return answer.line
    instead = yield from held(request, wire)
    return answer.line if instead is None else request.in_place(request.answer(instead))


def _is_of_explorer(request: Request) -> bool:
    """Whether a Penstock behind this one has made it, for its own explorer: then it has been fitted."""
    is_theirs = request.known.has_penstock and not request.connection.is_inside
    return is_theirs and request.tool in ROLES


def held(
    request: Request, wire: WireResult, around: dict[str, Any] | None = None
) -> Steps[bytes | None]:
    """What goes down in the place of a result; None where that is the result. `around`: what it stands
    in, where it comes within something else."""
    if is_for_widget(request, wire):
        from penstock.wire import widget_results

        return (yield from widget_results.held(request, wire, around))
    reply = yield from offer(request, wire, around)
    if reply.is_whole and not request.notice and request.inside.result is None:
        return None
    if around is not None:
        # The other members of the frame are the task's, and stand around it already.
        reply = replace(reply, frame=Frame(reply.frame.structured))
    return reply.wire()


def _hold_error(request: Request, answer: UpstreamAnswer, error: bytes) -> Steps[bytes]:
    """An error over the budget is cut, and kept whole in the store."""
    instead = yield from offer_error(request, error)
    return answer.line if instead is None else request.in_place(request.refuse(instead))


def _remember_task(request: Request, wire: WireResult) -> None:
    """Which tool a task runs: its result comes with another request."""
    task = wire.task_id
    if task is not None and request.method == "tools/call":
        request.known.remember_task(task, request.tool)
