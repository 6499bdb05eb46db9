"""What a tool of a site is, whether a function or a view, and how it is listed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

from penstock.core.json.encoding import encode
from penstock.core.model.values import LiveWindow, Mode
from penstock.core.protocol.schema import (
    NEGOTIATION_FIELDS,
    first_call_note,
    merge_input_schema,
    owned_fields,
    required_arguments,
)
from penstock.core.views.request import TOKEN_FIELD
from penstock.disclosure.checking import fault
from penstock.disclosure.described_tool import DescribedTool
from penstock.django.callers import Caller
from penstock.django.tiers import Tier
from penstock.wire.marks import KEYWORD, REQUIRED, Mark, new_mark
from penstock.wire.request import InsideResult

_HEAVY_NOTE: Final = (
    f"Large: answers with a little of it, its size, and a {TOKEN_FIELD} for the rest."
)


class Runs(Protocol):
    """What does the work of a tool."""

    def ask(self, caller: Caller) -> None:
        """Raises what refuses the caller, as far as that does not depend on arguments."""

    def may_read(self, caller: Caller, origin: Any) -> bool:
        """Whether he may still read what a call with this origin gave."""

    def run(self, arguments: Mapping[str, Any], caller: Caller) -> InsideResult:
        """What it gives, as values."""

    def window(self, reference: Any, start: int, stop: int, caller: Caller) -> LiveWindow:
        """Rows of a live result of its own."""


@dataclass(frozen=True)
class SiteTool:
    """`schema` is what it takes itself; `heavy` are its settings, where it is, and `modes` what its
    results can then be looked at in. `is_destructive` and `is_idempotent` are for hosts, which ask
    people before what can do harm."""

    name: str
    description: str
    schema: Mapping[str, Any]
    tier: Tier
    runs: Runs
    heavy: Mapping[str, Any] | None = None
    is_destructive: bool = False
    is_idempotent: bool = False
    modes: tuple[str, ...] = tuple(Mode)
    where: str = ""  # for people: what it leads to

    def is_exposed(self, caller: Caller) -> bool:
        """To this caller, as far as tiers go."""
        return caller.tier is not None and self.tier <= caller.tier

    def may(self, caller: Caller) -> bool:
        """Whether he may use it, or at least may not be refused before he has said for what."""
        if not self.is_exposed(caller):
            return False
        return caller.may(self.name, lambda: self.runs.ask(caller)) is not False

    def fault(self, arguments: Mapping[str, Any]) -> str:
        """What is wrong with the arguments, in words; nothing where they are in order."""
        return fault(self._described, arguments)

    @cached_property
    def _described(self) -> DescribedTool:
        return DescribedTool(self.name, encode({"name": self.name, "inputSchema": self.schema}))

    @cached_property
    def mark(self) -> Mark | None:
        """Known as long as the tool is; see `penstock.wire.marks`."""
        if self.heavy is None:
            return None
        own = owned_fields(self.schema)
        is_merged = TOKEN_FIELD not in own
        added = tuple(name for name in NEGOTIATION_FIELDS if name not in own) if is_merged else ()
        return new_mark(added=added, settings=self.heavy, is_merged=is_merged)

    @cached_property
    def listed(self) -> bytes:
        """As it stands in the server's own list, before anything is put in brief."""
        is_read = self.tier is Tier.READ
        annotations = {"readOnlyHint": is_read, "openWorldHint": False}
        if not is_read:
            annotations |= {
                "destructiveHint": self.is_destructive,
                "idempotentHint": self.is_idempotent,
            }
        notes = (self.description, _HEAVY_NOTE if self.heavy is not None else "")
        return encode(
            {
                "name": self.name,
                "description": " ".join(filter(None, notes)),
                "inputSchema": self._advertised(),
                "annotations": annotations,
            }
        )

    def _advertised(self) -> Mapping[str, Any]:
        mark = self.mark
        if mark is None or not mark.is_merged:
            return self.schema
        merged = merge_input_schema(self.schema)
        properties = merged["properties"]
        token = properties[TOKEN_FIELD]
        note = first_call_note(self.schema)
        token["description"] = f"{token['description']} {note}".strip()
        token[KEYWORD] = mark.key
        for name in required_arguments(self.schema):
            properties[name] = {**properties.get(name, {}), KEYWORD: REQUIRED}
        if "mode" in mark.added:
            properties["mode"]["enum"] = list(self.modes)
        return merged
