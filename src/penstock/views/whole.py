"""`full`: the original, up to the ceiling; above it a link to the stored result, and the way on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from penstock import rawjson
from penstock.effects import Steps
from penstock.fitting import Scale
from penstock.model import Reply
from penstock.tokens import PREFIX, Token
from penstock.views.focus import Focus

URI_PREFIX = "penstock://result/"


def resource_uri(handle: Token) -> str:
    """URIs reach logs, so this one holds a handle of its own that is no continuation token."""
    return URI_PREFIX + str(handle).removeprefix(PREFIX)


def handle_text(uri: str) -> str:
    """The text of the handle in a URI, in the form of a token."""
    return PREFIX + uri.removeprefix(URI_PREFIX)


def full(
    focus: Focus, scale: Scale, *, is_all: bool, wrapped: bool, is_error: bool
) -> Steps[Reply | None]:
    """The value as it was; None where it is above the ceiling, which is the budget of `scale`."""
    if not scale.budget.may_admit(focus.size_at_least):
        return None
    value = yield from focus.whole()
    key = b"value" if not is_all else b"result" if wrapped else b""
    reply = whole_reply(value, focus.shape == "lines", scale, key=key)
    reply = replace(reply, is_error=is_all and is_error)
    return reply if scale.admits(reply) else None


def whole_reply(value: bytes, is_text: bool, scale: Scale, *, key: bytes) -> Reply:
    """The value as a reply: text as text, anything else as its JSON.

    As structured content it must be an object: under `key`, or as it is if that is empty.
    """
    structured = None
    if scale.frame.structured:
        as_json = rawjson.string(rawjson.text(value)) if is_text else value
        key = key or (b"" if as_json[:1] == b"{" else b"result")
        structured = b'{"' + key + b'":' + as_json + b"}" if key else as_json
    return Reply(value, is_text=is_text, structured=structured, frame=scale.frame)


def link_reply(
    scale: Scale, uri: str | None, size: int, is_text: bool, first_page: str | None
) -> Reply:
    """What is said where `full` is too much."""
    told: dict[str, Any] = {
        "notice": "The whole is above the ceiling of one reply.",
        "total_size": size,
        "next": first_page,
        "next_step": "Pass next as continuation_token to page through it, or narrow it with "
        "path, filtered, search, query or sql.",
    }
    brief = {name: told[name] for name in ("notice", "total_size", "next")}
    link = {
        "type": "resource_link",
        "uri": uri,
        "name": "stored result",
        "mimeType": "text/plain" if is_text else "application/json",
        "size": size,
    }
    links = (link,) if uri is not None else ()
    replies = [replace(scale.reply(form), attachments=links) for form in (told, brief)]
    return replies[0] if scale.admits(replies[0]) else replies[1]
