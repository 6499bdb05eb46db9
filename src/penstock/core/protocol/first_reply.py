"""The first reply about a result: what the agent sees of the tool's output.

The theory of operation and the rules in `negotiation` hold here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec

from penstock.core.budget.fitting import ReplyScale
from penstock.core.budget.host_members import within_cap
from penstock.core.json import rawjson
from penstock.core.model.effects import Entry, Put, Steps
from penstock.core.model.reply import Reply
from penstock.core.model.stored import Alias
from penstock.core.model.values import Call, LiveRows, Refusal, Result
from penstock.core.protocol import probe
from penstock.core.protocol.entries import Context, alias_entry, kept_meta, live_entry, new_entry
from penstock.core.protocol.reading import bookmark_of
from penstock.core.results.blocks import (
    document_as_text,
    document_of,
    has_large_media,
    repeated_places,
)
from penstock.core.results.ingest import Ingested, ingest
from penstock.core.results.media import bytes_value
from penstock.core.results.sample import Sample
from penstock.core.views.focus import root
from penstock.core.views.full import resource_link, resource_uri, whole_reply
from penstock.core.views.pages import Bookmark, beside, no_way_on, paginate
from penstock.core.views.request import ViewRequest
from penstock.errors import InvalidResult, StoreError
from penstock.settings.policy import Policy

NOTICES_META = "dev.penstock/notices"
_NOT_STORED = (
    "The result could not be stored: only this first part of it can be shown. "
    "The tool has run; another call would run it again."
)


def refuse(refusal: Refusal, call: Call, context: Context) -> Reply:
    """Return a refusal as a reply within the budget."""
    return replace(context.scale(call).refusal(refusal), reason=refusal.reason)


def for_tool(tool: str, context: Context) -> Context:
    return replace(context, policy=context.policy.for_tool(tool))


def conclude(
    call: Call, context: Context, result: Result | LiveRows, notice: str = ""
) -> Steps[Reply]:
    """Return what the agent sees of a result: the result itself, a probe or a first page."""
    context = for_tool(call.tool, context)
    if call.for_app:
        context = replace(context, policy=context.policy.for_apps)
    if isinstance(result, LiveRows):
        return (yield from _conclude_live(call, context, result, notice))
    given = result
    try:
        result = within_cap(given)
        ingested = _ingest(result, context.policy)
    except InvalidResult as error:
        return refuse(Refusal(error.message, error.next_step), call, context)
    inline = _inline_reply(call, context, result, ingested, notice)
    if inline is not None:
        inline = replace(inline, is_whole=result is given)
    is_asked = call.heavy or context.policy.heavy or call.essence is not None
    if inline is not None and not is_asked:
        return inline
    return (yield from _store_and_probe(call, context, result, ingested, inline, notice))


def keep(call: Call, context: Context, result: Result) -> Steps[str]:
    """Store a result whatever its size, and return its token; "" if the store did not take it."""
    context = for_tool(call.tool, context)
    entry, record = new_entry(call, context, _ingest(result, context.policy), result=result)
    try:
        yield Put(entry.key, record, call.tool)
    except StoreError:
        return ""
    return str(entry.token)


class KeptBytes(msgspec.Struct, frozen=True):
    """Stored bytes: the token with which an agent reads them, and the resource that holds them."""

    token: str
    uri: str


def keep_bytes(call: Call, context: Context, data: bytes) -> Steps[KeptBytes | None]:
    """Store bytes as a resource, or return None if the store did not take them."""
    context = for_tool(call.tool, context)
    result = Result(structured=bytes_value(data))
    entry, record = new_entry(call, context, _ingest(result, context.policy), result=result)
    named, alias = alias_entry(call, context, entry, Alias(entry.key, is_handle=True))
    try:
        yield Put(entry.key, record, call.tool, "the bytes of a result")
        yield Put(named.key, alias, call.tool, "a link to the bytes of a result")
    except StoreError:
        return None
    return KeptBytes(str(entry.token), resource_uri(named.token))


def _ingest(result: Result, policy: Policy) -> Ingested:
    cap = policy.media_cap
    # The wire carries twice the budget.
    hidden = policy.budget if policy.hides_user_blocks else None
    try:
        document = document_of(result, media_cap=cap, hidden_room=hidden)
        return ingest(document, policy.inline_budget)
    except rawjson.TooDeep:
        document = document_as_text(result, media_cap=cap, hidden_room=hidden)
        return ingest(document, policy.inline_budget)


def _inline_reply(
    call: Call, context: Context, result: Result, ingested: Ingested, notice: str
) -> Reply | None:
    """Return the result unchanged if it is small enough to pass, else None."""
    value = ingested.value()
    if value is None or has_large_media(result, context.policy.media_cap):
        return None
    scale = replace(context.scale(call), budget=context.policy.inline_budget)
    document = ingested.document
    reply = whole_reply(value, ingested.is_text, scale, document.wrapped, document.wrapper)
    reply = replace(reply, is_error=result.is_error, meta=dict(result.meta))
    reply = replace(reply, members=result.members)
    if result.content:
        # A model does not see `_meta`, so a notice is a block.
        told = ({"type": "text", "text": notice},) if notice else ()
        sent = msgspec.structs.replace(result, content=(*result.content, *told)) if told else result
        reply = replace(reply, untouched=sent, repeated=repeated_places(result))
    elif notices := [*([notice] if notice else []), *document.all_notices]:
        reply = replace(reply, meta={**result.meta, NOTICES_META: notices})
    return reply if scale.admits(reply) else None


def _store_and_probe(
    call: Call,
    context: Context,
    result: Result,
    ingested: Ingested,
    inline: Reply | None,
    notice: str,
) -> Steps[Reply]:
    entry, record = new_entry(call, context, ingested, result=result)
    scale = _scale_of(result, ingested, context.scale(call))
    notices = [*entry.head.notices, *([notice] if notice else [])]
    about = _About(call, context, entry, notices)
    reply = yield from about.reply(scale)
    if inline is not None and scale.weight(inline) <= scale.weight(reply):
        return inline  # a probe that costs more than the result saves nothing
    try:
        yield Put(entry.key, record, call.tool)
    except StoreError:
        return (yield from _first_part(about, scale))
    link = (yield from _link(call, context, entry)) if call.has_link else None
    if link is None:
        return reply
    return (yield from about.reply(replace(scale, attachments=(*scale.attachments, link))))


class _About(msgspec.Struct, frozen=True):
    """An entry and the notices for the first reply about it."""

    call: Call
    context: Context
    entry: Entry
    notices: Sequence[str]

    def reply(self, scale: ReplyScale) -> Steps[Reply]:
        """Return the first page of a list, the essence of a record, or a probe."""
        call, head, token = self.call, self.entry.head, str(self.entry.token)
        if call.pages_first and head.shape == "rows" and not head.is_error:
            return (yield from self._page(scale))
        policy = self.context.policy
        if call.essence is not None:
            essence = {**call.essence, **self.told}
            lean = probe.lean(head, token, essence, scale)
            if lean is not None:
                return lean
        life = int(self.entry.expires - self.context.now)
        notices, reader, is_part = self.notices, call.reader, call.is_part
        return probe.probe(head, token, life, scale, policy, notices, reader, is_part=is_part)

    def _page(self, scale: ReplyScale) -> Steps[Reply]:
        """Return the first page of a stored list, in the same form as that of a live list."""
        entry, policy = self.entry, self.context.policy
        request, focus = ViewRequest(page_size=policy.page_size), root(entry)
        rows = yield from focus.read(0, min(request.page_size, focus.count))
        told = {**beside(focus, scale), **self.told}
        bookmark = bookmark_of(entry.token, request)
        token, reader = str(entry.token), reader_of(self.call)
        return probe.first_page(entry.head, rows, token, bookmark, scale, policy, told, reader)

    @property
    def told(self) -> dict[str, Any]:
        return {"notices": list(self.notices)} if self.notices else {}


def reader_of(call: Call) -> str:
    """Return the tool that reads the next pages; "" is the tool itself, if it takes tokens."""
    return "" if call.is_merged else call.reader


def _link(call: Call, context: Context, entry: Entry) -> Steps[dict[str, Any] | None]:
    """Return a link to the whole result, for the client, or None if the store refuses it."""
    named, record = alias_entry(call, context, entry, Alias(entry.key, is_handle=True))
    try:
        yield Put(named.key, record, call.tool, "a link to a result")
    except StoreError:
        return None
    head = entry.head
    is_text = head.shape == "lines" or bool(head.format)
    uri = resource_uri(named.token)
    return resource_link(uri, head.size, is_text=is_text, media_type=head.media_type)


def _scale_of(result: Result, ingested: Ingested, scale: ReplyScale) -> ReplyScale:
    """Return the scale for replies in the place of a result. They carry its error flag, the `_meta`
    that MCP reserves, and the blocks beside its value."""
    return replace(
        scale,
        is_error=result.is_error,
        meta=kept_meta(result.meta),
        attachments=ingested.document.beside,
    )


def _first_part(about: _About, scale: ReplyScale) -> Steps[Reply]:
    """Return the first page without a way on, and say that the store failed."""
    said = {"stored": False, "notice": " ".join((_NOT_STORED, *about.notices))}
    request = ViewRequest(page_size=about.context.policy.page_size)
    page = yield from paginate(root(about.entry), request, scale, no_way_on, said)
    assert isinstance(page, Reply)  # noqa: S101 (the first page is never past the end)
    return page


def _conclude_live(call: Call, context: Context, rows: LiveRows, notice: str) -> Steps[Reply]:
    sample = Sample()
    for _ in sample.watch([list(rows.first)]):
        pass
    entry, record = live_entry(call, context, rows, sample.column_types())
    request = ViewRequest(page_size=context.policy.page_size)
    bookmark: Bookmark = bookmark_of(entry.token, request)
    token: str | None = str(entry.token)
    try:
        yield Put(entry.key, record, call.tool)
    except StoreError:
        bookmark, token = no_way_on, None
    first = list(rows.first)[: request.page_size]
    told = {"notices": [notice]} if notice else {}
    scale = context.scale(call)
    policy, reader = context.policy, reader_of(call)
    return probe.first_page(entry.head, first, token, bookmark, scale, policy, told, reader)
