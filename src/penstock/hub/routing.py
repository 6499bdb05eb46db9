"""The way of a client's request to one server, and of the answer back."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

import msgspec

from penstock.core.json import rawjson
from penstock.hub.crossing import (
    cannot_cross,
    error_across,
    params_to_legacy,
    params_to_modern,
    result_to_legacy,
    result_to_modern,
)
from penstock.hub.effects import (
    Asking,
    MemberAnswer,
    PassOn,
    ReachMembers,
    RefreshLists,
    Steps,
)
from penstock.hub.holders import note_links
from penstock.hub.hub_state import ClientRequest, Holder, HubState
from penstock.hub.kinds import NAMED_BY, Kind
from penstock.hub.links import links_in, mentions, result_renamed
from penstock.hub.member_state import MemberState
from penstock.hub.restoring import lacks_level, tell_level
from penstock.wire import messages
from penstock.wire.messages import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    UPSTREAM_GONE,
)

# A call waits so many seconds for a server that is to be started again.
PATIENCE: Final = 5.0
# The first list of a server is waited for so many seconds. If it did not come in an earlier run, it is
# waited for less long: a host gives up on a list that takes long, and would lose all servers.
_LIST_SECONDS: Final = 10.0
_LATE_SECONDS: Final = 1.0
_TASK_ID: Final = b'"taskId"'


def routed(
    state: HubState,
    request: ClientRequest,
    member: MemberState,
    changes: dict[str, bytes] | None = None,
) -> Steps:
    """Send a request to a server, with other values for some of its parameters. Return the answer
    in the client's era and under the client's names."""
    if not member.is_ready:
        yield ReachMembers([member], patience=PATIENCE)
    if not member.is_ready:
        return request.fail(UPSTREAM_GONE, unreachable(member))
    if not state.speaks_to(member):
        if request.fault is not None:
            return request.fault  # The server cannot judge what it does not get.
        if _is_of_tasks(request):
            told = cannot_cross(member.name, "runs tasks")
            return request.fail(METHOD_NOT_FOUND, told)
    if lacks_level(state, member):
        yield from tell_level(state, member)
    answer: MemberAnswer = yield PassOn(member, line_for(state, request, member, changes))
    return answered(state, request, member, answer)


def unreachable(member: MemberState) -> str:
    why = member.reason or "it does not answer"
    told = f"The server {member.name!r} is down: {why.rstrip('.')}."
    if member.is_down_for_good:
        return f"{told} Go on without it."
    return f"{told} It is being started again: try once more in a few seconds, or go on without it."


def _is_of_tasks(request: ClientRequest) -> bool:
    return request.method.startswith("tasks/") or "task" in request.members


def line_for(
    state: HubState,
    request: ClientRequest,
    member: MemberState,
    changes: dict[str, bytes] | None = None,
) -> bytes:
    """Return a request as the server gets it: the same bytes, if nothing about it changes."""
    if not changes and state.speaks_to(member):
        return request.line
    params: dict[str, bytes | msgspec.Raw] = {**request.members, **(changes or {})}
    if not state.speaks_to(member):
        is_modern = member.era == "modern"
        params = (
            params_to_modern(params, state.client.meta()) if is_modern else params_to_legacy(params)
        )
    return messages.request(request.key, request.method, messages.object_from(params))


def answered(
    state: HubState, request: ClientRequest, member: MemberState, answer: MemberAnswer
) -> bytes:
    """Return a server's answer as the client gets it: the same bytes, if nothing about it changes."""
    if answer.message is None:
        return request.fail(UPSTREAM_GONE, answer.why)
    line, result = answer.line, answer.result or {}
    if _TASK_ID in line:
        task = messages.members_of(result.get("task", b"{}"))
        owner = state.note_task(result, member) or state.note_task(task, member)
        if owner:
            return request.fail(INTERNAL_ERROR, _same_task(member, owner))
    renamed = _renamed(state, request, member, line, result)
    is_renamed = bool(renamed) and mentions(line, renamed)
    if state.speaks_to(member) and not is_renamed:
        return line
    if answer.result is None:
        return _error(state, request, member, answer)
    told: dict[str, bytes | msgspec.Raw] = dict(answer.result)
    if is_renamed:
        told = result_renamed(answer.result, renamed)
    if state.speaks_to(member):
        return request.answer(messages.object_from(told))
    if state.client.is_modern:
        return result_to_modern(request.key, told, request.method)
    return result_to_legacy(request.key, told, request.method, member.name)


def _renamed(
    state: HubState,
    request: ClientRequest,
    member: MemberState,
    line: bytes,
    result: Mapping[str, msgspec.Raw],
) -> Mapping[str, str]:
    """Return the client's URIs of the server's resources, where they differ."""
    renamed = state.renamed_uris(member)
    if request.uris:
        renamed = {**renamed, **request.uris}
    links = [uri for uri in links_in(line, result) if uri not in renamed]
    if links and state.only is None:
        renamed = {**renamed, **note_links(state, member, links)}
    return renamed


