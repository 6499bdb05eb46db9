"""The greeting of one server, in the client's era if the server speaks it, or else in the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from penstock.hub.client_state import ClientState
from penstock.hub.effects import AskEach, AskMember, MemberAnswer, Steps, TellMember
from penstock.hub.member_state import Era, MemberState
from penstock.wire import eras, messages
from penstock.wire.server_info import repeated_info
from penstock.wire.upstream_state import capabilities_in

_SECONDS: Final = 60.0
# A legacy server may ignore a request that it does not know, and clients wait meanwhile.
_SECONDS_FOR_A_TRY: Final = 5.0
_LONGEST_INSTRUCTIONS: Final = 20_000
_INITIALIZED: Final = messages.notification("notifications/initialized", b"{}")


def greet(client: ClientState, member: MemberState) -> Steps:
    """Learn a server's era, and what it can do. Return why it cannot be used, or b""."""
    methods = list(_WAYS)
    if client.is_modern and member.known.only != "legacy":
        methods.reverse()
    if member.ended_at == methods[0] and member.known.era != _ERAS[methods[0]]:
        methods.reverse()  # Some servers end at the greeting of the other era.
        member.refused.add(_ERAS[member.ended_at])
    refusals = []
    for method in methods:
        member.greeted_with = method
        refusals.append((yield from _WAYS[method](client, member)))
        if not (refusals[-1] and member.is_running):
            break
    if refusals[-1] and member.is_running and member.refused == {_ERAS[methods[-1]]}:
        # It was too slow for the first question, as when npx had to install it, and refused the second.
        member.greeted_with = methods[0]
        refusals.append((yield from _WAYS[methods[0]](client, member)))
    if refusals[-1]:
        return refusals[0]
    is_only = bool(member.refused - {member.era})
    member.known.only = member.era if is_only or member.known.only == member.era else ""
    return b""


def _discover(client: ClientState, member: MemberState) -> Steps:
    params = messages.object_from({"_meta": messages.object_from(client.meta())})
    seconds = _SECONDS if member.known.era == "modern" else _SECONDS_FOR_A_TRY
    (answer,) = yield AskEach([AskMember(member, "server/discover", params, seconds)])
    if answer.result is None:
        return _refusal(member, "modern", answer)
    member.era, member.version = "modern", eras.MODERN_VERSIONS[0]
    _note(member, answer.result, repeated_info(answer.result))
    return b""


def _initialize(client: ClientState, member: MemberState) -> Steps:
    params = client.initialize_params()
    (answer,) = yield AskEach([AskMember(member, "initialize", params, _SECONDS)])
    if answer.result is None:
        return _refusal(member, "legacy", answer)
    member.era = "legacy"
    member.version = messages.text_of(answer.result, "protocolVersion") or ""
    _note(member, answer.result, messages.decoded(answer.result.get("serverInfo")))
    yield TellMember(member, _INITIALIZED)
    return b""


_ERAS: Final[Mapping[str, Era]] = {"initialize": "legacy", "server/discover": "modern"}
_WAYS: Final[Mapping[str, Callable[[ClientState, MemberState], Steps]]] = {
    "initialize": _initialize,
    "server/discover": _discover,
}


def _refusal(member: MemberState, era: Era, answer: MemberAnswer) -> bytes:
    """Return why a server was not greeted. One that was slow may speak the era all the same."""
    if answer.message is not None:
        member.refused.add(era)
    return answer.told.encode("utf-8", "replace") or b"it refused the greeting"


def _note(member: MemberState, said: Mapping[str, msgspec.Raw], info: object) -> None:
    known = member.known
    known.era = member.era
    known.capabilities = member.greeted = capabilities_in(dict(said))
    known.info = info if isinstance(info, dict) else {}
    known.instructions = (messages.text_of(said, "instructions") or "")[:_LONGEST_INSTRUCTIONS]
