"""`tools/call`, from the client's request to its answer."""

from __future__ import annotations

from penstock.wire import messages
from penstock.wire.effects import Forward, Steps, UpstreamAnswer
from penstock.wire.headers import RepeatedArguments
from penstock.wire.lists import know_tools
from penstock.wire.on_demand import answer_on_demand, teach_or_refuse
from penstock.wire.request import Request, pass_on
from penstock.wire.result_budget import hold
from penstock.wire.stored_results import answer_from_store, resolve_arguments


def tools_call(request: Request) -> Steps[bytes]:
    """Take a call through its stages, in order. A stage may end it with a reply, or change it."""
    if not _read_call(request):
        return (yield from pass_on(request))  # upstream says what is wrong with it
    repeated = request.connection.repeated  # over HTTP
    if repeated is not None and (reply := (yield from _check_headers(request, repeated))):
        return reply
    # `find_tools` and `describe_tools` are answered. `call_tool` becomes the call of the tool that it names.
    if reply := (yield from answer_on_demand(request)):
        return reply
    # The reader, the explorer, a continuation token: a stored result is looked at.
    if reply := (yield from answer_from_store(request)):
        return reply
    # A tool that was not listed in full: its description comes first, or with what is wrong.
    if reply := (yield from teach_or_refuse(request)):
        return reply
    # "@result:…" becomes the stored value. Fields that are ours are taken out.
    if reply := (yield from resolve_arguments(request)):
        return reply
    answer: UpstreamAnswer = yield Forward(request.line)  # upstream runs the tool, once
    return (yield from hold(request, answer))  # within the budget, or a probe


def _read_call(request: Request) -> bool:
    """Take the tool and its arguments from the parameters. False where no tool is named."""
    params = messages.members_of(request.params)
    name = messages.text_of(params, "name")
    if name is not None:
        request.set_call(name, params.get("arguments"))
    return name is not None


def _check_headers(request: Request, repeated: RepeatedArguments) -> Steps[bytes | None]:
    """Refuse a call whose headers do not agree with the arguments that they repeat.

    A list that has expired is relied on to say that this tool repeats none, unless the client repeats
    some: otherwise each call would cost a list.
    """
    yield from know_tools(request, names=(request.tool,))
    tool = request.upstream_tool
    if repeated.are_there or (tool is not None and tool.header_parameters):
        yield from know_tools(request, current=True)
    fault = repeated.mismatch(request.upstream_tool)
    return None if fault is None else request.refuse(fault)
