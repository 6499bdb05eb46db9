"""`tools/call`, from the client's request to its answer."""

from __future__ import annotations

from penstock.wire import messages
from penstock.wire.effects import Answer, Forward, Steps
from penstock.wire.holding import hold
from penstock.wire.lists import know_tools
from penstock.wire.on_demand import answer_on_demand, refuse_too_early
from penstock.wire.request import Request, pass_on
from penstock.wire.stored import answer_from_store, resolve_arguments


def tools_call(request: Request) -> Steps[bytes]:
    """Take a call through its stages, in order. A stage may end it with an answer."""
    if not _read_call(request):
        return (yield from pass_on(request))  # upstream says what is wrong with it
    if answer := (yield from _check_headers(request)):
        return answer
    # `find_tools` and `describe_tools` are answered; `call_tool` becomes the tool that it names.
    if answer := (yield from answer_on_demand(request)):
        return answer
    # The reader, the explorer, a continuation token: a stored result is looked at.
    if answer := (yield from answer_from_store(request)):
        return answer
    # A tool that was not described in full, before its description was read.
    if answer := (yield from refuse_too_early(request)):
        return answer
    # "@result:…" becomes the stored value; fields that are ours are taken out.
    if answer := (yield from resolve_arguments(request)):
        return answer
    given: Answer = yield Forward(request.line)  # upstream runs the tool, once
    return (yield from hold(request, given))  # within the budget, or a probe


def _read_call(request: Request) -> bool:
    """Take the tool and its arguments from the parameters. False where no tool is named."""
    params = messages.members_of(request.params)
    name = messages.text_of(params, "name")
    if name is not None:
        request.set_call(name, params.get("arguments"))
    return name is not None


def _check_headers(request: Request) -> Steps[bytes | None]:
    """Refuse a call over HTTP whose headers do not agree with the arguments that they repeat."""
    check = request.connection.header_check
    if check is None:
        return None
    yield from know_tools(request, current=True)
    fault = check(request.upstream_tool)
    return None if fault is None else request.refuse(fault)
