"""Reports about answers: to the tally, if the connection has one, and to the log."""

from __future__ import annotations

from typing import Final

from penstock.core.model.values import Result
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.answered import Answered, AnswerKind
from penstock.wire.call_facts import has_widget_output, is_for_app
from penstock.wire.request import Request
from penstock.wire.results import plain_wire

_KINDS: Final[dict[str, AnswerKind]] = {
    "tools/call": "call",
    "tasks/result": "result",
    "tasks/get": "result",
    "tools/list": "list",
    "initialize": "greeting",
    "server/discover": "greeting",
}
_SHOWN: Final = 7  # characters of a token: three of its 39 digits


def report(request: Request, sent: bytes) -> None:
    """Report the answer that a client gets to its request."""
    if request.held:
        told = "held a result of %s: %s bytes, sent %s bytes, token %s…"
        sizes = f"{len(request.upstream_line):,}", f"{len(sent):,}"
        logger().info(told, request.tool or "a task", *sizes, request.held[:_SHOWN])
    tally = request.connection.tally
    about = None if tally is None else answered(request, sent)
    if tally is not None and about is not None:
        tally(about)


def answered(request: Request, sent: bytes) -> Answered | None:
    """Return what there is to count about an answer, or None if no model reads it."""
    kind, has_apps = _KINDS.get(request.method), request.audience.has_apps
    if kind is None or request.is_for_explorer or (has_apps and is_for_app(request)):
        return None
    if kind == "list":
        return _list(request, sent)
    if kind == "greeting":
        return Answered(kind, sent, request.upstream_line)
    toolbox = request.toolbox
    return Answered(
        "read" if request.is_read else kind,
        sent,
        _raw(request, sent),
        request.tool,
        is_known=None if toolbox is None else toolbox.knows(request.tool),
        is_held=bool(request.held),
        has_widget=has_apps and has_widget_output(request),
        showing=request.policy.showing,
        server=_server(request),
    )


def _server(request: Request) -> str:
    """Return which of several servers an answer comes from, or "" for none or more than one. A stored
    result that is read comes from the server that gave it. A program's answer comes from none."""
    if request.inner_calls is not None:
        return ""
    if request.is_read and request.read_from:
        return request.read_from[0] if len(request.read_from) == 1 else ""
    return "" if request.member is None else request.member.name


def _raw(request: Request, sent: bytes) -> bytes:
    """Return the tool's result as a client without Penstock would get it. Nobody knows the size of
    a list that is read page by page, so the first page stands for it."""
    inside = request.inside.result
    if inside is None:
        return request.upstream_line
    return (
        messages.response(request.key, plain_wire(inside, {}))
        if isinstance(inside, Result)
        else sent
    )


def _list(request: Request, sent: bytes) -> Answered:
    shown = request.shown
    if shown is None:
        return Answered("list", sent, request.upstream_line, form="full")
    members = dict(shown.toolbox.members)
    members["tools"] = b"[" + b",".join(tool.raw for tool in shown.toolbox.catalogue) + b"]"
    raw = messages.response(request.key, messages.object_from(members))
    form, has_apps = shown.listing.form, request.audience.has_apps
    return Answered("list", sent, raw, has_apps=has_apps, form=form)
