"""Results and errors of tools, held to the budget on their way to the client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import msgspec

from penstock.core.budget.host_members import HOST_MEMBERS_CAP
from penstock.core.model.values import Frame, Result
from penstock.wire import messages
from penstock.wire.bad_bytes import note_original
from penstock.wire.call_facts import has_widget_output, policy_of
from penstock.wire.effects import StepAside, Steps, UpstreamAnswer
from penstock.wire.imitations import may_imitate, note_imitation
from penstock.wire.messages import HEADER_MISMATCH
from penstock.wire.offering import is_for_widget, offer, offer_error
from penstock.wire.request import Request
from penstock.wire.results import WireResult, plain_wire

_UNBOUNDED: Final = frozenset({"messages", "contents"})  # members of results
_OF_TOOLS: Final = frozenset({"content", "structuredContent", "toolResult"})


def hold(request: Request, answer: UpstreamAnswer) -> Steps[bytes]:
    """Return upstream's answer to a call, or the reply that replaces it."""
    result, error = answer.result, answer.error
    if result is None and error is None:
        return answer.line
    inside, is_covered = request.inside.result, request.policy.covers(request.tool)
    if isinstance(inside, Result) and not is_covered:
        fields = request.known.frame(is_modern=request.is_modern).fields
        return request.answer(plain_wire(inside, fields))
    if is_covered and result is not None:
        if answer.original:
            yield from note_original(request, answer.original)
        is_short = len(answer.line) <= HOST_MEMBERS_CAP
        if (is_short or has_widget_output(request)) and may_imitate(answer.line):
            yield from note_imitation(request, WireResult(result))
    is_all_told = inside is None and not request.notice
    if not is_covered or (is_all_told and _is_small(request, answer.line)):
        _note(request, answer)
        return answer.line
    yield StepAside()
    if result is not None:
        return (yield from _hold_result(request, answer, WireResult(result)))
    return (yield from _hold_error(request, answer, bytes(error or b"")))


def _is_small(request: Request, line: bytes) -> bool:
    policy = policy_of(request)
    may_hold_too_much = len(line) > HOST_MEMBERS_CAP  # `_meta` and icons, which have their own cap
    is_within = policy.inline_budget.surely_admits(len(line)) and not may_hold_too_much
    return not policy.heavy and is_within


def _note(request: Request, answer: UpstreamAnswer) -> None:
    """Note what an answer that passes unchanged tells about upstream."""
    if answer.result is not None and b'"taskId"' in answer.line:
        _remember_task(request, WireResult(answer.result))
    if answer.error is not None and messages.code_of(answer.message) == HEADER_MISMATCH:
        # The headers were made from a schema that upstream has changed.
        request.known.outdate_toolbox()


def _hold_result(request: Request, answer: UpstreamAnswer, wire: WireResult) -> Steps[bytes]:
    if not wire.is_complete:
        _remember_task(request, wire)
        if len(answer.line) <= HOST_MEMBERS_CAP:
            return answer.line
    instead = yield from held(request, wire)
    if instead is None and len(answer.line) <= HOST_MEMBERS_CAP:
        return answer.line
    # A long message may have more in it than the result that was weighed.
    told = messages.object_from(wire.members) if instead is None else _asking(wire, instead)
    return request.in_place(request.answer(told))


def _asking(wire: WireResult, instead: bytes) -> bytes:
    """Return the reply in the place of a result. If the result also asked for input, so does the
    reply."""
    question = wire.question
    if not question or sum(len(memoryview(raw)) for raw in question.values()) > HOST_MEMBERS_CAP:
        return instead
    return messages.object_from({**messages.members_of(instead), **question})


def hold_stray(request: Request, answer: UpstreamAnswer) -> Steps[bytes]:
    """Hold a response that no request waits for to the budget, except contents of prompts and
    resources, which have no budget."""
    key, result = answer.message.key, answer.result
    if result is not None and _is_unbounded(result):
        return request.line
    yield StepAside()
    if result is not None:
        instead = yield from held(request, WireResult(result))
        return messages.response(key, instead or messages.object_from(result))
    error = bytes(answer.error or b"")
    instead = yield from offer_error(request, error)
    return messages.error_response(key, instead or error)


def _is_unbounded(members: Mapping[str, msgspec.Raw]) -> bool:
    """Return whether a result can only be that of a prompt or a resource, never that of a tool."""
    return not _UNBOUNDED.isdisjoint(members) and _OF_TOOLS.isdisjoint(members)


def held(
    request: Request, wire: WireResult, around: dict[str, Any] | None = None
) -> Steps[bytes | None]:
    """Return what replaces a result, or None if the result passes unchanged. `around`: the members
    of the task that holds the result, if there is one."""
    if is_for_widget(request, wire):
        from penstock.wire import widget_results

        return (yield from widget_results.held(request, wire, around))
    reply = yield from offer(request, wire, around)
    if reply.untouched is not None and (yield from note_imitation(request, wire)):
        reply = yield from offer(request, wire, around)
    if reply.is_whole and not request.notice and request.inside.result is None:
        return None
    if around is not None:
        # The other members of the frame belong to the task, which has them already.
        reply = replace(reply, frame=Frame(reply.frame.structured))
    return reply.wire()


def _hold_error(request: Request, answer: UpstreamAnswer, error: bytes) -> Steps[bytes]:
    """Cut an error that is over the budget. The store keeps the whole error."""
    instead = yield from offer_error(request, error)
    return answer.line if instead is None else request.in_place(request.refuse(instead))


def _remember_task(request: Request, wire: WireResult) -> None:
    """Remember which tool a task runs, because its result comes with another request."""
    task = wire.task_id
    if task is not None and request.method == "tools/call":
        request.known.remember_task(task, request.tool)
