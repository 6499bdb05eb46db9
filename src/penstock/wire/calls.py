"""`tools/call`, from the client's request to its answer."""

from __future__ import annotations

from penstock.wire import messages
from penstock.wire.effects import Steps
from penstock.wire.forwarding import forward
from penstock.wire.headers import RepeatedArguments
from penstock.wire.lists import know_tools
from penstock.wire.misspelt_names import with_suggestion
from penstock.wire.on_demand import answer_on_demand, teach_or_refuse
from penstock.wire.programs import answer_program
from penstock.wire.request import Request, pass_on
from penstock.wire.result_budget import hold
from penstock.wire.server_notices import add_server_notices
from penstock.wire.stored_results import answer_from_store, resolve_arguments


def tools_call(request: Request) -> Steps[bytes]:
    """Take a call through its stages, in order. Each stage may change the call, or answer it."""
    if not _read_call(request):
        return (yield from pass_on(request))  # no tool is named: upstream reports it
    repeated = request.connection.repeated  # None unless the call came over HTTP
    if repeated is not None and (reply := (yield from _check_headers(request, repeated))):
        return reply
    # Answer `find_tools` and `describe_tools`. Turn `call_tool` into a call of the tool it names.
    if reply := (yield from answer_on_demand(request)):
        return reply
    # Run a program of the agent's. Its calls take the stages below for themselves.
    if reply := (yield from answer_program(request)):
        return reply
    # Answer the reader, the explorer and calls with a continuation token from the store.
    if reply := (yield from answer_from_store(request)):
        return reply
    # If the tool was not listed in full, the agent may have to read its description first.
    if reply := (yield from teach_or_refuse(request)):
        return reply
    # Replace "@result:…" by the stored value. Remove Penstock's own fields.
    if reply := (yield from resolve_arguments(request)):
        return reply
    answer = yield from forward(request)  # upstream runs the tool, once
    if isinstance(answer, bytes):
        return answer  # upstream took too long
    answer = yield from with_suggestion(request, answer)  # the nearest names for a misspelt one
    add_server_notices(request, answer)  # of several servers, one may be down
    return (yield from hold(request, answer))  # the result itself, or a probe


def _read_call(request: Request) -> bool:
    """Read the tool and its arguments from the parameters. Return False if no tool is named."""
    params = messages.members_of(request.params)
    name = messages.text_of(params, "name")
    if name is not None:
        request.set_call(name, params.get("arguments"))
    return name is not None


def _check_headers(request: Request, repeated: RepeatedArguments) -> Steps[bytes | None]:
    """Refuse a call whose headers do not agree with the arguments that they repeat.

    An expired list is good enough to tell that a tool has no such headers, unless the client sent
    some. Otherwise each call would ask upstream for its list again.
    """
    yield from know_tools(request, names=(request.tool,))
    tool = request.upstream_tool
    if repeated.are_there or (tool is not None and tool.header_parameters):
        yield from know_tools(request, current=True)
    fault = repeated.mismatch(request.upstream_tool)
    return None if fault is None else request.refuse(fault)
