"""A minimal agent: a model, a server, and a loop that keeps a trace.

If the model makes a mistake, it gets an error instead of a reply, and may try again. Only the
number of turns is limited.
"""

from __future__ import annotations

import json
from typing import Any, Final

from penstock.disclosure import system_prompt
from penstock.errors import PenstockError
from penstock.testing.functions import OfferedFunctions
from penstock.testing.models import Message, Model
from penstock.testing.servers import Received, Server
from penstock.testing.traces import READ_RESOURCE, RESOURCE_URI, Step, Trace

MOST_TURNS: Final = 12


class TurnsExhausted(PenstockError):
    """The model did not give an answer in the turns that it had."""

    next_step = "Look at the trace, or allow more turns: Agent(..., turns=...)."

    def __init__(self, turns: int, trace: Trace) -> None:
        self.trace = trace
        super().__init__(f"The model did not give an answer in {turns} turns.")


class Agent:
    """An agent: `query` gives the model a task, and `trace` shows its steps, even after an exception."""

    def __init__(self, server: Server, model: Model, *, turns: int = MOST_TURNS) -> None:
        self._server = server
        self._model = model
        self._turns = turns
        self.trace = Trace()

    async def query(self, task: str) -> str:
        """Return the model's answer. Each task is a new conversation on the same connection."""
        self.trace = Trace()
        tools = await self._server.list_tools()
        offer = OfferedFunctions.of(tools)
        prompt = system_prompt(tools, await self._server.list_resources())
        told = "\n\n".join(filter(None, [prompt, self._server.instructions]))
        messages: list[Message] = [
            {"role": "system", "content": told},
            {"role": "user", "content": task},
        ]
        for turn in range(1, self._turns + 1):
            message = await self._model.reply(messages, offer.functions)
            messages.append(message)  # Unchanged: some endpoints need their own fields back.
            calls = message.get("tool_calls")
            if not isinstance(calls, list) or not calls:
                self.trace = Trace(self.trace.steps, _text(message.get("content")))
                return self.trace.answer
            messages += [await self._answered(turn, call, offer) for call in calls]
        raise TurnsExhausted(self._turns, self.trace)

    async def _answered(self, turn: int, call: Any, offer: OfferedFunctions) -> Message:
        step = await self._taken(turn, call, offer)
        self.trace = Trace((*self.trace.steps, step))
        return {"role": "tool", "tool_call_id": _member(call, "id") or "", "content": step.text}

    async def _taken(self, turn: int, call: Any, offer: OfferedFunctions) -> Step:
        function = _member(call, "function")
        given = str(_member(function, "name") or "")
        tool = offer.tool_for(given)
        if tool is None:
            told = _problem(f"There is no tool {given!r}.", "Call one of those you were given.")
            return Step(turn, given, {}, told, is_error=True, sent=False)
        arguments = _arguments(_member(function, "arguments"))
        if isinstance(arguments, str):
            return Step(turn, tool, {}, arguments, is_error=True, sent=False)
        heard = await self._asked(tool, arguments, offer)
        return Step(turn, tool, arguments, heard.text, heard.is_error, heard.code)

    async def _asked(
        self, tool: str, arguments: dict[str, Any], offer: OfferedFunctions
    ) -> Received:
        if tool == READ_RESOURCE and offer.reads:
            return await self._server.read_resource(str(arguments.get(RESOURCE_URI, "")))
        return await self._server.call_tool(tool, arguments)


def _arguments(given: Any) -> dict[str, Any] | str:
    """Return the arguments as an object, or an error text. Some models send nothing for none."""
    try:
        decoded = json.loads(given or "{}") if isinstance(given, str | None) else given
    except (ValueError, RecursionError) as error:
        return _problem(f"The arguments are not JSON: {error}.", "Give a JSON object.")
    if not isinstance(decoded, dict):
        return _problem("The arguments are not an object.", "Give a JSON object.")
    return decoded


def _member(value: Any, name: str) -> Any:
    """Return a member, or None: a model need not keep to the format."""
    return value.get(name) if isinstance(value, dict) else None


def _problem(error: str, next_step: str) -> str:
    return json.dumps({"error": error, "next_step": next_step}, ensure_ascii=False)


def _text(content: Any) -> str:
    """Return the text of a message, whose content is a text or a list of parts."""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content or ""
