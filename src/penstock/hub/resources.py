"""Resources of several servers: a URI leads back to its server. News of resources reach the client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.hub import merging
from penstock.hub.effects import (
    AskEach,
    Asking,
    AskMember,
    FollowResources,
    MemberAnswer,
    ReachMembers,
    SendToClient,
    Steps,
)
from penstock.hub.holders import holders_of
from penstock.hub.hub_state import ClientRequest, Holder, HubState, NewsStream
from penstock.hub.kinds import CHANGED, KINDS, LISTENED
from penstock.hub.member_state import MemberState
from penstock.hub.routing import PATIENCE, answered, joined, line_for, routed
from penstock.wire import eras, messages
from penstock.wire.messages import INVALID_PARAMS, RESOURCE_NOT_FOUND

_SECONDS: Final = 10.0
_SECONDS_IF_SLOW: Final = 1.0
_SUBSCRIPTIONS: Final = "resourceSubscriptions"
_ACKNOWLEDGED: Final = "notifications/subscriptions/acknowledged"
_UPDATED: Final = "notifications/resources/updated"


def read(state: HubState, request: ClientRequest) -> Steps:
    uri = messages.text_of(request.members, "uri")
    if uri is None:
        return request.fail(INVALID_PARAMS, "params.uri must be a text.")
    holders = holders_of(state, uri)
    if len(holders) == 1:
        return (yield from _routed_to(state, request, uri, holders[0]))
    return (yield from _read_from_any(state, request, uri, holders))


def _routed_to(state: HubState, request: ClientRequest, uri: str, holder: Holder) -> Steps:
    member, own = holder
    if own == uri:
        return (yield from routed(state, request, member))
    request.uris = {own: uri}
    return (yield from routed(state, request, member, {"uri": rawjson.string(own)}))


def _read_from_any(
    state: HubState, request: ClientRequest, uri: str, holders: Sequence[Holder]
) -> Steps:
    """Ask all servers that may have a resource. It must be one alone that has it."""
    if request.fault is not None:
        return request.fault  # No server gets the request itself.
    # Nobody waits for a server that hangs whenever it is started again.
    awaited = [
        member
        for member, _ in holders
        if not (member.phase == "starting" and member.is_reported_down)
    ]
    yield ReachMembers(awaited, seconds=_SECONDS, patience=PATIENCE)
    asked = [(member, own) for member, own in holders if member.is_ready]
    found = yield from _found_at(state, request, asked)
    if len(found) == 1:
        member, own, answer = found[0]
        if own == uri:
            member.links.put(uri, uri)
        else:
            request.uris = {own: uri}
        line = request.answer(messages.object_from(answer.result or {}))  # it has our own id
        return answered(state, request, member, msgspec.structs.replace(answer, line=line))
    if found:
        names = joined([member.name for member, _, _ in found])
        told = f"Several servers have the resource {uri}: {names}. Ask one of them by a URI in its list."
        return request.fail(INVALID_PARAMS, told)
    away = [member.name for member, _ in holders if not member.is_ready]
    told = f"Resource not found: {uri}."
    if away:
        told += f" It may belong to a server that is down: {joined(away)}."
    return request.fail(INVALID_PARAMS if request.is_modern else RESOURCE_NOT_FOUND, told)


def _found_at(
    state: HubState, request: ClientRequest, asked: Sequence[Holder]
) -> Asking[list[tuple[MemberState, str, MemberAnswer]]]:
    """Ask servers for a resource. Return those that have it. A server that did not answer the last such
    question is not waited for as long."""
    answers: Sequence[MemberAnswer] = yield AskEach(
        [_ask(state, request, member, own) for member, own in asked]
    )
    found = []
    for (member, own), answer in zip(asked, answers, strict=True):
        member.is_slow_to_read = answer.message is None
        if answer.result is not None:
            found.append((member, own, answer))
    return found


def _ask(state: HubState, request: ClientRequest, member: MemberState, own: str) -> AskMember:
    line = line_for(state, request, member, {"uri": rawjson.string(own)})
    params = messages.members_of(messages.members_of(line)["params"])
    named = eras.own_params(
        messages.members_of(params.get("_meta", b"{}")), uri=rawjson.string(own)
    )
    seconds = _SECONDS_IF_SLOW if member.is_slow_to_read else _SECONDS
    return AskMember(member, request.method, named, seconds)


# -- news --------------------------------------------------------------------------------------


def subscribe(state: HubState, request: ClientRequest) -> Steps:
    return (yield from _subscribed(state, request, 1))


def unsubscribe(state: HubState, request: ClientRequest) -> Steps:
    return (yield from _subscribed(state, request, -1))


def _subscribed(state: HubState, request: ClientRequest, change: int) -> Steps:
    uri = messages.text_of(request.members, "uri")
    if uri is None:
        return request.fail(INVALID_PARAMS, "params.uri must be a text.")
    holders = holders_of(state, uri)
    if len(holders) != 1:
        told = f"Unknown resource: {uri}. Read it first, so that its server is known."
        return request.fail(INVALID_PARAMS, told)
    member, own = holders[0]
    yield ReachMembers([member], patience=PATIENCE)
    is_change = (own in member.subscribed) != (change > 0)  # a legacy client subscribes only once
    if member.era == "modern":
        if is_change:
            member.want(own, uri, change)
            yield FollowResources(member)
        return request.answer(b"{}")
    answer = yield from _routed_to(state, request, uri, holders[0])
    if is_change and messages.read_message(answer).error is msgspec.UNSET:
        member.want(own, uri, change)
        member.followed = set(member.subscribed)
    return answer


def listen(state: HubState, request: ClientRequest) -> Steps:
    """Open a stream of news. It has no answer before it ends."""
    if request.fault is not None:
        return request.fault
    wanted = [
        (member, own, uri) for uri in uris_of(request) for member, own in holders_of(state, uri)
    ]
    holders = [(member, own) for member, own, _ in wanted]
    state.streams[request.key] = NewsStream(request, holders)
    for kind in KINDS:
        if wants(request, CHANGED[kind]):  # the client needs no list to hear of changes
            state.shown.setdefault(kind, merging.digest(state, kind))
    yield SendToClient(_acknowledgement(request))
    for member, own, uri in wanted:
        member.want(own, uri, 1)
    members = list(dict.fromkeys(member for member, _ in holders))
    yield ReachMembers(members, seconds=0.0)  # One that starts later is told then.
    for member in members:
        yield FollowResources(member)
    return b""


def stop_listening(state: HubState, key: bytes) -> list[MemberState]:
    """End a stream of news, if there is one. Return the servers from which less is wanted now."""
    stream = state.streams.pop(key, None)
    if stream is None:
        return []
    for member, own in stream.holders:
        member.want(own, "", -1)
    return list(dict.fromkeys(member for member, _ in stream.holders))


def uris_of(request: ClientRequest) -> list[str]:
    listed = _filter_of(request).get(_SUBSCRIPTIONS)
    return [uri for uri in listed if isinstance(uri, str)] if isinstance(listed, list) else []


def wants(request: ClientRequest, method: str) -> bool:
    """Return whether a stream asks for this notification."""
    return _filter_of(request).get(LISTENED[method]) is True


def _filter_of(request: ClientRequest) -> Mapping[str, Any]:
    found = messages.decoded(request.members.get("notifications"))
    return found if isinstance(found, dict) else {}


def _acknowledgement(request: ClientRequest) -> bytes:
    known = {*LISTENED.values(), _SUBSCRIPTIONS}
    honoured = {name: value for name, value in _filter_of(request).items() if name in known}
    return for_stream(request, _ACKNOWLEDGED, {"notifications": encode(honoured)})


def for_stream(
    request: ClientRequest, method: str, params: Mapping[str, bytes | msgspec.Raw]
) -> bytes:
    """Return a notification for a stream of news."""
    meta = messages.object_from(
        {**messages.members_of(params.get("_meta", b"{}")), eras.SUBSCRIPTION_META: request.key}
    )
    return messages.notification(method, messages.object_from({**params, "_meta": meta}))


def updated(state: HubState, member: MemberState, params: Mapping[str, msgspec.Raw]) -> list[bytes]:
    """Return what the client gets when a server says that a resource has changed."""
    own = messages.text_of(params, "uri")
    if own is None:
        return []
    common = member.client_uris.get(own) or state.names.common("resources", member.name, own)
    holder = state.find("resources", common)
    if holder is not None and holder[0] is not member:
        return []  # No server can tell news of another's.
    meta = {
        name: value
        for name, value in messages.members_of(params.get("_meta", b"{}")).items()
        if name != eras.SUBSCRIPTION_META
    }
    told: dict[str, bytes | msgspec.Raw] = {**params, "uri": rawjson.string(common)}
    told.pop("_meta", None)
    if meta:
        told["_meta"] = messages.object_from(meta)
    if not state.client.is_modern:
        return [messages.notification(_UPDATED, messages.object_from(told))]
    streams = [one.request for one in state.streams.values() if common in uris_of(one.request)]
    return [for_stream(request, _UPDATED, told) for request in streams]
