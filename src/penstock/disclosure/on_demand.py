"""Replies to `find_tools` and `describe_tools`, and the gate for tools that are not listed in full.

The rules are in this one place. The caller passes in what it knows of a request
(`DisclosureAnswers`), and puts the returned bytes where its protocol wants them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec

from penstock.disclosure import checking
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.describe_tools import (
    DescribeContext,
    DescribedReply,
    Selection,
    StoppedCall,
    described,
    description_brought,
    description_required,
)
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.discloser import Audience, Discloser
from penstock.disclosure.grants import GRANT_FIELD, Holder
from penstock.disclosure.lists.listing import Listing
from penstock.disclosure.names import CALL, CALL_READ_ONLY, DESCRIBE
from penstock.disclosure.problems import problem
from penstock.disclosure.search.find_tools import MOST_FOUND, Finder
from penstock.errors import StoreError
from penstock.log import logger

WRITTEN_AS: Final = ("json", "python")
_KEPT: Final = 32
_PASS_IT_ON: Final = f"Add {GRANT_FIELD} to the arguments of the call."


def _forget(_whole: bytes) -> dict[str, Any]:
    return {}


class DisclosureAnswers(msgspec.Struct, frozen=True):
    """The answers about tools that one request can get."""

    discloser: Discloser
    catalogue: Catalogue
    listing: Listing
    audience: Audience
    holder: Holder
    fits: Callable[[bytes], bool]  # whether a reply is within its budget on the wire
    # Stores a description that is too large for any reply, and returns how to read it in parts.
    keep: Callable[[bytes], dict[str, Any]] = _forget
    reader: str = ""  # the name of the tool that reads stored descriptions

    @property
    def gate(self) -> str:
        return self.discloser.gate_for(self.audience)

    @property
    def ours(self) -> frozenset[str]:
        """The names of Penstock's own tools."""
        return frozenset({*self.listing.own.values(), self.reader})

    def find(self, query: str, limit: int = MOST_FOUND) -> bytes:
        return _finder(self.catalogue).found(query, self.fits, limit)

    def describe(
        self,
        selection: Selection,
        *,
        is_tool: bool,
        is_whole: bool = False,
        written_as: object = None,
    ) -> DescribedReply:
        """Return the descriptions, and grant calls of the tools that they describe. `written_as` is
        what the agent asked for: schemas, or functions of Python."""
        written = written_as or ("python" if self.listing.form == "programs" else "json")
        if written not in WRITTEN_AS:
            step = f"as may be {' or '.join(WRITTEN_AS)}."
            wrong = problem(self.fits, "Tools cannot be described as {}.", step, str(written))
            return DescribedReply(wrong, is_error=True)
        more = {f"${name}": told for name, told in self._to_show().items()}
        ask = DescribeContext(
            self.catalogue,
            self.fits,
            self.keep,
            more,
            self.ours,
            is_tool,
            is_whole,
            is_python=written == "python",
        )
        told = described(selection, ask)
        self._grant(told.tools)
        return told

    def refusal(self, tool: DescribedTool, arguments: Mapping[str, Any] | None) -> bytes:
        """Return the answer to a call that may not run yet, or nothing if it may run. If the
        arguments cannot be read (`None`), `teach` leaves the call to upstream."""
        if self.gate == "off" or self.listing.says_all_of(tool.name):
            return b""
        if self.gate == "strict":
            return self._insisted(tool)
        return b"" if arguments is None else self._taught(tool, arguments)

    def _taught(self, tool: DescribedTool, arguments: Mapping[str, Any]) -> bytes:
        wrong = checking.fault(tool, arguments)
        if not wrong or self._is_granted(tool):
            return b""
        self._grant([tool.name])
        missing = self._missing(tool, f"Invalid arguments: {wrong}")
        return description_brought(missing, self.fits, self.keep)

    def _insisted(self, tool: DescribedTool) -> bytes:
        if self._is_granted(tool):
            return b""
        why = "Read the description of this tool before you call it."
        if self.holder.handle:
            why += f" If you did, add the {GRANT_FIELD} that came with it to the arguments."
        return description_required(self._missing(tool, why), self.fits)

    def _missing(self, tool: DescribedTool, why: str) -> StoppedCall:
        own = self.listing.own
        role = CALL_READ_ONLY if tool.is_read_only else CALL
        through = f" through {own[role]}" if role in own else ""
        shown = f", and with {GRANT_FIELD}" if self._to_show() else ""
        again = f"Call the tool again{through}, with arguments as described{shown}."
        return StoppedCall(tool, why, own.get(DESCRIBE, DESCRIBE), again, self._to_show())

    def _to_show(self) -> dict[str, Any]:
        """Return the grant handle that an unknown agent must show with its next call, if any."""
        if not self.holder.handle or self.gate == "off":
            return {}
        return {GRANT_FIELD: self.holder.handle, "next_step": _PASS_IT_ON}

    def _is_granted(self, tool: DescribedTool) -> bool:
        """Return whether the agent holds a grant. If the store fails, assume that it does: the gate
        improves calls, and protects nothing."""
        try:
            return self.discloser.grants.is_granted(self.holder.id, tool.name)
        except StoreError as error:
            logger().warning("the gate lets a call through, because the store failed: %s", error)
            return True

    def _grant(self, tools: Iterable[str]) -> None:
        if self.gate == "off":
            return
        try:
            self.discloser.grants.grant(self.holder.id, tools)
        except StoreError as error:
            logger().warning("no grant was stored: %s", error)


@lru_cache(maxsize=_KEPT)
def _finder(catalogue: Catalogue) -> Finder:
    """Return the search of a catalogue, which all its users share."""
    return Finder(catalogue)
