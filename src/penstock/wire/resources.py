"""Stored results and descriptions as resources, and the duties of a server that has no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.cancellation import Cancelled
from penstock.core.model.values import Call, Refusal
from penstock.core.views.whole import URI_PREFIX
from penstock.disclosure import workflow
from penstock.disclosure.uris import is_descriptions, named_in
from penstock.explorer import URI
from penstock.wire import eras, messages
from penstock.wire.disclosing import audience_of, depends_on_client, has_explorer, listing_of
from penstock.wire.lists import with_toolbox
from penstock.wire.messages import INVALID_PARAMS, RESOURCE_NOT_FOUND, Message
from penstock.wire.session import Session
from penstock.wire.state import Later, Outputs, Pending, ToUpstream

JSON = "application/json"
_LONGEST_SHOWN = 100
_EXPLORER_MS = 3_600_000


def open_list(session: Session, pending: Pending, line: bytes) -> Outputs:
    return _open(session, pending, line, "resources")


def open_templates(session: Session, pending: Pending, line: bytes) -> Outputs:
    return _open(session, pending, line, "resourceTemplates")


def _open(session: Session, pending: Pending, line: bytes, name: str) -> Outputs:
    """Upstream's list; where it has no resources and so cannot be asked for them, ours alone."""
    if not session.known.lacks_resources:
        return [ToUpstream(line)]
    fault = _fault(pending)
    if fault is not None:
        return session.refuse(pending, fault)
    if _has_cursor(pending):
        return session.fail(pending, INVALID_PARAMS, "Unknown cursor: the list has one page.")
    pending.is_ours = True

    def answer() -> Outputs:
        ours = [msgspec.Raw(item) for item in _ours(session, pending, name)]
        cacheable = {"ttlMs": 0, "cacheScope": "private"}
        return session.answer(pending, _stamped(session, pending, {name: ours}, cacheable))

    return _once_known(session, pending, answer)


def close_list(session: Session, pending: Pending, message: Message, line: bytes) -> Outputs:
    return _close(session, pending, message, line, "resources")


def close_templates(session: Session, pending: Pending, message: Message, line: bytes) -> Outputs:
    return _close(session, pending, message, line, "resourceTemplates")


def _close(session: Session, pending: Pending, message: Message, line: bytes, name: str) -> Outputs:
    """Upstream's first page, with ours before it."""
    if isinstance(message.result, msgspec.UnsetType) or _has_cursor(pending):
        return session.deliver(pending, line)
    members: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(message.result))
    pending.is_ours = True

    def answer() -> Outputs:
        theirs = bytes(members.get(name, b"")).strip()
        ours = b",".join(_ours(session, pending, name))
        if not ours or not theirs.startswith(b"["):
            return session.deliver(pending, line)
        rest = theirs[1:].lstrip()
        members[name] = b"[" + ours + (b"" if rest.startswith(b"]") else b",") + rest
        if "cacheScope" in members and depends_on_client(session, pending):
            members["cacheScope"] = b'"private"'
        return session.answer(pending, messages.object_from(members))

    return _once_known(session, pending, answer)


def _once_known(
    session: Session, pending: Pending, answer: Callable[[], Outputs], names: Iterable[str] = ()
) -> Outputs:
    """What we add depends on upstream's tools, unless this client is shown them all anyway."""
    may_add = session.discloser.may_hide(audience_of(session, pending))
    return with_toolbox(session, pending, answer, names=names) if may_add else answer()


def _ours(session: Session, pending: Pending, name: str) -> list[bytes]:
    """The explorer, where a client shows apps, and the descriptions, where it is not shown them all."""
    seen_by = audience_of(session, pending)
    ours: list[bytes] = []
    if name == "resources" and has_explorer(session, seen_by):
        from penstock.explorer import page

        ours.append(encode(page.listed()))
    listing = listing_of(session, pending)
    if listing is None or listing.form == "full":
        return ours  # of a list that is complete there is nothing more to say
    gate = session.discloser.gate_for(seen_by)
    make = workflow.listed_resource if name == "resources" else workflow.listed_template
    return [*ours, encode(make(gate, listing.form, listing.own))]


def _has_cursor(pending: Pending) -> bool:
    return messages.decoded(messages.members_of(pending.params).get("cursor")) is not None


