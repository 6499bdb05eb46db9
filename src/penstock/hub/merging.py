"""The greetings and lists of several servers as those of one."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from penstock._version import __version__
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.disclosure.visibility import is_for_apps_alone, visible_to
from penstock.hub.crossing import tool_to_legacy
from penstock.hub.hub_state import HubState
from penstock.hub.kinds import NAMED_BY, Kind
from penstock.hub.links import widget_of, with_widget
from penstock.hub.member_state import MemberState
from penstock.wire import eras, messages

_LIFETIME: Final = 60_000  # milliseconds, for lists of legacy servers, which announce changes
_LONGEST_TITLE: Final = 100
_ANNOUNCED: Final = ("tools", "prompts", "resources")
_PUBLIC: Final = "public"
_HEADING: Final = re.compile(r"\s*#+\s*server\b", re.IGNORECASE)

Made = dict[str, bytes | msgspec.Raw]


# -- greetings ---------------------------------------------------------------------------------


def greeting(state: HubState) -> bytes:
    """Return the result of `initialize`."""
    asked = state.client.version
    version = asked if asked in eras.LEGACY_VERSIONS else eras.LEGACY_VERSIONS[0]
    return messages.object_from(
        {
            "protocolVersion": encode(version),
            **_said(state),
            "serverInfo": encode(_server_info(state)),
        }
    )


def discovery(state: HubState) -> bytes:
    """Return the result of `server/discover`."""
    versions = [*eras.MODERN_VERSIONS, *eras.LEGACY_VERSIONS]
    stamp: Made = {
        "resultType": encode("complete"),
        "ttlMs": b"0",
        "cacheScope": b'"private"',
        "_meta": messages.object_from({eras.SERVER_META: encode(_server_info(state))}),
    }
    return messages.object_from({"supportedVersions": encode(versions), **_said(state), **stamp})


def _said(state: HubState) -> Made:
    said: Made = {"capabilities": encode(_capabilities(state))}
    instructions = _instructions(state)
    if instructions:
        said["instructions"] = rawjson.string(instructions)
    return said


def _server_info(state: HubState) -> dict[str, Any]:
    if state.only is not None and state.only.known.info:
        return state.only.known.info
    names = ", ".join(state.members)
    title = f"Penstock: {names}"[:_LONGEST_TITLE]
    return {"name": "penstock", "version": __version__, "title": title}


def _capabilities(state: HubState) -> dict[str, Any]:
    """Join what the servers can do. A server that was never seen may be able to do anything, and a
    client cannot learn of a capability later. So all that Penstock can route is declared then."""
    joined: dict[str, Any] = {}
    for member in state.all:
        for name, value in member.capabilities.items():
            if name != "tasks" or member.known.era == state.client.era:
                _join(joined, name, value)
    is_open = any(not member.is_known for member in state.all)
    for name in _ANNOUNCED:
        if is_open or name in joined:
            declared = joined.get(name)
            joined[name] = {**(declared if isinstance(declared, dict) else {}), "listChanged": True}
    if is_open:
        joined["resources"]["subscribe"] = True
        joined = {"logging": {}, "completions": {}, **joined}
    return joined


def _join(joined: dict[str, Any], name: str, value: Any) -> None:
    before = joined.get(name)
    if isinstance(before, dict) and isinstance(value, dict):
        inner = dict(before)
        for key, member in value.items():
            _join(inner, key, member)
        joined[name] = inner
    elif not before:
        joined[name] = value


def _instructions(state: HubState) -> str:
    told = {
        member.name: member.known.instructions for member in state.all if member.known.instructions
    }
    if state.only is not None:
        return told.get(state.only.name, "")
    return "\n\n".join(f"# Server {name}\n{_under_heading(text)}" for name, text in told.items())


def _under_heading(text: str) -> str:
    """Indent the headings in a server's text that look like those of servers: no server can give
    instructions in the name of another."""
    lines = text.splitlines()
    return "\n".join(f"    {line}" if _HEADING.match(line) else line for line in lines)


# -- lists -------------------------------------------------------------------------------------


def list_result(state: HubState, kind: Kind, *, is_modern: bool) -> bytes:
    """Return the lists of all servers as one page, under the client's names."""
    closed = state.closed_to_apps() if kind == "tools" else ()
    items = [
        _common_item(
            state, member, kind, item, is_modern=is_modern, is_closed=member.name in closed
        )
        for member in state.having(kind)
        for item in member.items(kind)
    ]
    made: Made = {kind: b"[" + b",".join(item for item in items if item) + b"]"}
    if is_modern:
        made |= {"resultType": encode("complete"), **_lasting(state, kind)}
        info = encode(_server_info(state))
        made["_meta"] = messages.object_from({eras.SERVER_META: info})
    return messages.object_from(made)


def digest(state: HubState, kind: Kind) -> tuple[bytes, ...]:
    """Return a value that differs if a list of all servers differs."""
    having = state.having(kind)
    return tuple(member.lists[kind].digest for member in having if kind in member.lists)


def _lasting(state: HubState, kind: Kind) -> Made:
    lists = [member.lists[kind] for member in state.having(kind) if kind in member.lists]
    is_all = all(not member.lacks(kind) for member in state.all)
    least = min(
        (known.lifetime for known in lists if known.lifetime is not None), default=_LIFETIME
    )
    is_public = is_all and lists and all(known.scope == _PUBLIC for known in lists)
    scope = _PUBLIC if is_public else "private"
    return {"ttlMs": encode(least if is_all else 0), "cacheScope": encode(scope)}


def _common_item(
    state: HubState,
    member: MemberState,
    kind: Kind,
    item: msgspec.Raw,
    *,
    is_modern: bool,
    is_closed: bool,
) -> bytes:
    """Return one thing of a server under the client's name. Most stay as they are. Return b"" for a
    tool that nobody may call: only apps could, and it is closed to them."""
    members = messages.members_of(item)
    key = NAMED_BY[kind]
    name = messages.text_of(members, key)
    if name is None:
        return bytes(item)
    told: Made = {}
    common = state.names.common(kind, member.name, name)
    if common != name:
        told[key] = rawjson.string(common)
    widget = widget_of(members) if kind == "tools" else None
    if widget is not None:
        page = state.names.common("resources", member.name, widget)
        if page != widget:
            told |= {"_meta": with_widget(members, page)["_meta"]}
    elif is_closed:
        meta = messages.decoded(members.get("_meta"))
        meta = meta if isinstance(meta, dict) else {}
        if is_for_apps_alone(meta):
            return b""
        told["_meta"] = encode(visible_to("model", meta))
    if kind == "tools" and member.era != "legacy" and not is_modern:
        allowed = tool_to_legacy(members)
        if len(allowed) < len(members):
            return messages.object_from({**allowed, **told})
    return messages.object_from({**members, **told}) if told else bytes(item)
