"""Tools that are not listed in full: how an agent finds them, reads about them and calls them.

Penstock answers `find_tools` and `describe_tools`. It turns a call of `call_tool` into a call of
the tool that it names, which is then like any other call. `disclosure` words the agent's replies.
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
    CALL,
    CALL_READ_ONLY,
    DESCRIBE,
    DESCRIPTION_REQUIRED,
    FIND,
    OWN_NAMES,
    is_called,
)
from penstock.disclosure.uris import asks_for_whole, named_in
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
    """Answer `find_tools` and `describe_tools`. Turn a call of `call_tool` into a call of the tool
    that it names."""
    if not _depends_on_list(request):
        return None
    # With a strict gate or decorators, an unknown tool may be new: ask for the list again. In all
    # other cases upstream reports the unknown tool.
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
    if role in (CALL_READ_ONLY, CALL):
        return (yield from _unwrap(request, role))
    yield from _take_grant(request)
    return None


def _depends_on_list(request: Request) -> bool:
    """Return whether the answer to a call depends on the list that its client is shown. A client
    that calls before any list was not shown a brief one, so then only a strict gate objects."""
    toolbox = request.toolbox
    if request.connection.is_inside and (toolbox is None or not toolbox.knows(request.tool)):
        return True  # the list tells whether a decorator has marked the tool
    if toolbox is None and request.audience.has_apps:
        return True  # the list tells whether a widget shows the result
    if not request.may_hide:
        return False
    if toolbox is not None or request.gate == "strict":
        return True
    return any(is_called(request.tool, role) for role in OWN_NAMES)


# -- tools that Penstock answers ---------------------------------------------------------------


def _find(request: Request) -> Steps[bytes]:
    given = _arguments(request) or {}
    enquiry = yield from _enquiry(request)
    told: DescribedReply = yield Find(enquiry, given.get("query"), given.get("limit"))
    return request.answer(_wire(request, is_error=told.is_error)(told.reply))


def _describe(request: Request) -> Steps[bytes]:
    arguments = _arguments(request) or {}
    request.grant = arguments.get(GRANT_FIELD)
    told: DescribedReply = yield Describe(
        (yield from _enquiry(request)),
        _names(arguments),
        is_tool=True,
        is_whole=arguments.get("whole") is True,
        written_as=arguments.get("as"),
    )
    return request.answer(_wire(request, is_error=told.is_error)(told.reply))


_ANSWERS: Final[Mapping[str, Callable[[Request], Steps[bytes]]]] = {
    FIND: _find,
    DESCRIBE: _describe,
}


def describe_resource(request: Request, uri: str, wire: Wire) -> Steps[bytes]:
    """Return the resource that holds descriptions, or b"" if its URI alone exceeds the budget."""
    enquiry = yield from _enquiry(request, wire)
    told: DescribedReply = yield Describe(
        enquiry, named_in(uri), is_tool=False, is_whole=asks_for_whole(uri)
    )
    return wire(told.reply) if enquiry.fits(told.reply) else b""


# -- calls of other tools ----------------------------------------------------------------------


def _meant(request: Request, role: str) -> Iterable[str]:
    """Return the names of upstream's tools that a call is about."""
    if not role:
        return (request.tool,)
    if role == DESCRIBE:
        return [name for name in _names(_arguments(request) or {}) or () if isinstance(name, str)]
    given = messages.members_of(request.arguments or msgspec.UNSET)
    name = messages.text_of(given, "name")
    return (name,) if name else ()


def _unwrap(request: Request, role: str) -> Steps[bytes | None]:
    """Turn a call of `call_tool` into a call of the tool that it names, or answer with an error."""
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
    """Take the grant handle out of a tool's arguments, unless the tool has such a parameter."""
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
    """Refuse a call of a tool that was not listed in full, if the setting `gate` says so.

    The answer holds the description, if the arguments do not fit it, or asks the agent to read it.
    """
    if not request.may_hide:
        return None
    shown = yield from disclosed(request)
    if shown is None or shown.listing.says_all_of(request.tool) or request.tool == request.reader:
        return None
    enquiry = yield from _enquiry(request)
    is_there = request.upstream_tool is not None
    refusal: bytes = yield Judge(enquiry, request.tool, _arguments(request), is_there)
    as_error = _wire(request, is_error=True)
    return (request.fault or request.answer(as_error(refusal))) if refusal else None


# -- to and from `disclosure` ------------------------------------------------------------------


def _enquiry(request: Request, wire: Wire | None = None) -> Steps[Enquiry]:
    shown: Shown | None = yield from disclosed(request)
    if shown is None:
        raise LookupError("upstream's tools are not known")
    connection = request.connection
    return Enquiry(
        shown.catalogue.without_apps(),  # tools for apps alone do not exist for an agent
        shown.listing,
        shown.audience,
        holder_of(request),
        _fits(request, wire or _counted(request)),
        Call(
            DESCRIBE,
            {},
            connection.principal,
            connection.server,
            heavy=True,
            reader=request.reader,
            is_merged=False,
            party=connection.party,
        ),
    )


def _fits(request: Request, wire: Wire) -> Callable[[bytes], bool]:
    budget, meter = request.policy.budget, request.meter
    return lambda payload: budget.admits(wire(payload), meter)


def _wire(request: Request, *, is_error: bool = False) -> Wire:
    return lambda payload: _reply(request, payload, is_error=is_error).wire()


def _counted(request: Request) -> Wire:
    """Return a function that makes the part of an error which counts against the budget."""
    return lambda payload: _reply(request, payload, is_error=True).everything


def _reply(request: Request, payload: bytes, *, is_error: bool) -> Reply:
    frame = request.known.frame(is_modern=request.is_modern)
    return Reply(payload, is_error=is_error, frame=frame)


def _names(arguments: Mapping[str, Any]) -> list[Any] | None:
    """Return the names, from a list or from one text; None for anything else."""
    given = arguments.get("tools") or []
    names = given.split(",") if isinstance(given, str) else given
    return names if isinstance(names, list) else None


def _arguments(request: Request) -> dict[str, Any] | None:
    """Return the arguments, {} if they are no object, or None if they nest too deep to decode."""
    raw = request.arguments
    if raw is None or bytes(raw).strip() == b"null":
        return {}
    given = request.decoded
    return given if isinstance(given, dict) else None if given is None else {}
