"""The models that decide what the agent does next: a real one, or a script in its place.

Both use messages of the chat-completions form, and see what a model sees: the system prompt, the
task, the functions, and the text of each reply.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, takewhile
from typing import Any, Protocol, TypeAlias

Message: TypeAlias = dict[str, Any]


class Model(Protocol):
    async def reply(
        self, messages: Sequence[Message], functions: Sequence[Mapping[str, Any]]
    ) -> Message:
        """Return the assistant's next message, with `content` or `tool_calls`."""
        ...


@dataclass(frozen=True)
class Wanted:
    """A call that a script makes."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


def call(name: str, /, **arguments: Any) -> Wanted:
    return Wanted(name, arguments)


# A script yields one call, or several at once, receives their answers, and returns the last text.
Script: TypeAlias = Callable[
    [Sequence[Message], Sequence[Mapping[str, Any]]],
    Generator[Wanted | Sequence[Wanted], Any, str],
]


class Scripted:
    """A model that follows a script: a generator function of the messages and the functions.

    Each `yield` is a turn:

        def script(messages, functions):
            told = yield call("read_resource", resource_uri="resource:///tool_descriptions")
            return json.loads(told)["error"]["message"]
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self._running: Generator[Wanted | Sequence[Wanted], Any, str] | None = None
        self._is_single = True
        self._numbers = count(1)

    async def reply(
        self, messages: Sequence[Message], functions: Sequence[Mapping[str, Any]]
    ) -> Message:
        try:
            turn = self._next_turn(messages, functions)
        except StopIteration as end:
            return {"role": "assistant", "content": end.value or ""}
        self._is_single = isinstance(turn, Wanted)
        wanted = [turn] if isinstance(turn, Wanted) else turn
        return {"role": "assistant", "content": None, "tool_calls": list(map(self._wire, wanted))}

    def _next_turn(
        self, messages: Sequence[Message], functions: Sequence[Mapping[str, Any]]
    ) -> Wanted | Sequence[Wanted]:
        told = _answers(messages)
        if self._running is None or not told:  # A new task starts the script again.
            self._running = self._script(messages, functions)
            return next(self._running)
        return self._running.send(told[0] if self._is_single else told)

    def _wire(self, wanted: Wanted) -> dict[str, Any]:
        function = {"name": wanted.name, "arguments": json.dumps(wanted.arguments)}
        return {"id": f"call_{next(self._numbers)}", "type": "function", "function": function}


def _answers(messages: Sequence[Message]) -> list[str]:
    """Return the answers to the calls of the last turn."""
    last = takewhile(lambda message: message["role"] == "tool", reversed(messages))
    return [message["content"] for message in last][::-1]
