"""The cap on members for hosts and users: `_meta` and icons.

Models do not see them, so no budget counts them. A host still has to read them, so each result and
each list of tools has a cap for all of them together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from penstock.core.json.encoding import encode
from penstock.core.model.reply import HOST_MEMBERS
from penstock.core.model.values import Result

HOST_MEMBERS_CAP: Final = 256_000
# The member of `_meta` that counts what was left out.
LEFT_OUT_META: Final = "dev.penstock/left_out"


class HostShare:
    """The room for members for hosts in one message, and the count of those that found none."""

    def __init__(self) -> None:
        self._room = HOST_MEMBERS_CAP
        self._members = 0
        self._bytes = 0

    @property
    def left_out(self) -> dict[str, int]:
        """The number and the bytes of the members that were left out, or {}."""
        if not self._members:
            return {}
        return {"host_members": self._members, "host_bytes": self._bytes}

    def takes(self, size: int) -> bool:
        """Return whether there is room for a member of this many bytes, and count it."""
        if size <= self._room:
            self._room -= size
            return True
        self._members += 1
        self._bytes += size
        return False

    def part_of(self, members: Mapping[str, Any]) -> dict[str, Any]:
        """Return those members for which there is room."""
        return {name: value for name, value in members.items() if self.takes(len(encode(value)))}


def within_cap(result: Result) -> Result:
    """Return a result without the members for hosts that exceed the cap. Its `_meta` counts them.

    Extensions of the result share the cap, because they are kept in the same place. A result within
    the cap is returned as it is.
    """
    has_members = result.meta or result.members
    if not has_members and not any(map(_has_host_members, result.content)):
        return result
    share = HostShare()
    meta = share.part_of(result.meta)
    content = [_block_within(share, block) for block in result.content]
    members = share.part_of(result.members)
    if not share.left_out:
        return result
    meta[LEFT_OUT_META] = share.left_out
    return replace(result, content=content, meta=meta, members=members)


def _has_host_members(block: Mapping[str, Any]) -> bool:
    resource = block.get("resource")
    inner = resource.keys() if isinstance(resource, Mapping) else ()
    return not {*block, *inner}.isdisjoint(HOST_MEMBERS)


def _block_within(share: HostShare, block: Mapping[str, Any]) -> Mapping[str, Any]:
    if not _has_host_members(block):
        return block
    kept = {
        name: value
        for name, value in block.items()
        if name not in HOST_MEMBERS or share.takes(len(encode(value)))
    }
    if isinstance(kept.get("resource"), Mapping):
        kept["resource"] = _block_within(share, kept["resource"])
    return kept
