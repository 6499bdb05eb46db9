"""Stored results and tool descriptions as resources. If upstream has no resources, Penstock answers
every request for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.values import Call, Refusal
from penstock.core.protocol.negotiation import Resource
from penstock.core.views.full import URI_PREFIX, handle_text
from penstock.disclosure.lists import workflow
from penstock.disclosure.uris import is_descriptions, named_in
from penstock.explorer import URI
from penstock.wire import messages
from penstock.wire.effects import Forward, LoadExplorer, ReadResource, Steps, UpstreamAnswer
from penstock.wire.inner_penstock import is_theirs
from penstock.wire.lists import has_cursor, know_tools
from penstock.wire.messages import INVALID_PARAMS, RESOURCE_NOT_FOUND
from penstock.wire.on_demand import describe_resource
from penstock.wire.request import Request, pass_on
from penstock.wire.shown_tools import depends_on_client, disclosed, has_explorer

JSON: Final = "application/json"
_LONGEST_SHOWN: Final = 100
# The page is the same for everybody until another version of Penstock is installed.
_EXPLORER: Final = {"ttlMs": 3_600_000, "cacheScope": "public"}
_NOT_TO_BE_KEPT: Final = {"ttlMs": 0, "cacheScope": "private"}


# -- lists -------------------------------------------------------------------------------------


def resources_list(request: Request) -> Steps[bytes]:
    return (yield from _list(request, "resources"))


def resource_templates_list(request: Request) -> Steps[bytes]:
    return (yield from _list(request, "resourceTemplates"))


def _list(request: Request, name: str) -> Steps[bytes]:
    """Answer with upstream's list and our own. An upstream without resources cannot be asked."""
    if request.known.lacks_resources:
        return request.fault or (yield from _ours_alone(request, name))
    answer: UpstreamAnswer = yield Forward(request.line)
    if answer.result is None or has_cursor(request):
        return answer.line
    ours = b",".join((yield from _ours(request, name)))
    members: dict[str, bytes | msgspec.Raw] = dict(answer.result)
    theirs = bytes(members.get(name, b"")).strip()
    if not ours or not theirs.startswith(b"["):
        return answer.line
    rest = theirs[1:].lstrip()
    members[name] = b"[" + ours + (b"" if rest.startswith(b"]") else b",") + rest
    if "cacheScope" in members and depends_on_client(request):
        members["cacheScope"] = b'"private"'
    return request.answer(messages.object_from(members))


def _ours_alone(request: Request, name: str) -> Steps[bytes]:
    if has_cursor(request):
        return request.fail(INVALID_PARAMS, "Unknown cursor: the list has one page.")
    ours = [msgspec.Raw(item) for item in (yield from _ours(request, name))]
    return _result(request, {name: ours}, _NOT_TO_BE_KEPT)


def _ours(request: Request, name: str) -> Steps[list[bytes]]:
    """Return the explorer for a client that shows apps, and the descriptions of tools for a client
    that is not shown all of them."""
    yield from _know_what_is_hidden(request)
    ours: list[bytes] = []
    if name == "resources" and has_explorer(request):
        from penstock.explorer import page

        ours.append(encode(page.listed()))
    shown = yield from disclosed(request)
    if shown is None or shown.is_full:
        return ours  # a full list leaves nothing to describe
    make = workflow.listed_resource if name == "resources" else workflow.listed_template
    return [*ours, encode(make(request.gate, shown.listing.form, shown.listing.own))]


def _know_what_is_hidden(request: Request, names: Iterable[str] = ()) -> Steps[None]:
    """Learn upstream's tools, unless this client is shown them in full: then nothing is hidden."""
    if request.may_hide:
        yield from know_tools(request, names=names)


# -- contents ----------------------------------------------------------------------------------


def resources_read(request: Request) -> Steps[bytes]:
    uri = messages.text_of(messages.members_of(request.params), "uri")
    if uri == URI and has_explorer(request):
        return request.fault or (yield from _read_explorer(request))
    if uri is not None and is_descriptions(uri):
        yield from _know_what_is_hidden(request, () if request.toolbox is None else named_in(uri))
        shown = yield from disclosed(request)
        # A client with a full list does not need ours, and upstream may have this URI.
        if shown is not None and not shown.is_full:
            return request.fault or (yield from _describe(request, uri))
    if uri is not None and uri.startswith(URI_PREFIX):
        return request.fault or (yield from _read_stored(request, uri))
    if request.known.lacks_resources:
        return request.fault or _not_found(request, uri)
    return (yield from pass_on(request))


def _read_explorer(request: Request) -> Steps[bytes]:
    content = yield LoadExplorer()
    return _result(request, {"contents": [content]}, _EXPLORER)


def _describe(request: Request, uri: str) -> Steps[bytes]:
    def wire(payload: bytes) -> bytes:
        content = {"uri": uri, "mimeType": JSON, "text": rawjson.text(payload)}
        return _stamped(request, {"contents": [content]}, _NOT_TO_BE_KEPT)

    result = yield from describe_resource(request, uri, wire)
    if result:
        return request.answer(result)
    told = "The URI is too long: ask for fewer tools."
    return request.fail(_not_found_code(request), told)


def _read_stored(request: Request, uri: str) -> Steps[bytes]:
    call = Call("", principal=request.connection.principal, server=request.connection.server)
    found: Resource | Refusal = yield ReadResource(call, uri)
    if isinstance(found, Refusal):
        is_askable = not request.known.lacks_resources
        if is_askable and (yield from is_theirs(request, handle_text(uri))):
            return (yield from pass_on(request))
        return _not_found(request, uri)
    body = {"blob": found.blob} if found.blob else {"text": found.text}
    content = {"uri": uri, "mimeType": found.mime_type, **body}
    # A cached copy must not outlive the stored result, whose remaining life is not known here.
    return _result(request, {"contents": [content]}, _NOT_TO_BE_KEPT)


def _not_found(request: Request, uri: str | None) -> bytes:
    is_short = uri is not None and len(uri) <= _LONGEST_SHOWN
    data = {"uri": uri} if is_short else None
    return request.fail(_not_found_code(request), "Resource not found", data)


def _not_found_code(request: Request) -> int:
    return INVALID_PARAMS if request.is_modern else RESOURCE_NOT_FOUND


def _result(request: Request, result: dict[str, Any], cacheable: dict[str, Any]) -> bytes:
    return request.answer(_stamped(request, result, cacheable))


def _stamped(request: Request, result: dict[str, Any], cacheable: dict[str, Any]) -> bytes:
    if not request.is_modern:
        return encode(result)
    return encode({**result, **cacheable, **request.known.stamp(is_modern=True)})
