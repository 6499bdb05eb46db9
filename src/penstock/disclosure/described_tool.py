"""One tool as its server describes it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.disclosure.visibility import is_of_apps


class DescribedTool(msgspec.Struct, frozen=True, dict=True):
    """One tool: its entry in the server's list, and what its description adds."""

    name: str
    raw: bytes  # the entry in the server's list
    more: Mapping[str, Any] = {}  # members of the full description only, such as examples
    told: bytes = b""  # the entry that clients get in a full list, if it differs from `raw`
    server: str = ""  # the name of its server, if the list joins those of several

    @property
    def in_full(self) -> bytes:
        return self.told or self.raw

    @cached_property
    def in_full_unwidened(self) -> bytes:
        """The entry in full, without an output schema that `told` widens: few hosts show it to a
        model, and a list must never cost more than the server's own."""
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
        """The decoded entry, or nothing if it nests too deep: it can still be listed undecoded."""
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
        """The schema of each parameter, by name."""
        return as_table(self.schema.get("properties"))

    @property
    def annotations(self) -> dict[str, Any]:
        return as_table(self.listed.get("annotations"))

    @property
    def is_read_only(self) -> bool:
        """Return whether the tool says that it only reads. Any other tool may write."""
        return self.annotations.get("readOnlyHint") is True

    @property
    def ui(self) -> dict[str, Any]:
        """The member `_meta.ui`, in which an app's tool describes its user interface."""
        return as_table(as_table(self.listed.get("_meta")).get("ui"))

    @property
    def is_for_apps_alone(self) -> bool:
        return self.ui.get("visibility") == ["app"]

    @property
    def is_of_apps(self) -> bool:
        return is_of_apps(self.ui)

    @property
    def task_support(self) -> str:
        return _text(as_table(self.listed.get("execution")).get("taskSupport")) or "forbidden"

    @cached_property
    def full(self) -> bytes:
        """The full description, without the noise that schema generators add."""
        from penstock.disclosure.schemas.slimming import slim

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
