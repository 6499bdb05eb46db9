"""The story of each method behind a hub. A handler is a generator, as in `wire/`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

import msgspec

from penstock.core.json.encoding import encode
from penstock.hub import merging, resources
from penstock.hub.crossing import LOG_LEVELS
from penstock.hub.effects import AskEach, Asking, AskMember, ReachMembers, Steps
from penstock.hub.holders import holders_of
from penstock.hub.hub_state import ClientRequest, HubState
from penstock.hub.kinds import KIND_OF_METHOD, Kind
from penstock.hub.learning import items_in
from penstock.hub.member_state import MemberState
from penstock.hub.routing import (
    by_name,
    elsewhere,
    found_by_name,
    learn_lacking,
    refresh,
    routed,
)
from penstock.wire import messages
from penstock.wire.list_limits import PageCount
from penstock.wire.messages import INVALID_PARAMS

_SECONDS: Final = 5.0  # for what servers answer at once
_DAY: Final = 86_400.0

Handler = Callable[[HubState, ClientRequest], Steps]


def initialize(state: HubState, request: ClientRequest) -> Steps:
    state.client.note_greeting(request.members)
    yield from _learn_unknown(state)
    return request.answer(merging.greeting(state))


def server_discover(state: HubState, request: ClientRequest) -> Steps:
    if request.fault is not None:
        return request.fault
    yield from _learn_unknown(state)
    return request.answer(merging.discovery(state))


def _learn_unknown(state: HubState) -> Steps:
    """Wait for the only server: the client gets its greeting. Of several, only start those that
    nothing is known of: no client shall wait for them."""
    unknown = [member for member in state.all if not member.is_known]
    yield ReachMembers(unknown, seconds=None if state.only is not None else 0.0)
    return b""


def ping(_state: HubState, request: ClientRequest) -> Steps:
    yield ReachMembers([], seconds=0.0)
    return request.answer(b"{}")


def list_of(state: HubState, request: ClientRequest) -> Steps:
    """Answer with the lists of all servers, as last known. Only servers of which nothing is known
    are waited for, and those that run and whose list has changed."""
    kind = KIND_OF_METHOD[request.method]
    if request.fault is not None:
        return request.fault
    if messages.decoded(request.members.get("cursor")) is not None:
        return request.fail(INVALID_PARAMS, "Unknown cursor: the list has one page.")
    for member in (yield from learn_lacking(state, kind)):
        _tell_if_slow(state, member)
    stale = [member for member in state.all if _is_stale(state, member, kind)]
    yield from refresh(stale, kind, _SECONDS)
    yield ReachMembers([member for member in state.all if _is_old(state, member)], seconds=0.0)
    state.claim(kind)
    state.shown[kind] = merging.digest(state, kind)
    return request.answer(merging.list_result(state, kind, is_modern=request.is_modern))


def _is_stale(state: HubState, member: MemberState, kind: Kind) -> bool:
    return member.is_ready and not member.is_current(kind, state.clock())


def _is_old(state: HubState, member: MemberState) -> bool:
    """Return whether a server was not asked for long: then its list may have changed."""
    return member.phase == "idle" and state.clock() - member.known.learnt_at > _DAY


def _tell_if_slow(state: HubState, member: MemberState) -> None:
    if member.is_running and not member.is_reported_down:
        told = f"The server {member.name!r} has not answered yet, so its tools are not listed."
        state.notices.put(f"{'list' if member.is_ready else 'life'} {member.name}", told)


def complete(state: HubState, request: ClientRequest) -> Steps:
    """Complete an argument of a prompt or of a template."""
    reference = messages.members_of(request.members.get("ref", msgspec.UNSET))
    kind: Kind = "resourceTemplates" if "uri" in reference else "prompts"
    key = "uri" if "uri" in reference else "name"
    name = messages.text_of(reference, key) or ""
    found = yield from found_by_name(state, kind, name)
    if found is None and kind == "resourceTemplates":
        holders = holders_of(state, name)  # A resource may be named instead of its template.
        found = holders[0] if len(holders) == 1 else None
    if found is None:
        return request.fail(INVALID_PARAMS, f"Unknown prompt or template: {name}.")
    member, own = found
    told = messages.object_from({**reference, key: encode(own)})
    return (yield from routed(state, request, member, None if own == name else {"ref": told}))


def set_level(state: HubState, request: ClientRequest) -> Steps:
    """Set the log level of all servers. Legacy ones are told, now and whenever one is restarted.
    Modern ones learn it with each request."""
    level = messages.text_of(request.members, "level")
    if level not in LOG_LEVELS:
        told = f"params.level must be one of {', '.join(LOG_LEVELS)}."
        return request.fail(INVALID_PARAMS, told)
    before = state.client.log_level
    state.client.note_level(level)  # Servers that start meanwhile are told it too.
    running = [member for member in state.all if member.is_ready and member.sets_level]
    for member in running:
        member.log_level = level
    params = messages.object_from(request.members)
    answers = yield AskEach(
        [AskMember(member, request.method, params, _SECONDS) for member in running]
    )
    refusals = [answer.error for answer in answers if answer.error is not None]
    if refusals and len(refusals) == len(running):
        state.client.note_level(before)
        return messages.error_response(request.key, bytes(refusals[0]))
    return request.answer(b"{}")


def tasks_list(state: HubState, request: ClientRequest) -> Steps:
    """Join the tasks of all servers that run. A server that does not run has none."""
    if state.only is not None:
        return (yield from routed(state, request, state.only))
    asked = [member for member in state.all if member.can("tasks") and member.is_ready]
    tasks: list[bytes] = []
    for member in filter(state.speaks_to, asked):
        listed = yield from _tasks_of(state, member)
        if isinstance(listed, str):
            told = f"The server {member.name!r} did not list its tasks: {listed.rstrip('.')}."
            state.notices.put(f"tasks {member.name}", told)
        else:
            tasks += listed
    return request.answer(messages.object_from({"tasks": b"[" + b",".join(tasks) + b"]"}))


def _tasks_of(state: HubState, member: MemberState) -> Asking[list[bytes] | str]:
    """Return all tasks of a server, or why they cannot be listed."""
    tasks: list[bytes] = []
    count, cursor = PageCount(), None
    while True:
        params = encode({} if cursor is None else {"cursor": cursor})
        (answer,) = yield AskEach([AskMember(member, "tasks/list", params, _SECONDS)])
        listed = None if answer.result is None else items_in(answer.result, "tasks")
        if listed is None:
            return str(answer.told)
        own = [task for task in listed if not state.note_task(messages.members_of(task), member)]
        tasks += map(bytes, own)
        cursor = messages.text_of(answer.result, "nextCursor")
        wrong = count.add(listed, cursor)
        if wrong or cursor is None:
            return f"the list {wrong}" if wrong else tasks


HANDLERS: Final[Mapping[str, Handler]] = {
    "server/discover": server_discover,
    **dict.fromkeys(KIND_OF_METHOD, list_of),
    "tools/call": partial(by_name, "tools"),
    "prompts/get": partial(by_name, "prompts"),
    "completion/complete": complete,
    "resources/read": resources.read,
    "subscriptions/listen": resources.listen,
}
# The methods that modern requests no longer have.
LEGACY_HANDLERS: Final[Mapping[str, Handler]] = {
    "initialize": initialize,
    "ping": ping,
    "logging/setLevel": set_level,
    "tasks/list": tasks_list,
    "resources/subscribe": resources.subscribe,
    "resources/unsubscribe": resources.unsubscribe,
}


def handler_of(method: str, *, is_modern: bool) -> Handler:
    own = {} if is_modern else LEGACY_HANDLERS
    return own.get(method) or HANDLERS.get(method, elsewhere)
