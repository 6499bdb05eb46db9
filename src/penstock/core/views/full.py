"""`full`: the original, up to the ceiling. Above it, a link to the stored result and a token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from penstock.core.budget.fitting import ReplyScale
from penstock.core.json import rawjson
from penstock.core.model.continuation import PREFIX, Token
from penstock.core.model.effects import Steps
from penstock.core.model.reply import Reply
from penstock.core.model.stored import Aside, Head, Wrapped
from penstock.core.views.focus import Focus

URI_PREFIX = "penstock://result/"
# The member of `_meta` that holds the members of content blocks, by the path of the block's value.
BLOCKS_META = "dev.penstock/blocks"


def resource_uri(handle: Token) -> str:
    """Return the URI of a handle. URIs reach logs, so they must not hold a continuation token."""
    return URI_PREFIX + str(handle).removeprefix(PREFIX)


def handle_text(uri: str) -> str:
    """Return the handle in a URI, in the form of a token."""
    return PREFIX + uri.removeprefix(URI_PREFIX)


def full(
    focus: Focus, scale: ReplyScale, head: Head, path: str, *, is_all: bool
) -> Steps[Reply | None]:
    """Return the original value, or None if it is above the ceiling: the budget of `scale`."""
    if not scale.budget.may_admit(focus.size_at_least):
        return None
    value = yield from focus.whole()
    is_text = focus.shape == "lines"
    if is_all:
        reply = whole_reply(value, is_text, scale, head.wrapped, head.wrapper)
        reply = with_members(reply, head)
    else:
        reply = _framed(value, is_text, _part(value, is_text), scale)
        reply = with_asides(reply, head.asides, path)
    return reply if scale.admits(reply) else None


def with_members(reply: Reply, head: Head) -> Reply:
    """Return the reply with all that the tool's result had besides its value."""
    meta = rawjson.decode(head.meta) if head.meta else {}
    members = rawjson.decode(head.members) if head.members else {}
    reply = replace(reply, is_error=head.is_error, meta=meta, members=members)
    return with_asides(reply, head.asides, "")


def with_asides(reply: Reply, asides: Sequence[Aside], path: str) -> Reply:
    """Return the reply about the value at a path with the members of its content blocks. Those of
    the block whose text the reply is stay with the text. `_meta` has the others, by path."""
    first = {}
    others = {}
    for aside in asides:
        if aside.path == path and aside.is_text:
            first = rawjson.decode(aside.members)
        elif aside.path == path or aside.path.startswith(path + "/"):
            others[aside.path.removeprefix(path)] = rawjson.decode(aside.members)
    meta = {**reply.meta, BLOCKS_META: others} if others else reply.meta
    return replace(reply, first_members=first, meta=meta)


def whole_reply(
    value: bytes, is_text: bool, scale: ReplyScale, wrapped: Wrapped, wrapper: str
) -> Reply:
    """Return a result as the tool gave it: text as text, anything else as JSON."""
    return _framed(value, is_text, _original(value, is_text, wrapped, wrapper), scale)


def _framed(value: bytes, is_text: bool, structured: bytes, scale: ReplyScale) -> Reply:
    return Reply(
        value,
        is_text=is_text,
        structured=structured if scale.frame.structured else None,
        repeated=(0,),
        frame=scale.frame,
    )


def _original(value: bytes, is_text: bool, wrapped: Wrapped, wrapper: str) -> bytes:
    """Return structured content as the tool's schema promises: an object, wrapped as before."""
    as_json = _json(value, is_text or wrapped == "text")
    if as_json[:1] == b"{" and not wrapped:
        return as_json
    return b"{" + rawjson.string(wrapper) + b":" + as_json + b"}"


def _part(value: bytes, is_text: bool) -> bytes:
    """Return an envelope for a part or an answer, which the tool's schema does not describe."""
    return b'{"value":' + _json(value, is_text) + b"}"


def _json(value: bytes, is_text: bool) -> bytes:
    return rawjson.string(rawjson.text(value)) if is_text else value


def resource_link(uri: str, size: int, *, is_text: bool) -> dict[str, Any]:
    """Return the content block that links a client to a stored result."""
    return {
        "type": "resource_link",
        "uri": uri,
        "name": "stored result",
        "mimeType": "text/plain" if is_text else "application/json",
        "size": size,
    }


def link_reply(
    scale: ReplyScale,
    uri: str | None,
    size: int,
    resource_size: int,
    is_text: bool,
    first_page: str | None,
    modes: Sequence[str],
) -> Reply:
    """Return the reply to `full` if the value is above the ceiling."""
    told: dict[str, Any] = {
        "notice": "The whole is too large for one reply.",
        "total_size": size,
        "next": first_page,
        "next_step": "Pass next as continuation_token to page through it, or narrow it with path "
        f"or a mode: {', '.join(modes)}.",
    }
    brief = {name: told[name] for name in ("notice", "total_size", "next")}
    links = (resource_link(uri, resource_size, is_text=is_text),) if uri is not None else ()
    replies = [replace(scale.reply(form), attachments=links) for form in (told, brief)]
    return replies[0] if scale.admits(replies[0]) else replies[1]
