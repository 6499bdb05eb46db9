"""The values that a program, its handler and its sandbox exchange.

A program runs in turns. A turn ends when the program waits for tools, has an answer or has failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

# The tool and the origin of a result that a program has read, see `Call.origin`.
Source = tuple[str, Any]
_SOURCES = "dev.penstock/sources"
# The next step after a program has reached a limit.
ASK_LESS = "Ask for less, or do the work in several programs."


def origin_of(sources: Sequence[Source]) -> Any:
    """Return the origin of a program's answer: the sources that it was made from."""
    return {_SOURCES: [list(source) for source in sources]} if sources else None


def sources_in(tool: str, origin: Any) -> list[Source]:
    """Return the sources of a result: those of a program's answer, or the one of any other."""
    if isinstance(origin, dict) and _SOURCES in origin:
        return [(tool, below) for tool, below in origin[_SOURCES]]
    return [(tool, origin)]


class ToolCall(msgspec.Struct, frozen=True):
    """A call of a tool, as a program writes it."""

    number: int  # tells the calls of one program apart
    function: str  # the name of the function; for `call` and `text`, the name of the tool
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}
    is_by_name: bool = False  # the program names the tool by `call` or `text`
    is_text: bool = False  # the program wants the exact text
    line: int = 0


class Settled(msgspec.Struct, frozen=True):
    """The outcome of a tool call: a value, or an error that is raised in the program."""

    number: int
    value: Any = None
    error: str = ""
    kind: str = "RuntimeError"  # the exception that is raised


class Waiting(msgspec.Struct, frozen=True):
    """The end of a turn: the program waits for its tool calls. `calls` are new ones."""

    calls: tuple[ToolCall, ...] = ()
    sources: tuple[Source, ...] = ()  # the results that the program has read so far


class Finished(msgspec.Struct, frozen=True):
    """The end of a program: its answer as JSON, and what it printed."""

    answer: bytes
    printed: str = ""
    notices: tuple[str, ...] = ()


class Broken(msgspec.Struct, frozen=True):
    """The end of a program that failed."""

    error: str
    next_step: str = ""
    line: int = 0
    source: str = ""  # the text of that line
    printed: str = ""
    # A limit stopped the program, so that the variables it made are not trustworthy.
    is_stopped: bool = False


Turn = Waiting | Finished | Broken


class Scope(msgspec.Struct, frozen=True):
    """The functions that a program may call."""

    tools: frozenset[str]  # the names of tools as functions
    forbidden: frozenset[str] = frozenset()  # tools that this program may not call
    stubs: tuple[str, ...] = ()  # declarations of the functions that the program names
    how_to_write: str = ""  # what to do in place of a forbidden call

    def without(self, names: frozenset[str]) -> Scope:
        """Return the scope for a check before the start, without names that variables may have."""
        stubs = [stub for stub in self.stubs if stub.partition("(")[0].split()[-1] not in names]
        return msgspec.structs.replace(self, forbidden=self.forbidden - names, stubs=tuple(stubs))


# The functions in scope besides the tools. The first two wait for a tool, as a tool's function does.
CALL_FUNCTION = "call"
TEXT_FUNCTION = "text"
STORE_FUNCTIONS = ("rows", "value", "sql", "store")
FUNCTIONS = (CALL_FUNCTION, TEXT_FUNCTION, *STORE_FUNCTIONS)