def _same_task(member: MemberState, owner: str) -> str:
    return (
        f"The server {member.name!r} works on this as a task whose id a task of the server {owner!r} "
        "has too, so its result cannot be fetched."
    )


def _error(
    state: HubState, request: ClientRequest, member: MemberState, answer: MemberAnswer
) -> bytes:
    if answer.error is None or state.speaks_to(member):
        return answer.line
    is_modern = state.client.is_modern
    return error_across(request.key, answer.error, request.method, is_modern=is_modern)


def found_by_name(state: HubState, kind: Kind, name: str) -> Asking[Holder | None]:
    """Return the server that has something of this name, and its own name for it. If nothing has,
    wait for servers whose list was never learnt. The only server gets any name."""
    found = state.find(kind, name)
    if found is None:
        yield from learn_lacking(state, kind)
        found = state.find(kind, name)
    if found is None and state.only is not None:
        return state.only, name
    return found


def learn_lacking(state: HubState, kind: Kind) -> Asking[list[MemberState]]:
    """Wait for servers whose list was never learnt. Return those whose list is still not known."""
    lacking = [member for member in state.all if member.lacks(kind)]
    yield ReachMembers(lacking, seconds=0.0)
    # Nobody waits again for a server that has failed before.
    awaited = [member for member in lacking if not member.is_reported_down]
    late = [member for member in awaited if member.known.was_late]
    yield from _learn_within(state, kind, set(awaited) - set(late), _LIST_SECONDS)
    yield from _learn_within(state, kind, late, _LATE_SECONDS)
    state.claim(kind)
    for member in awaited:
        if member.lacks(kind):
            state.unsaved |= not member.known.was_late
            member.known.was_late = True
    return [member for member in lacking if member.lacks(kind)]


def _learn_within(
    state: HubState, kind: Kind, members: Collection[MemberState], seconds: float
) -> Asking[None]:
    """Wait for the lists of servers, so many seconds from the start of the last server."""
    now = state.clock()
    begun = (member.started_at if member.phase == "starting" else now for member in members)
    until = max(begun, default=now) + seconds
    yield ReachMembers([*members], seconds=_left(state, until))
    ready = [member for member in members if member.is_ready]
    yield from refresh(ready, kind, _left(state, until))


def _left(state: HubState, until: float) -> float:
    return max(0.0, until - state.clock())


def refresh(members: Sequence[MemberState], kind: Kind, seconds: float) -> Asking[None]:
    """Read a list of servers that are ready, and wait. Nobody waits again for a list that does not
    come in time, before its server gives it."""
    yield RefreshLists([member for member in members if kind in member.slow], kind, 0.0)
    yield RefreshLists([member for member in members if kind not in member.slow], kind, seconds)
    for member in members:
        if kind in member.learning:
            member.slow.add(kind)


def by_name(kind: Kind, state: HubState, request: ClientRequest) -> Steps:
    """Send a request to the server that has the tool or prompt of this name."""
    name = messages.text_of(request.members, NAMED_BY[kind])
    if name is None:
        return request.fail(INVALID_PARAMS, f"params.{NAMED_BY[kind]} must be a text.")
    found = state.find(kind, name) or (yield from found_by_name(state, kind, name))
    if found is None:
        return request.fail(INVALID_PARAMS, _unknown(state, kind, name))
    member, own = found
    changes = None if own == name else {NAMED_BY[kind]: rawjson.string(own)}
    return (yield from routed(state, request, member, changes))


def _unknown(state: HubState, kind: Kind, name: str) -> str:
    """Say that nothing has this name, and what it may be called or where it may be."""
    what = kind.removesuffix("s")
    told = f"Unknown {what}: {name}."
    spellings = state.names.spellings(kind, name, state.members)
    if spellings:
        return f"{told} Several servers have it, as {' and '.join(spellings)}."
    away = [member.name for member in state.all if member.lacks(kind)]
    return f"{told} It may belong to a server that is down: {joined(away)}." if away else told


def joined(names: Sequence[str]) -> str:
    return ", ".join(names)


def elsewhere(state: HubState, request: ClientRequest) -> Steps:
    """Send on a request of a method that Penstock does not know. A task names its server."""
    task = messages.text_of(request.members, "taskId")
    member = state.owner_of_task(task or "") or state.only
    if member is not None:
        return (yield from routed(state, request, member))
    if task is not None:
        return request.fail(INVALID_PARAMS, f"Unknown task: {task}.")
    told = f"{request.method} does not say which of the servers it is for, so it reaches none."
    return request.fail(METHOD_NOT_FOUND, told)
