"""Stored results as resources, and the duties of a server that has no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from penstock.cancellation import Cancelled
from penstock.encoding import encode
from penstock.model import Call, Refusal
from penstock.relay import eras, messages
from penstock.relay.messages import INVALID_PARAMS, RESOURCE_NOT_FOUND
from penstock.relay.state import Later, Outputs, Pending, ToUpstream
from penstock.views.whole import URI_PREFIX

if TYPE_CHECKING:
    from penstock.relay.session import Session

_LONGEST_SHOWN = 100


def open_list(session: Session, pending: Pending, line: bytes) -> Outputs:
    return _nothing(session, pending, line, "resources")


def open_templates(session: Session, pending: Pending, line: bytes) -> Outputs:
    return _nothing(session, pending, line, "resourceTemplates")


def open_read(session: Session, pending: Pending, line: bytes) -> Outputs:
    uri = messages.text_of(messages.members_of(pending.params), "uri")
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


def _nothing(session: Session, pending: Pending, line: bytes, name: str) -> Outputs:
    """An empty list, where upstream has no resources and so cannot be asked for them."""
    if not session.known.lacks_resources:
        return [ToUpstream(line)]
    fault = _fault(pending)
    if fault is not None:
        return session.refuse(pending, fault)
    cursor = messages.members_of(pending.params).get("cursor")
    if cursor is not None and messages.decoded(cursor) is not None:
        return session.fail(pending, INVALID_PARAMS, "Unknown cursor: the list has one page.")
    cacheable = {"ttlMs": 0, "cacheScope": "public"}
    return session.answer(pending, _stamped(pending, {name: []}, cacheable))


def _read(session: Session, pending: Pending, uri: str) -> Outputs:
    call = Call("", principal=session.principal, server=session.server)
    try:
        found = session.gate.read_resource(call, uri, cancellation=pending.cancellation)
    except Cancelled:
        return []
    if isinstance(found, Refusal):
        return _not_found(session, pending, uri)
    body = {"blob": found.blob} if found.blob else {"text": found.text}
    content = {"uri": uri, "mimeType": found.mime_type, **body}
    # How much of the handle's life is left is not known here, and a copy is not to outlive it.
    cacheable = {"ttlMs": 0, "cacheScope": "private"}
    return session.answer(pending, _stamped(pending, {"contents": [content]}, cacheable))


def _not_found(session: Session, pending: Pending, uri: str | None) -> Outputs:
    code = INVALID_PARAMS if pending.is_modern else RESOURCE_NOT_FOUND
    is_short = uri is not None and len(uri) <= _LONGEST_SHOWN
    return session.fail(pending, code, "Resource not found", {"uri": uri} if is_short else None)


def _stamped(pending: Pending, result: dict[str, object], cacheable: dict[str, object]) -> bytes:
    return encode({**result, **cacheable, **eras.COMPLETE} if pending.is_modern else result)


def _fault(pending: Pending) -> bytes | None:
    if not pending.is_modern:
        return None
    params: msgspec.Raw | msgspec.UnsetType = pending.params
    return eras.envelope_fault(eras.meta_of(params))
