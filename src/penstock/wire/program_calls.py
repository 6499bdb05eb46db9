"""The calls that a program makes: what they are checked for, and their way to upstream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from penstock.core.json.encoding import encode
from penstock.core.json.non_finite import count_non_finite
from penstock.core.model.program import FUNCTIONS, Scope, Source, ToolCall
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.names import RUN_WRITES
from penstock.errors import InvalidResult
from penstock.wire.effects import InnerCall, Steps
from penstock.wire.forwarding import forward
from penstock.wire.lists import know_tools
from penstock.wire.on_demand import teach_or_refuse
from penstock.wire.request import Request
from penstock.wire.sources import refusal_to_hand_on
from penstock.wire.stored_results import resolve_arguments

_MOST_NEAR: Final = 3
_MAY_WRITE: Final = "{} may write, and this program may only read. {}"


class WrongCall(msgspec.Struct, frozen=True):
    """The refusal of a call before it goes to upstream, as an exception in the program."""

    error: str
    kind: str = "ValueError"


class Callables(msgspec.Struct, frozen=True):
    """The tools that a program may call, for the role of the tool that runs the program."""

    role: str
    catalogue: Catalogue  # without the tools for apps alone
    writer: str = ""  # the name of the tool whose programs may write, if it is offered
    are_listed: bool = True  # the client can call tools outside programs too

    def may_call(self, tool: DescribedTool) -> bool:
        return self.role == RUN_WRITES or tool.is_read_only

    @property
    def how_to_write(self) -> str:
        """The next step instead of a call that may write."""
        if self.writer:
            return f"Run the program with {self.writer}."
        return "Call it outside a program." if self.are_listed else "Programs may only read here."

    def scope(self, code: str) -> Scope:
        """Return what a program may call. Functions of earlier programs may call any tool, but only
        the calls that this program mentions are checked beforehand."""
        from penstock.disclosure.schemas.python_names import python_name
        from penstock.disclosure.schemas.python_signature import python_stub

        functions = {
            name: tool for tool in self.catalogue if (name := python_name(tool.name)) is not None
        }
        allowed = {name for name, tool in functions.items() if self.may_call(tool)}
        mentioned = {name: tool for name, tool in functions.items() if name in code}
        return Scope(
            frozenset(allowed),
            frozenset(mentioned).difference(allowed),
            tuple(
                python_stub(name, tool.schema)
                for name, tool in mentioned.items()
                if name in allowed
            ),
            self.how_to_write,
        )

    def checked(self, call: ToolCall) -> InnerCall | WrongCall:
        """Return the call for upstream, or why it is wrong."""
        tool = self.catalogue.get(call.function)
        if tool is None:
            return WrongCall(self._unknown(call.function), "NameError")
        if not self.may_call(tool):
            return WrongCall(_MAY_WRITE.format(tool.name, self.how_to_write), "PermissionError")
        arguments = _named_arguments(call, tool)
        if isinstance(arguments, WrongCall):
            return arguments
        return _valid(call, tool, arguments)

    def _unknown(self, name: str) -> str:
        near = self.nearest(name)
        return f"there is no tool {name!r}" + (
            f"; did you mean {' or '.join(near)}?" if near else ""
        )

    def nearest(self, name: str) -> list[str]:
        """Return names like this one, of tools and of the functions beside them."""
        from difflib import get_close_matches

        from penstock.disclosure.schemas.python_names import python_name

        own = get_close_matches(name, FUNCTIONS, 1)
        found = self.catalogue.nearest(name)
        tools = [near if python_name(near) else f'call("{near}", {{...}})' for near in found]
        return [*own, *tools][:_MOST_NEAR]


def refused_to_hand_on(
    request: Request, call: InnerCall, sources: Sequence[Source]
) -> WrongCall | None:
    """Refuse a call to a remote server that must not get what the program has read so far. Any
    argument may depend on that."""
    servers = request.connection.servers
    refusal = None if servers is None else refusal_to_hand_on(servers, call.tool, sources)
    if refusal is None:
        return None
    told = f"{refusal.error} This program has read them. {refusal.next_step}"
    return WrongCall(told, "PermissionError")


def _named_arguments(call: ToolCall, tool: DescribedTool) -> dict[str, Any] | WrongCall:
    """Return the arguments by name. Those without one are in the order of the tool's signature."""
    if not call.args:
        return dict(call.kwargs)
    from penstock.disclosure.schemas.python_signature import parameter_order

    order = parameter_order(tool.schema)
    if len(call.args) > len(order):
        told = f"{tool.name}() takes at most {len(order)} arguments, not {len(call.args)}"
        return WrongCall(told, "TypeError")
    given = dict(zip(order, call.args, strict=False))
    twice = next((name for name in given if name in call.kwargs), None)
    if twice is not None:
        return WrongCall(f"{tool.name}() got argument {twice!r} twice", "TypeError")
    return {**given, **call.kwargs}


def _valid(
    call: ToolCall, tool: DescribedTool, arguments: Mapping[str, Any]
) -> InnerCall | WrongCall:
    from penstock.disclosure.checking import fault

    try:
        encoded = encode(dict(arguments))
    except InvalidResult as error:
        return WrongCall(f"{tool.name}(): {error.message}", "TypeError")
    if count_non_finite(arguments, encoded):
        return WrongCall(f"{tool.name}(): JSON has no NaN and no infinity")
    wrong = fault(tool, msgspec.json.decode(encoded))
    if wrong:
        return WrongCall(f"{tool.name}(): {wrong.removesuffix('.')}")
    return InnerCall(call.number, tool.name, encoded, call.is_text)


def program_call(request: Request) -> Steps[bytes]:
    """Take a call of a program to upstream, and return upstream's answer as it is."""
    yield from know_tools(request)
    if request.gate == "strict" and (reply := (yield from teach_or_refuse(request))):
        return reply
    if reply := (yield from resolve_arguments(request)):  # "@result:…" becomes the stored value
        return reply
    answer = yield from forward(request)
    return answer if isinstance(answer, bytes) else answer.line
