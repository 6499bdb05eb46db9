"""Penstock's tools for what is not listed, and the gate before the others.

`find_tools` and `describe_tools` are answered here. A call through `call_tool` becomes the call of
the tool that it names, and is from then on like any other. What the agent is told is `disclosure`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.core.json.encoding import encode
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call
from penstock.disclosure.grants import GRANT_FIELD
from penstock.disclosure.names import (
    DESCRIBE,
    DESCRIPTION_REQUIRED,
    FIND,
    OWN_NAMES,
    is_called,
)
from penstock.disclosure.uris import named_in
from penstock.wire import messages
from penstock.wire.effects import Describe, Enquiry, Find, Judge, Steps, Unwrap
from penstock.wire.lists import know_tools
from penstock.wire.request import Request
from penstock.wire.shown_tools import disclosed, holder_of
from penstock.wire.upstream_state import Shown

if TYPE_CHECKING:
    from penstock.disclosure.describe_tools import DescribedReply

Wire = Callable[[bytes], bytes]
_NOT_LISTED: Final = encode(
    {
        "error": {
            "code": DESCRIPTION_REQUIRED,
            "message": "The server's tools could not be listed, so no description can be read.",
            "instructions": ["List the tools, and try again."],
        }
    }
)


def answer_on_demand(request: Request) -> Steps[bytes | None]:
    """Answer what a client asks of tools that it is not shown in full. Make of a call through another
    tool the call that it means."""
    if not _depends_on_list(request):
        return None
    # Before a strict gate, and where decorators speak, a tool that is not known may have come since;
    # else it is upstream's to say.
    may_have_come = request.connection.is_inside or request.gate == "strict"
    yield from know_tools(request, names=(request.tool,) if may_have_come else ())
    shown = yield from disclosed(request)
    if shown is None and request.gate == "strict":
        return request.fault or request.answer(_wire(request, is_error=True)(_NOT_LISTED))
    if shown is None or shown.is_full:
        return None
    role = shown.listing.role_of(request.tool)
    yield from know_tools(request, current=role in _ANSWERS, names=_meant(request, role))
    if role in _ANSWERS:
        return request.fault or (yield from _ANSWERS[role](request))
    if role:
        return (yield from _unwrap(request, role))
    yield from _take_grant(request)
    return None


def _depends_on_list(request: Request) -> bool:
    """Whether what becomes of a call depends on what its client is shown. One that has called
    without a list has been shown nothing in brief: only a strict gate has something to say then."""
    toolbox = request.toolbox
    if request.connection.is_inside and (toolbox is None or not toolbox.knows(request.tool)):
        return True  # what a decorator says of the tool decides first
    if toolbox is None and request.audience.has_apps:
        return True  # whose widget shows the result is said in the list
    if not request.may_hide:
        return False
    if toolbox is not None or request.gate == "strict":
        return True
    return any(is_called(request.tool, role) for role in OWN_NAMES)


# -- tools that are answered here --------------------------------------------------------------


def _find(request: Request) -> Steps[bytes]:
    query = (_arguments(request) or {}).get("query")
    told: DescribedReply = yield Find((yield from _enquiry(request)), query)
    return request.answer(_wire(request, is_error=told.is_error)(told.reply))


def _describe(request: Request) -> Steps[bytes]:
    arguments = _arguments(request) or {}
    request.grant = arguments.get(GRANT_FIELD)
    told: DescribedReply = yield Describe(
        (yield from _enquiry(request)), _names(arguments), is_tool=True
    )
    return request.answer(_wire(request, is_error=told.is_error)(told.reply))


_ANSWERS: Final[Mapping[str, Callable[[Request], Steps[bytes]]]] = {
    FIND: _find,
    DESCRIBE: _describe,
}


def describe_resource(request: Request, uri: str, wire: Wire) -> Steps[bytes]:
    """The resource that holds descriptions; empty where its own address is too long to answer to."""
    enquiry = yield from _enquiry(request, wire)
    told: DescribedReply = yield Describe(enquiry, named_in(uri), is_tool=False)
    return wire(told.reply) if enquiry.fits(told.reply) else b""


# -- calls of other tools ----------------------------------------------------------------------


def _meant(request: Request, role: str) -> Iterable[str]:
    """The tools of upstream's that a call is about."""
    if not role:
        return (request.tool,)
    if role == DESCRIBE:
        return [name for name in _names(_arguments(request) or {}) or () if isinstance(name, str)]
    given = messages.members_of(request.arguments or msgspec.UNSET)
    name = messages.text_of(given, "name")
    return (name,) if name else ()


