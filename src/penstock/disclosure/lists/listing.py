"""A list of tools, and the terms on which it is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final, Literal

import msgspec

from penstock.core.budget.budget import Budget
from penstock.core.budget.estimate import EstimateMeter
from penstock.core.budget.measure import Meter
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.lists.host_parts import counted_list
from penstock.disclosure.programs import ProgramTool

# `short` is what `auto` gives if every tool has its parameters, and some have fewer words than the
# server's own list. `programs` is what the setting `programs` gives with `only`.
Form = Literal["full", "short", "signatures", "brief", "index", "programs"]


# The estimate is never too low, and at most so many times too high. What a list tells depends on it
# alone, so that a larger budget never makes a list tell less.
ESTIMATE: Final = EstimateMeter()
_MOST_TOO_HIGH: Final = 1.5
_SMALL: Final = 1_000  # by the estimate: about 750 tokens of o200k


class Listing(msgspec.Struct, frozen=True):
    """A list of tools, and its listing form."""

    form: Form
    tools: Sequence[bytes]
    # The names of the tools that find, describe and call others, or run programs, by role.
    own: Mapping[str, str] = {}
    in_full: frozenset[str] | None = None  # tools with all that a call needs; None: every tool
    has_outputs: bool = False  # output schemas are listed too
    is_over: bool = False  # over the budget (not measured if the settings ask for `full`)

    def says_all_of(self, tool: str) -> bool:
        return self.in_full is None or tool in self.in_full

    def role_of(self, name: str) -> str:
        """Return the role of a tool in `own`, or ""."""
        return next((role for role, known in self.own.items() if known == name), "")


def is_small(tools: Sequence[bytes]) -> bool:
    """Return whether a server's own list is so short that hiding a part of it saves nothing worth
    a call."""
    return not ESTIMATE.exceeds(counted_list(tools).decode(), _SMALL)


class Terms(msgspec.Struct, frozen=True):
    """The terms on which a list is made."""

    budget: Budget  # of the whole list
    meter: Meter
    ours: tuple[bytes, ...] = ()  # Penstock's tools that every form lists
    around: bytes = b""  # the other members of the result
    always: tuple[str, ...] = ()  # patterns of tools that every form lists in full
    has_apps: bool = False  # the client shows apps, and needs their tools
    about: str = ""  # the server's name, and its purpose in a few words
    called: frozenset[str] = frozenset()  # tools that were called before, and so tell more
    in_index: tuple[ProgramTool, ...] = ()  # Penstock's tools that only an index lists
    has_programs: bool = False  # a tool that runs programs is among `ours`

    def fits(self, tools: Iterable[bytes]) -> bool:
        """Return whether a list is within the budget. If a cautious estimate says so, nothing is
        counted exactly: the tokenizer loads more slowly than most servers start."""
        counted = self._counted(tools)
        return self.budget.admits(counted, ESTIMATE) or self.budget.admits(counted, self.meter)

    def is_cheaper(self, tools: Iterable[bytes], others: Iterable[bytes]) -> bool:
        """Return whether a list has fewer tokens than another, by estimate if that is certain."""
        texts = [self._counted(each).decode() for each in (tools, others)]
        fewer, more = map(ESTIMATE.count, texts)
        return fewer * _MOST_TOO_HIGH < more or self.meter.count(texts[0]) < self.meter.count(
            texts[1]
        )

    def within(self, tokens: int) -> Terms:
        """Return the same terms for a list of at most so many tokens."""
        most = tokens if self.budget.tokens is None else min(tokens, self.budget.tokens)
        return msgspec.structs.replace(self, budget=replace(self.budget, tokens=most))

    def is_always_full(self, tool: DescribedTool) -> bool:
        return any(fnmatchcase(tool.name, pattern) for pattern in self.always)

    def _counted(self, tools: Iterable[bytes]) -> bytes:
        return counted_list([*tools, *self.ours], self.around)