def open_read(session: Session, pending: Pending, line: bytes) -> Outputs:
    uri = messages.text_of(messages.members_of(pending.params), "uri")
    if uri == URI and has_explorer(session, audience_of(session, pending)):
        return _open_explorer(session, pending)
    if uri is not None and is_descriptions(uri):
        pending.is_ours = True
        names = () if session.toolbox is None else named_in(uri)
        return _once_known(
            session, pending, lambda: _open_descriptions(session, pending, line, uri), names
        )
    return _open_stored(session, pending, line, uri)


def _open_explorer(session: Session, pending: Pending) -> Outputs:
    fault = _fault(pending)
    if fault is not None:
        return session.refuse(pending, fault)
    pending.is_ours = True
    return [Later(lambda: _read_explorer(session, pending), pending)]


def _read_explorer(session: Session, pending: Pending) -> Outputs:
    from penstock.explorer import page

    # The same for everybody, until another version of it is installed.
    cacheable = {"ttlMs": _EXPLORER_MS, "cacheScope": "public"}
    result = _stamped(session, pending, {"contents": [page.content()]}, cacheable)
    return session.answer(pending, result)


def _open_descriptions(session: Session, pending: Pending, line: bytes, uri: str) -> Outputs:
    """Ours where this client needs it; else upstream may have one of that name."""
    listing = listing_of(session, pending)
    if listing is None or listing.form == "full":
        pending.is_ours = False
        return _open_stored(session, pending, line, uri)
    fault = _fault(pending)
    if fault is not None:
        return session.refuse(pending, fault)
    return [Later(lambda: _describe(session, pending, uri), pending)]


def _describe(session: Session, pending: Pending, uri: str) -> Outputs:
    from penstock.wire import on_demand

    def wire(payload: bytes) -> bytes:
        content = {"uri": uri, "mimeType": JSON, "text": rawjson.text(payload)}
        cacheable = {"ttlMs": 0, "cacheScope": "private"}
        return _stamped(session, pending, {"contents": [content]}, cacheable)

    result = on_demand.read(session, pending, uri, wire)
    if result:
        return session.answer(pending, result)
    code = INVALID_PARAMS if pending.is_modern else RESOURCE_NOT_FOUND
    return session.fail(pending, code, "The URI is too long to be answered: ask for fewer tools.")


def _open_stored(session: Session, pending: Pending, line: bytes, uri: str | None) -> Outputs:
    is_stored = uri is not None and uri.startswith(URI_PREFIX)
    if not is_stored and not session.known.lacks_resources:
        return [ToUpstream(line)]
    fault = _fault(pending)
    if fault is not None:
        return session.refuse(pending, fault)
    if uri is None or not is_stored:
        return _not_found(session, pending, uri)
    pending.is_ours = True
    return [Later(lambda: _read(session, pending, uri), pending)]


def _read(session: Session, pending: Pending, uri: str) -> Outputs:
    call = Call("", principal=session.principal, server=session.server)
    try:
        found = session.gate.read_resource(
            call, uri, cancellation=pending.cancellation, **session.hooks
        )
    except Cancelled:
        return []
    if isinstance(found, Refusal):
        return _not_found(session, pending, uri)
    body = {"blob": found.blob} if found.blob else {"text": found.text}
    content = {"uri": uri, "mimeType": found.mime_type, **body}
    # How much of the handle's life is left is not known here, and a copy is not to outlive it.
    cacheable = {"ttlMs": 0, "cacheScope": "private"}
    return session.answer(pending, _stamped(session, pending, {"contents": [content]}, cacheable))


def _not_found(session: Session, pending: Pending, uri: str | None) -> Outputs:
    code = INVALID_PARAMS if pending.is_modern else RESOURCE_NOT_FOUND
    is_short = uri is not None and len(uri) <= _LONGEST_SHOWN
    return session.fail(pending, code, "Resource not found", {"uri": uri} if is_short else None)


def _stamped(
    session: Session, pending: Pending, result: dict[str, object], cacheable: dict[str, object]
) -> bytes:
    if not pending.is_modern:
        return encode(result)
    return encode({**result, **cacheable, **session.known.stamp(is_modern=True)})


def _fault(pending: Pending) -> bytes | None:
    if not pending.is_modern:
        return None
    params: msgspec.Raw | msgspec.UnsetType = pending.params
    return eras.envelope_fault(eras.meta_of(params))
