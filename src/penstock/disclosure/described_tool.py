"""One tool as its server describes it, and what can be read off that."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode


class DescribedTool(msgspec.Struct, frozen=True, dict=True):
    """One tool. `raw` is how its server lists it; `more` is what only its full description holds,
    such as examples. `told` is how a client is to see it listed in full, where that differs."""

    name: str
    raw: bytes
    more: Mapping[str, Any] = {}
    told: bytes = b""

    @property
    def in_full(self) -> bytes:
        return self.told or self.raw

    @cached_property
    def no_dearer(self) -> bytes:
        """In full, but without an output schema that `told` has widened: few hosts show it to a model,
        and a list is never to cost more than its server's own."""
        if self.in_full == self.raw or "outputSchema" not in self.listed:
            return self.in_full
        members = rawjson.members(rawjson.compact(self.raw))
        parts = [
            rawjson.string(member.name) + b":" + member.value
            for member in members
            if member.name != "outputSchema"
        ]
        return b"{" + b",".join(parts) + b"}"

    @cached_property
    def listed(self) -> dict[str, Any]:
        """Nothing, where it nests too deep to be looked into: it can still be listed as it is."""
        try:
            value = rawjson.decode(rawjson.compact(self.raw))
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def description(self) -> str:
        return _text(self.listed.get("description"))

    @property
    def title(self) -> str:
        return _text(self.listed.get("title")) or _text(self.annotations.get("title"))

    @property
    def schema(self) -> dict[str, Any]:
        return as_table(self.listed.get("inputSchema"))

    @cached_property
    def schema_json(self) -> str:
        return encode(self.schema).decode()

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """What its schema says of each, by name."""
        return as_table(self.schema.get("properties"))

    @property
    def annotations(self) -> dict[str, Any]:
        return as_table(self.listed.get("annotations"))

    @property
    def is_read_only(self) -> bool:
        """A tool that does not say so may write."""
        return self.annotations.get("readOnlyHint") is True

    @property
    def ui(self) -> dict[str, Any]:
        """What an app's tool says about its user interface."""
        return as_table(as_table(self.listed.get("_meta")).get("ui"))

    @property
    def is_for_apps_alone(self) -> bool:
        return self.ui.get("visibility") == ["app"]

    @property
    def task_support(self) -> str:
        return _text(as_table(self.listed.get("execution")).get("taskSupport")) or "forbidden"

    @cached_property
    def full(self) -> bytes:
        """All there is to know, without the noise of generators."""
        from penstock.disclosure.slimming import slim

        shown = {
            name: slim(value) if name == "inputSchema" else value
            for name, value in self.listed.items()
            if name not in ("_meta", "icons", "execution")
        }
        return encode({**shown, **self.more}) if shown else rawjson.squeezed(self.raw)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def as_table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
