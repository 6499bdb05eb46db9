"""One agent and one task: it finds the tool, learns the parameters, calls, and learns from errors.

The agent knows which tool is right; the topic `choosing` measures the choice. It has to find that
tool's name and its parameters in what was sent to it. Each task is a conversation of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from benchmarks.agents import knowledge
from benchmarks.agents.arguments import fewest_arguments
from benchmarks.agents.start import METER, Start
from benchmarks.servers.replay import DONE
from benchmarks.wire import WireClient
from penstock.core.json.encoding import encode
from penstock.disclosure.names import CALL, CALL_READ_ONLY, DESCRIBE, FIND

MOST_CALLS: Final = 3  # of the tool itself
MOST_SEARCHES: Final = 3

Schema = dict[str, Any]


class Heard(msgspec.Struct, frozen=True):
    """The answer to one call, as a model reads it."""

    text: str
    is_error: bool

    @property
    def value(self) -> dict[str, Any]:
        try:
            value = msgspec.json.decode(self.text)
        except msgspec.DecodeError:
            return {}
        return value if isinstance(value, dict) else {}


class Agent:
    """An agent with one task. `calls` and `tokens` count its calls and everything it reads.

    An agent that searches looks for a tool with `find_tools`, even if a directory has its name.
    """

    def __init__(self, client: WireClient, start: Start, *, searches: bool = False) -> None:
        self._client = client
        self._start = start
        self._searches = searches
        self._reads = set(start.reading)  # the tools that were said to be read-only
        self.calls = 0
        self.tokens = 0

    def do(self, right: Iterable[str], words: str) -> str:
        """Do a task with one of the right tools. Return why it failed, or ""."""
        tool, schema = self._pick(sorted(right), words)
        if not tool:
            return "not found"
        if schema is None:
            schema = self._described(tool)
        problem = ""
        for _ in range(MOST_CALLS):
            heard = self._call_through(tool, fewest_arguments(schema or {}))
            if heard.text == DONE:
                return ""
            problem = f"{tool}: {heard.text[:160]}"
            learned = self._learned(tool, heard)
            if learned is None or learned == schema:
                break
            schema = learned
        return problem

    def _pick(self, right: list[str], words: str) -> tuple[str, Schema | None]:
        """Return the name of a right tool, and its parameters if they were told along with it."""
        for name in right:
            if name in self._start.tools:
                return name, knowledge.from_list(self._start.tools[name])
        for name in right:
            if name in self._start.directory and not self._searches:
                return name, knowledge.from_signature(self._start.directory[name])
        return self._found(right, words) if self._start.own(FIND) else ("", None)

    def _found(self, right: list[str], words: str) -> tuple[str, Schema | None]:
        """Search with the words, and then with fewer."""
        said = words.split()
        for left_out in range(min(MOST_SEARCHES, len(said))):
            query = " ".join(said[: len(said) - left_out])
            hits = self._call(self._start.own(FIND), {"query": query}).value.get("tools", [])
            for hit in hits:
                if hit["name"] in right:
                    schema = self._noted(hit["name"], hit)
                    return hit["name"], schema if knowledge.is_enough(schema) else None
        return "", None

    def _described(self, tool: str) -> Schema | None:
        describe = self._start.own(DESCRIBE)
        if not describe:
            return None
        return self._noted(tool, self._call(describe, {"tools": [tool]}).value.get(tool, {}))

    def _noted(self, tool: str, part: Mapping[str, Any]) -> Schema | None:
        """Return the parameters in a tool's part of a reply, and note whether it only reads."""
        if part.get("read_only") or part.get("annotations", {}).get("readOnlyHint"):
            self._reads.add(tool)
        return knowledge.from_reply(part)

    def _learned(self, tool: str, heard: Heard) -> Schema | None:
        """Return the parameters that an error tells, or else those of the description."""
        error = heard.value.get("error", {})
        part = error.get("description", {}) if isinstance(error, dict) else {}
        return self._noted(tool, part) if isinstance(part, dict) and part else None

    def _call_through(self, tool: str, arguments: Mapping[str, Any]) -> Heard:
        if tool in self._start.tools:
            return self._call(tool, arguments)
        reading, any_tool = self._start.own(CALL_READ_ONLY), self._start.own(CALL)
        through = reading if tool in self._reads or not any_tool else any_tool
        return self._call(through or any_tool, {"name": tool, "arguments": arguments})

    def _call(self, name: str, arguments: Mapping[str, Any]) -> Heard:
        answer = self._client.ask("tools/call", {"name": name, "arguments": arguments})
        message = msgspec.json.decode(answer)
        result = message.get("result") or {"content": [], "isError": True, **message}
        texts = [part.get("text", "") for part in result["content"]] or [encode(message).decode()]
        heard = Heard("\n".join(texts), bool(result.get("isError")))
        self.calls += 1
        self.tokens += METER.count(heard.text)
        return heard