def _unwrap(request: Request, role: str) -> Steps[bytes | None]:
    """Make of a call through `call_tool` the call of the tool that it names. Answer what is wrong
    with it, where that cannot be."""
    as_error = _wire(request, is_error=True)
    enquiry = yield from _enquiry(request)
    given = messages.members_of(request.arguments or msgspec.UNSET)
    inner = yield Unwrap(enquiry, role, request.tool, given)
    if isinstance(inner, bytes):
        return request.fault or request.answer(as_error(inner))
    request.grant = inner.grant
    request.become(inner.name, inner.arguments)
    yield from _take_grant(request)
    return None


def _take_grant(request: Request) -> Steps[None]:
    """The handle that an agent shows among the arguments of a tool is not the tool's."""
    given = messages.members_of(request.arguments or msgspec.UNSET)
    if GRANT_FIELD not in given or not holder_of(request).handle or request.gate == "off":
        return
    shown = yield from disclosed(request)
    tool = None if shown is None else shown.catalogue.without_apps().get(request.tool)
    if tool is not None and GRANT_FIELD in tool.parameters:
        return
    request.grant = messages.decoded(given[GRANT_FIELD])
    rest = {name: raw for name, raw in given.items() if name != GRANT_FIELD}
    request.become(request.tool, messages.object_from(rest))


def teach_or_refuse(request: Request) -> Steps[bytes | None]:
    """Answer a call of a tool that was not listed in full, where the setting `gate` wants that: with the
    description, if the arguments do not fit, or with the word that it has to be read first."""
    if not request.may_hide:
        return None
    shown = yield from disclosed(request)
    if shown is None or shown.listing.says_all_of(request.tool):
        return None
    enquiry = yield from _enquiry(request)
    is_there = request.upstream_tool is not None
    refusal: bytes = yield Judge(enquiry, request.tool, _arguments(request), is_there)
    as_error = _wire(request, is_error=True)
    return (request.fault or request.answer(as_error(refusal))) if refusal else None


# -- what `disclosure` is told, and how its words are sent -------------------------------------


def _enquiry(request: Request, wire: Wire | None = None) -> Steps[Enquiry]:
    shown: Shown | None = yield from disclosed(request)
    if shown is None:
        raise LookupError("nothing is known of upstream's tools")
    connection = request.connection
    return Enquiry(
        shown.catalogue.without_apps(),  # what is for apps alone, no agent finds, reads of, or calls
        shown.listing,
        shown.audience,
        holder_of(request),
        _fits(request, wire or _wire(request, is_error=True)),
        Call(
            DESCRIBE,
            {},
            connection.principal,
            connection.server,
            heavy=True,
            reader=request.reader,
            is_merged=False,
        ),
    )


def _fits(request: Request, wire: Wire) -> Callable[[bytes], bool]:
    budget, meter = request.policy.budget, request.meter
    return lambda payload: budget.admits(wire(payload), meter)


def _wire(request: Request, *, is_error: bool = False) -> Wire:
    frame = request.known.frame(is_modern=request.is_modern)
    return lambda payload: Reply(payload, is_error=is_error, frame=frame).wire()


def _names(arguments: Mapping[str, Any]) -> list[Any] | None:
    """Names, also where they were written as one text; None where they are something else."""
    given = arguments.get("tools") or []
    names = given.split(",") if isinstance(given, str) else given
    return names if isinstance(names, list) else None


def _arguments(request: Request) -> dict[str, Any] | None:
    """None where they nest too deep to be looked into."""
    raw = request.arguments
    if raw is None or bytes(raw).strip() == b"null":
        return {}
    given = request.decoded
    return given if isinstance(given, dict) else None if given is None else {}
