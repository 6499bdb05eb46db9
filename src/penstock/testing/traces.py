"""The steps that a model took with a server, and a test's questions about them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penstock.core.budget.measure import Meter, default_meter
from penstock.disclosure.names import CALL, CALL_READ_ONLY, DESCRIBE, is_called
from penstock.disclosure.uris import is_descriptions

READ_RESOURCE: Final = "read_resource"
RESOURCE_URI: Final = "resource_uri"
_SHOWN_CHARS: Final = 100


@dataclass(frozen=True)
class Step:
    """One call by the model, and the reply."""

    turn: int
    name: str
    arguments: Mapping[str, Any]
    text: str
    is_error: bool = False
    code: int | None = None  # of a JSON-RPC error
    sent: bool = True  # False if the call named no tool or had bad arguments.

    @property
    def tool(self) -> str:
        """The tool that was called; for `call_tool`, the tool that its arguments name."""
        through = is_called(self.name, CALL) or is_called(self.name, CALL_READ_ONLY)
        inner = self.arguments.get("name") if through else None
        return inner if isinstance(inner, str) else self.name

    @property
    def resource_uri(self) -> str:
        """The resource that was read; empty for a call of a tool."""
        uri = self.arguments.get(RESOURCE_URI) if self.name == READ_RESOURCE else None
        return uri if isinstance(uri, str) else ""

    @property
    def error_code(self) -> str | int | None:
        """The error code in the reply, which may be a tool's or a resource's text."""
        if self.code is not None:
            return self.code
        error = _member(_decoded(self.text), "error")
        code = _member(error, "code")
        return code if isinstance(code, str | int) else None

    @property
    def failed(self) -> bool:
        return self.is_error or self.error_code is not None

    @property
    def described(self) -> tuple[str, ...]:
        """The tools that the reply describes: those that the model asked about, by resource or by
        tool, or the one whose description came with an error."""
        told = _decoded(self.text)
        asked = is_descriptions(self.resource_uri) or is_called(self.name, DESCRIBE)
        parts = told if asked and isinstance(told, dict) else {}
        brought = _member(_member(told, "error"), "description")
        found = [name for name, part in parts.items() if _is_description(part)]
        return (*found, self.tool) if isinstance(brought, dict) else tuple(found)

    def __str__(self) -> str:
        outcome = f"error {self.error_code or ''}".rstrip() if self.failed else "ok"
        given = json.dumps(dict(self.arguments), ensure_ascii=False)
        return f"{self.turn}. {self.name} {given} -> {outcome}: {self.text[:_SHOWN_CHARS]}"


@dataclass(frozen=True)
class Trace:
    """All steps of one task, and the model's final answer. Print a trace to see why a test failed."""

    steps: tuple[Step, ...] = ()
    answer: str = ""

    @property
    def calls(self) -> tuple[str, ...]:
        """The names that were called, in order, with `read_resource` among them."""
        return tuple(step.name for step in self.steps)

    @property
    def errors(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.failed)

    @property
    def last_resource_uri(self) -> str:
        """The resource that was read last; empty if none was."""
        return next((step.resource_uri for step in reversed(self.steps) if step.resource_uri), "")

    def contains_call(self, name: str) -> bool:
        """Return whether the model called this tool, even in vain, directly or by `call_tool`."""
        return bool(self._calls_of(name))

    def contains_result(self, name: str) -> bool:
        """Return whether a call of this tool was answered without an error."""
        return any(not step.failed for step in self._calls_of(name))

    def contains_description(self, name: str) -> bool:
        """Return whether the model got this tool's description, on demand or with an error."""
        return any(name in step.described for step in self.steps)

    def contains_error(self, code: str | int) -> bool:
        """Return whether the model got this error: a code such as `TOOL_DESCRIPTION_REQUIRED`, or
        the number of a JSON-RPC error."""
        return any(step.error_code == code for step in self.steps)

    def tokens_received(self, meter: Meter | None = None) -> int:
        """Return the cost of all replies in tokens, without the list of tools."""
        count = (meter or default_meter()).count
        return sum(count(step.text) for step in self.steps)

    def _calls_of(self, name: str) -> Sequence[Step]:
        return [step for step in self.steps if name in (step.name, step.tool)]

    def __str__(self) -> str:
        return "\n".join([*map(str, self.steps), f"answer: {self.answer}"])


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_description(part: Any) -> bool:
    return isinstance(part, dict) and "error" not in part and "code" not in part


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None
