"""What a model did with a server, step by step, and what a test asks about it."""

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
    """One call by the model, and what it was told. `code`: of an error of the protocol. A call that
    is not `sent` never reached the server: it named no tool, or could not be understood."""

    turn: int
    name: str
    arguments: Mapping[str, Any]
    text: str
    is_error: bool = False
    code: int | None = None
    sent: bool = True

    @property
    def tool(self) -> str:
        """The tool that was meant: through `call_tool` of an index, the one that it names."""
        through = is_called(self.name, CALL) or is_called(self.name, CALL_READ_ONLY)
        inner = self.arguments.get("name") if through else None
        return inner if isinstance(inner, str) else self.name

    @property
    def resource_uri(self) -> str:
        """What was read; empty for a call of a tool."""
        uri = self.arguments.get(RESOURCE_URI) if self.name == READ_RESOURCE else None
        return uri if isinstance(uri, str) else ""

    @property
    def error_code(self) -> str | int | None:
        """As the reply says it, whether it is flagged as an error or is the text of a resource."""
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
        """The tools that the reply describes: those asked for, by resource or by tool, or the one
        whose description came with an error."""
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
    """All steps of one task, and what the model answered in the end. `print` it to see why a test
    failed: one line a step."""

    steps: tuple[Step, ...] = ()
    answer: str = ""

    @property
    def calls(self) -> tuple[str, ...]:
        """What was called, in order; `read_resource` among them."""
        return tuple(step.name for step in self.steps)

    @property
    def errors(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.failed)

    @property
    def last_resource_uri(self) -> str:
        """The resource that was read last; empty where none was."""
        return next((step.resource_uri for step in reversed(self.steps) if step.resource_uri), "")

    def contains_call(self, name: str) -> bool:
        """Whether the model called this tool, well or not, directly or through `call_tool`."""
        return bool(self._calls_of(name))

    def contains_result(self, name: str) -> bool:
        """Whether a call of this tool was answered, and not with an error."""
        return any(not step.failed for step in self._calls_of(name))

    def contains_description(self, name: str) -> bool:
        """Whether the model was shown how this tool is used, on demand or by an error."""
        return any(name in step.described for step in self.steps)

    def contains_error(self, code: str | int) -> bool:
        """Whether the model was told this error: a code such as `TOOL_DESCRIPTION_REQUIRED`, or the
        number of an error of the protocol."""
        return any(step.error_code == code for step in self.steps)

    def tokens_received(self, meter: Meter | None = None) -> int:
        """What all replies cost the model, the list of tools not among them."""
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
