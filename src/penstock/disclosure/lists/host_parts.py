"""Icons and `_meta` in lists of tools: hosts and users see them, models do not.

So the list budget does not count them. They have a cap of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from penstock.core.budget.host_members import HostShare
from penstock.core.json import rawjson
from penstock.core.model.reply import HOST_MEMBERS

_QUOTED: Final = tuple(b'"%b"' % name.encode() for name in HOST_MEMBERS)
_MEMBERS: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
Members = dict[str, msgspec.Raw]
# A part of a tool for hosts: its member, and its key within `_meta`.
_Part = tuple[str, str]


def counted_list(tools: Sequence[bytes], around: bytes = b"") -> bytes:
    """Return the part of a `tools/list` result that counts against the list budget. `around` holds
    its other members, each preceded by a comma."""
    return b'{"tools":[' + b",".join(map(counted_tool, tools)) + b"]" + around + b"}"


def counted_tool(tool: bytes) -> bytes:
    """Return the part of a tool that counts."""
    members = _members_of(tool)
    if members.keys().isdisjoint(HOST_MEMBERS):
        return tool
    return _joined({name: raw for name, raw in members.items() if name not in HOST_MEMBERS})


def tools_within_cap(tools: Sequence[bytes], share: HostShare) -> Sequence[bytes]:
    """Return the tools without the icons and the `_meta` that exceed the cap.

    The parts that clients need most come first: `ui`, then the rest of `_meta`, then icons.
    """
    opened = [_members_of(tool) for tool in tools]
    left_out: set[tuple[int, _Part]] = set()
    for is_next in _BY_NEED:
        for place, members in enumerate(opened):
            for part, size in _parts(members).items():
                if is_next(part) and not share.takes(size):
                    left_out.add((place, part))
    places = {place for place, _ in left_out}
    return [
        _without(opened[place], [part for at, part in left_out if at == place])
        if place in places
        else tool
        for place, tool in enumerate(tools)
    ]


_BY_NEED: Final[tuple[Callable[[_Part], bool], ...]] = (
    lambda part: part == ("_meta", "ui"),
    lambda part: part[0] == "_meta" and part[1] != "ui",
    lambda part: part[0] == "icons",
)


def _parts(members: Members) -> dict[_Part, int]:
    """Return the bytes of each part of a tool that is for hosts."""
    found: dict[_Part, int] = {}
    if "icons" in members:
        found["icons", ""] = len(bytes(members["icons"]))
    if "_meta" in members:
        inner = _members_of(bytes(members["_meta"]), is_tool=False)
        found |= {("_meta", name): len(bytes(raw)) for name, raw in inner.items()}
        if not inner:
            found["_meta", ""] = len(bytes(members["_meta"]))
    return found


def _without(members: Members, parts: Sequence[_Part]) -> bytes:
    kept = dict(members)
    if ("icons", "") in parts:
        del kept["icons"]
    keys = {key for name, key in parts if name == "_meta"}
    if keys:
        inner = _members_of(bytes(members["_meta"]), is_tool=False)
        rest = {name: raw for name, raw in inner.items() if name not in keys}
        kept["_meta"] = msgspec.Raw(_joined(rest))
    return _joined(kept)


def _members_of(table: bytes, *, is_tool: bool = True) -> Members:
    """Return the members of an object, undecoded, or {} for anything else and for a tool that has
    none for hosts. Decoding each tool would slow every list."""
    if is_tool and not any(name in table for name in _QUOTED):
        return {}
    try:
        return _MEMBERS.decode(table)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        squeezed = rawjson.squeezed(table)
        found = rawjson.members(squeezed) if squeezed.startswith(b"{") else ()
        return {member.name: msgspec.Raw(member.value) for member in found}
    except ValueError:
        return {}


def _joined(members: Mapping[str, msgspec.Raw]) -> bytes:
    parts = (rawjson.string(name) + b":" + bytes(raw) for name, raw in members.items())
    return b"{" + b",".join(parts) + b"}"
