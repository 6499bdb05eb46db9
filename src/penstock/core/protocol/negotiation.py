"""The protocol: how a call, with a token or without, becomes a reply.

THEORY OF OPERATION

A call comes with a token or without one.

Without a token, the tool runs once. A result within the setting `inline` passes unchanged. Any other result is
cut into rows, packed, and stored under the digest of a new secret. The reply is a probe, which
carries the secret as a continuation token. If storing fails, the reply says so and carries the
first page, because the tool must not run again.

With a token, the tool does not run. The entry of the token is loaded. Before any row is shown, it must
pass three checks: it belongs to the caller; it comes from this server and this tool (the reader may
read the results of all tools); the caller may still use that tool. If a check fails, the reply is the
same as for a token that never existed. Then the other arguments are checked, and a view makes the
reply.

A reply says how much it leaves out, and how to get it: `next` continues at the exact
row, and `$path` leads into a row that is too large. Some views (sql, query, search) make a new
result. It is stored as a child of the entry, and cannot be read for longer than the entry. An answer
that joins several entries is a child of all of them: it ends with the first, and each read checks the
tools of all.

RULES FOR CHANGES

1. Nothing here does I/O, reads a clock or draws a random number: yield an effect, or use the
   `Context`. The sync gate and the async gate must both be able to drive this code.
2. Every `Reply` has the frame of the call, and a `ReplyScale` has weighed it.
3. Every refused token gets the same text, `REFUSED`, also a text that is no token. The reason goes into `Reply.reason`, for the log.
4. The token is checked before any other argument, so that errors about other arguments do not
   reveal whether a token exists.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import msgspec

from penstock.core.json import rawjson
from penstock.core.model.continuation import Token, parse
from penstock.core.model.effects import Ran, Run, Steps
from penstock.core.model.reply import MEDIA_TYPES, Reply
from penstock.core.model.stored import Live
from penstock.core.model.values import Call, Mode, Refusal
from penstock.core.protocol import schema
from penstock.core.protocol.entries import (
    Context,
    Denied,
    Opened,
    digests,
    open_entry,
    token_refusal,
)
from penstock.core.protocol.first_reply import conclude, for_tool, refuse
from penstock.core.protocol.joins import open_tables
from penstock.core.protocol.parts import start_of
from penstock.core.protocol.reading import look
from penstock.core.protocol.references import PREFIX as REFERENCE
from penstock.core.protocol.references import (
    Fetched,
    Resolved,
    has_references,
    resolve_arguments,
)
from penstock.core.results.media import BYTES_TYPE
from penstock.core.views.full import handle_text
from penstock.core.views.paths import resolve
from penstock.core.views.request import (
    FIELDS,
    READER_FIELDS,
    TOKEN_FIELD,
    is_absent,
    read_request,
    shown,
)
from penstock.errors import StoreError

_COUNTED = {"rows": "row", "lines": "line"}  # how a part of a shape is called
_MOST_PAGES = 2**40  # keeps row numbers within the 64 bits of a store
_MEDIA_STARTS = tuple(f'{{"type":"{kind}"'.encode() for kind in (*MEDIA_TYPES, BYTES_TYPE))


def negotiate(call: Call, context: Context) -> Steps[Reply]:
    """Answer one call of a tool or of the reader."""
    context = for_tool(call.tool, context)
    try:
        return (yield from _negotiate(call, context))
    except StoreError as error:
        return refuse(Refusal(error.told, type(error).next_step, repr(error)), call, context)


def _negotiate(call: Call, context: Context) -> Steps[Reply]:
    token = call.arguments.get(TOKEN_FIELD)
    if not call.is_reader and TOKEN_FIELD in schema.owned_fields(call.schema):
        # The tool has an argument of this name, which is not Penstock's.
        return (yield from _first_call(call, context))
    if not is_absent(token):
        return (yield from _redeem(call, context, token))
    if call.is_reader:
        return refuse(_missing(call), call, context)
    return (yield from _first_call(call, context))


def _missing(call: Call) -> Refusal:
    if is_absent(call.arguments.get("tables")):
        return Refusal(f"{TOKEN_FIELD} is missing.", f"Give the {TOKEN_FIELD} of an earlier reply.")
    return Refusal(
        f"{TOKEN_FIELD} is missing beside tables.",
        f"Give one of the tokens as {TOKEN_FIELD}: its rows are the table result.",
    )


# -- the first call ----------------------------------------------------------------------------


def _first_call(call: Call, context: Context) -> Steps[Reply]:
    own_schema = call.schema if call.is_merged else None
    arguments, unused = schema.strip_arguments(call.arguments, own_schema)
    missing = [name for name in schema.required_arguments(own_schema) if name not in arguments]
    if missing:
        named = ", ".join(map(shown, missing[:10]))
        return refuse(
            Refusal(f"Missing: {named}.", f"Call {shown(call.tool)} again with {named}."),
            call,
            context,
        )
    resolved = yield from _resolve_references(call, context, arguments)
    if isinstance(resolved, Refusal):
        return refuse(resolved, call, context)
    handed_on = resolved.handed_on
    notices = [f"Handed on: {'; '.join(handed_on)}."] if handed_on else []
    notices += [f"Ignored without {TOKEN_FIELD}: {', '.join(unused)}."] if unused else []
    notice = " ".join(notices)
    ran: Ran = yield Run(resolved.arguments, has_values=bool(handed_on), notice=notice)
    return (yield from conclude(call, replace(context, now=ran.now), ran.output, notice))


def _resolve_references(
    call: Call, context: Context, arguments: dict[str, Any]
) -> Steps[Resolved | Refusal]:
    """Return the arguments with stored values in place of references."""
    if not has_references(arguments):
        return Resolved(arguments, [])
    return (yield from resolve_arguments(arguments, call.schema, partial(_hand_on, call, context)))


def _hand_on(call: Call, context: Context, token: str, path: str) -> Steps[Fetched | Refusal]:
    """Return a stored value for an argument of the tool, if the tool may get it."""
    found = yield from _fetch(call, context, token, path)
    if isinstance(found, Refusal) or call.refusal_of is None:
        return found
    return call.refusal_of(found.sources) or found


def fetch(call: Call, context: Context, token: str, path: str = "") -> Steps[Fetched | Refusal]:
    """Return a whole stored value, whichever tool gave it."""
    try:
        return (yield from _fetch(call, context, token, path))
    except StoreError as error:
        return Refusal(error.told, type(error).next_step, repr(error))


def _fetch(call: Call, context: Context, token: str, path: str) -> Steps[Fetched | Refusal]:
    opened = yield from open_entry(replace(call, is_reader=True), context, parse(token))
    if isinstance(opened, Denied):
        return token_refusal(opened)
    head = opened.entry.head
    start = yield from start_of(opened)
    if isinstance(start, Refusal):
        return start
    if isinstance(head.source, Live) and start.count > context.policy.query_rows:
        return _too_many(start.count, context.policy.query_rows)
    focus = yield from resolve(start, opened.position.path + path)
    if isinstance(focus, Refusal):
        return focus
    text = (yield from focus.text()) if focus.is_text else None
    value = b"" if focus.shape == "lines" else (yield from focus.whole())
    plural = "" if focus.count == 1 else "s"
    part = _COUNTED.get(focus.shape)
    counted = f"{focus.count:,} {part}{plural}" if part else ""
    return Fetched(
        value,
        text,
        is_json=focus.is_json_text,
        counted=counted,
        list_path=focus.list_path if focus.shape == "rows" else "",
        sources=opened.sources,
    )


def _too_many(count: int, most: int) -> Refusal:
    return Refusal(
        f"The live result has {count} rows; at most {most} can be passed on.",
        "Make a smaller result with mode sql or query, and pass that on.",
    )


# -- the second call ---------------------------------------------------------------------------


def _redeem(call: Call, context: Context, token: Any) -> Steps[Reply]:
    if isinstance(token, str) and token.startswith(REFERENCE):
        wrong = Refusal(
            f"{TOKEN_FIELD} takes the token alone; {REFERENCE} is for arguments of tools.",
            f'Leave out "{REFERENCE}".',
        )
        return refuse(wrong, call, context)
    if not isinstance(token, str):
        wrong = Refusal(
            f"{TOKEN_FIELD} {shown(token)} is not text.",
            f"Give the {TOKEN_FIELD} of an earlier reply unchanged.",
        )
        return refuse(wrong, call, context)
    parsed = parse(token)
    opened = yield from open_entry(call, context, parsed, rows=_likely_rows(call, context, parsed))
    if isinstance(opened, Denied):
        return refuse(token_refusal(opened), call, context)
    of_any_tool, context = context, for_tool(opened.entry.head.tool, context)
    changed = _changed_arguments(call, opened)
    if changed is not None:
        return refuse(changed, call, context)
    request = read_request(call.arguments, opened.position, context.policy, _fields(call))
    if isinstance(request, Refusal):
        return refuse(request, call, context)
    joined = yield from open_tables(call, of_any_tool, opened.entry, request.tables)
    if isinstance(joined, Refusal):
        return refuse(joined, call, context)
    reply = yield from look(call, context, opened, request, joined)
    return refuse(reply, call, context) if isinstance(reply, Refusal) else reply


def _likely_rows(call: Call, context: Context, token: Token | None) -> tuple[int, int] | None:
    """Guess the rows of a page, so that a store can send them along with the head."""
    place = token.place if token is not None else None
    arguments, policy = call.arguments, context.policy
    if place is None or arguments.get("path") or place.path:
        return None
    if arguments.get("mode") not in (None, "", Mode.PAGINATED, Mode.FILTERED):
        return None
    page, size = arguments.get("page"), arguments.get("page_size") or place.page_size
    size = size if isinstance(size, int) and 0 < size <= policy.max_page_size else policy.page_size
    if isinstance(page, int) and 0 < page < _MOST_PAGES:
        return ((page - 1) * size, page * size)
    return (place.row, place.row + size)


def _fields(call: Call) -> tuple[str, ...]:
    """Return the fields that are Penstock's. In a call of a tool, others are the tool's."""
    return READER_FIELDS if call.is_reader else FIELDS


def _changed_arguments(call: Call, opened: Opened) -> Refusal | None:
    """Refuse changed arguments. With a token, the arguments of the first call may only be repeated."""
    beside = {
        name: value
        for name, value in call.arguments.items()
        if name not in _fields(call) and not is_absent(value)
    }
    known = opened.entry.head.arguments
    given = digests(beside)
    changed = [name for name in given if known.get(name) != given[name]]
    if not changed:
        return None
    named = ", ".join(map(shown, changed[:10]))
    if call.is_reader:
        return Refusal(f"Unknown here: {named}.", f"Use some of: {', '.join(READER_FIELDS)}.")
    return Refusal(
        f"These differ from the call that gave the {TOKEN_FIELD}: {named}.",
        f"Leave them out to go on with the stored result, or leave out {TOKEN_FIELD} "
        "to run the tool with them.",
    )


# -- resources ---------------------------------------------------------------------------------


class Resource(msgspec.Struct, frozen=True):
    """The content of a stored result, or of a part of it, as a client reads it."""

    uri: str
    mime_type: str
    text: str
    blob: str = ""  # an image, audio or other bytes as base64, and `text` is then empty


def read_resource(call: Call, context: Context, uri: str) -> Steps[Resource | Refusal]:
    """Read the content behind a resource link. It is for the client, not the model, so no budget
    applies."""
    try:
        return (yield from _read_resource(call, context, uri))
    except StoreError as error:
        return Refusal(error.message, error.next_step)


def _read_resource(call: Call, context: Context, uri: str) -> Steps[Resource | Refusal]:
    opened = yield from open_entry(call, context, parse(handle_text(uri)), as_handle=True)
    if isinstance(opened, Denied):
        return token_refusal(opened)
    focus = yield from start_of(opened)
    if isinstance(focus, Refusal):
        return focus
    if focus.is_text:
        text = yield from focus.text()
        kind = "application/json" if focus.is_json_text else "text/plain"
        return Resource(uri, kind, rawjson.text(text))
    value = yield from focus.whole()
    media = _media(value)
    if media is not None:
        return Resource(uri, media["mimeType"], "", media["data"])
    return Resource(uri, "application/json", rawjson.text(value))


def _media(value: bytes) -> dict[str, Any] | None:
    """Return the block of an image or audio that was too large for its reply, or the value that
    stands for other bytes, or None."""
    if not value.startswith(_MEDIA_STARTS):
        return None
    block = rawjson.decode(value)
    is_media = isinstance(block.get("data"), str) and isinstance(block.get("mimeType"), str)
    return block if is_media else None
