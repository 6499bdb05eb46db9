"""A player: it makes the calls of a play, and counts everything that a model writes and reads.

The same is counted on every side, in o200k tokens: the instructions, the list of tools as hosts give
it to models (names, descriptions and input schemas), the name and the arguments of every call, and the
text of every result. Structured content that only repeats the text is not counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from benchmarks.strangers import Answering, listed
from penstock.core.budget.measure import O200kMeter

# Not the default meter: it may be an estimate, which is not a measurement.
METER: Final = O200kMeter()
_READ_OF_A_TOOL: Final = ("name", "description", "inputSchema")
_MOST_SAID: Final = 400


class Failed(Exception):
    """A call of a play failed."""


class Player:
    """One side of one task. `calls` and `tokens` count, and `start` is what was read before all calls."""

    def __init__(self, conversation: Answering) -> None:
        self._conversation = conversation
        tools = [_read_of(tool) for tool in listed(conversation)]
        self._names = {tool["name"] for tool in tools}
        self.start = METER.count(conversation.instructions) + METER.count(_compact(tools))
        self.tokens = self.start
        self.calls = 0

    def call(self, tool: str, **arguments: Any) -> str:
        """Call a tool, and return the text of its result. A model calls only what it was shown."""
        return "\n".join(self._texts(tool, arguments))

    def value(self, tool: str, **arguments: Any) -> Any:
        """Call a tool, and return the value of the JSON that it gives. Later blocks are remarks."""
        return json.loads(self._texts(tool, arguments)[0])

    def _texts(self, tool: str, arguments: Mapping[str, Any]) -> list[str]:
        if tool not in self._names:
            raise Failed(f"{tool} is not listed")
        asked = {"name": tool, "arguments": arguments}
        result = self._conversation.ask("tools/call", asked)
        texts = _texts_of(result)
        self.calls += 1
        self.tokens += METER.count(_compact(asked)) + METER.count("\n".join(texts))
        if result.get("isError"):
            raise Failed(f"{tool}: {texts}"[:_MOST_SAID])
        return texts


def _read_of(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tool[name] for name in _READ_OF_A_TOOL if name in tool}


def _texts_of(result: Mapping[str, Any]) -> list[str]:
    """Return the texts of all blocks, or the structured content if there is no block."""
    blocks = [block.get("text") or _compact(block) for block in result.get("content", [])]
    return blocks or [_compact(result.get("structuredContent", {}))]


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
