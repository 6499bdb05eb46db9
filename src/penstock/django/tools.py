"""A tool of a site, whether a function or a view, and how it is listed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

from penstock.core.json.encoding import encode
from penstock.core.model.values import LiveWindow
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

_HEAVY_NOTE: Final = f"Large: answers with a preview, its size, and a {TOKEN_FIELD} for the rest."


class ToolTexts(Protocol):
    """The description of a tool and the schema of its arguments, which may be made on first use."""

    @property
    def description(self) -> str: ...

    @property
    def schema(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class GivenTexts:
    """The texts of a function's tool, which its author has given."""

    description: str
    schema: Mapping[str, Any]


class Runs(Protocol):
    """The work behind a tool."""

    def ask(self, caller: Caller) -> None:
        """Raise a refusal of the caller that does not depend on arguments."""

    def may_read(self, caller: Caller, origin: Any) -> bool:
        """Return whether the caller may still read the result of a call with this origin."""

    def run(self, arguments: Mapping[str, Any], caller: Caller) -> InsideResult:
        """Run the tool."""

    def window(self, reference: Any, start: int, stop: int, caller: Caller) -> LiveWindow:
        """Return some rows of one of the tool's live results."""


@dataclass(frozen=True)
class SiteTool:
    """A tool of a site."""

    name: str
    texts: ToolTexts
    tier: Tier
    runs: Runs
    heavy: Mapping[str, Any] | None = None  # the settings of a heavy tool
    is_destructive: bool = False  # for hosts, which ask users before a harmful call
    is_idempotent: bool = False  # for hosts, too
    modes: tuple[str, ...] = ()  # of a heavy tool's results
    where: str = ""  # the function or endpoint, for people
    path: str = ""  # of the endpoint

    @property
    def description(self) -> str:
        return self.texts.description

    @property
    def schema(self) -> Mapping[str, Any]:
        """The schema of the tool's own arguments."""
        return self.texts.schema

    def is_exposed(self, caller: Caller) -> bool:
        """Return whether the tiers expose the tool to this caller."""
        return caller.tier is not None and self.tier <= caller.tier

    def may(self, caller: Caller) -> bool:
        """Return whether the caller may use the tool, at least with some arguments."""
        return self.is_exposed(caller) and self._permission(caller) is not False

    def depends_on_arguments(self, caller: Caller) -> bool:
        """Return whether only arguments decide if the caller may use the tool."""
        return self.is_exposed(caller) and self._permission(caller) is None

    def _permission(self, caller: Caller) -> bool | None:
        return caller.may(self.name, lambda: self.runs.ask(caller))

    def fault(self, arguments: Mapping[str, Any]) -> str:
        """Return what is wrong with the arguments, in words; an empty text if they are valid."""
        return fault(self._described, arguments)

    @cached_property
    def _described(self) -> DescribedTool:
        return DescribedTool(self.name, encode({"name": self.name, "inputSchema": self.schema}))

    @cached_property
    def mark(self) -> Mark | None:
        """The mark of a heavy tool, see `penstock.wire.marks`. It lives as long as the tool."""
        if self.heavy is None:
            return None
        own = owned_fields(self.schema)
        is_merged = TOKEN_FIELD not in own
        added = tuple(name for name in NEGOTIATION_FIELDS if name not in own) if is_merged else ()
        return new_mark(added=added, settings=self.heavy, is_merged=is_merged)

    @cached_property
    def listed(self) -> bytes:
        """The tool in the server's own list, in the listing form `full`."""
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
