"""The client of the demo, which speaks MCP to real processes and prints what it does.

A visit is a conversation as in `penstock.relay.tool_lists`: it yields requests and gets answers.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Final, TypeVar

import msgspec

from penstock.cli.demonstration.transcript import NotShown, Transcript, count_tokens
from penstock.core.json.encoding import encode
from penstock.relay.tool_lists.conversation import Ask, Listed, Steps, listing
from penstock.relay.tool_lists.process import ask_command
from penstock.wire import messages

_SECONDS: Final = 60.0
# -P: a file in the user's working folder must not replace a module.
_PYTHON: Final = (sys.executable, "-P", "-m")
# An empty settings file: the demo shows the defaults, not the user's settings.
_RUN: Final = (*_PYTHON, "penstock", "run", "--no-stats", "--config", os.devnull, "--")

_Found = TypeVar("_Found")


def visit(server: str, steps: Steps[_Found], *, is_behind_penstock: bool) -> _Found:
    """Start a server of this folder, run a conversation to its end, and stop the server."""
    command = (*_PYTHON, f"{__package__}.{server}")
    return ask_command((*_RUN, *command) if is_behind_penstock else command, steps, _SECONDS)


class DemoAgent(Transcript):
    """A transcript whose calls are sent to a server."""

    def call(self, thought: str, tool: str, **arguments: Any) -> Steps[Any]:
        result = yield from call_tool(tool, arguments)
        return self.add(thought, tool, arguments, result)


def call_tool(name: str, arguments: dict[str, Any]) -> Steps[bytes]:
    """Call a tool, and return its result as it came over the wire."""
    answer = yield Ask("tools/call", encode({"name": name, "arguments": arguments}))
    if answer is None or isinstance(answer.result, msgspec.UnsetType):
        raise NotShown
    return messages.object_from(answer.result)


def list_tools() -> Steps[Listed]:
    """Greet the server, as every client does first, and return its tools."""
    return (yield from listing(lambda _progress: None))


def cost_of(listed: Listed) -> int:
    """Return the cost of a list of tools in tokens."""
    return count_tokens(b",".join(listed.tools).decode())
