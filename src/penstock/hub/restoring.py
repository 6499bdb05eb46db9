"""The log level and the subscriptions of a server, which it must be told whenever it is started."""

from __future__ import annotations

from typing import Final

from penstock.core.json.encoding import encode
from penstock.hub.client_state import ClientState
from penstock.hub.effects import AskEach, Asking, AskMember, FollowResources, Steps
from penstock.hub.hub_state import HubState
from penstock.hub.member_state import MemberState
from penstock.wire import messages

_SECONDS: Final = 30.0
_SECONDS_FOR_LEVEL: Final = 5.0  # a call may wait for this


def restore(state: HubState, member: MemberState) -> Steps:
    if lacks_level(state, member):
        yield from tell_level(state, member)
    yield FollowResources(member)
    return b""


def lacks_level(state: HubState, member: MemberState) -> bool:
    """Return whether a legacy server was not told the log level. A modern client names the level with
    each request."""
    return member.sets_level and state.client.wanted_level not in ("", member.log_level)


def tell_level(state: HubState, member: MemberState) -> Asking[None]:
    member.log_level = level = state.client.wanted_level
    params = encode({"level": level})
    yield AskEach([AskMember(member, "logging/setLevel", params, _SECONDS_FOR_LEVEL)])


def follow(member: MemberState) -> Steps:
    """Subscribe at a legacy server to the resources that clients want news of, and to no others."""
    more = member.subscribed.keys() - member.followed
    less = member.followed - member.subscribed.keys()
    member.followed = set(member.subscribed)
    yield AskEach(
        [
            *(_subscription(member, "resources/subscribe", uri) for uri in sorted(more)),
            *(_subscription(member, "resources/unsubscribe", uri) for uri in sorted(less)),
        ]
    )
    return b""


def _subscription(member: MemberState, method: str, uri: str) -> AskMember:
    return AskMember(member, method, encode({"uri": uri}), _SECONDS)


def listening_params(client: ClientState, member: MemberState) -> bytes:
    """Return the parameters of the stream in which a modern server tells its news."""
    wanted = encode(member.listens_for)
    return messages.object_from(
        {"notifications": wanted, "_meta": messages.object_from(client.meta())}
    )
