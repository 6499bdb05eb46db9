"""Suggestions for a misspelt tool name, added to the error that upstream answers with."""

from __future__ import annotations

from typing import Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.wire import messages
from penstock.wire.call_facts import policy_of
from penstock.wire.effects import Steps, UpstreamAnswer
from penstock.wire.lists import know_tools
from penstock.wire.messages import UPSTREAM_GONE
from penstock.wire.request import Request
from penstock.wire.shown_tools import disclosed

_MOST: Final = 3
_VERY_NEAR: Final = 0.8  # names of ours are few, and rarely meant


def with_suggestion(request: Request, answer: UpstreamAnswer) -> Steps[UpstreamAnswer]:
    """Return upstream's answer. If it is an error, and upstream lists no tool of that name, add the
    nearest names, unless that could put the answer over the budget."""
    if not _is_error(answer) or not _is_unlisted(request):
        return answer
    yield from know_tools(request, names=(request.tool,))  # the tool may be new
    near = (yield from _nearest(request)) if _is_unlisted(request) else []
    changed = _changed(request, answer, f"Did you mean {' or '.join(near)}?") if near else b""
    if not changed or not policy_of(request).inline_budget.surely_admits(len(changed)):
        return answer
    return UpstreamAnswer(messages.read_message(changed), changed, answer.original)


def _is_error(answer: UpstreamAnswer) -> bool:
    if answer.error is not None:
        return bool(messages.code_of(answer.message) != UPSTREAM_GONE)
    return answer.result is not None and messages.decoded(answer.result.get("isError")) is True


def _is_unlisted(request: Request) -> bool:
    """Return whether upstream's list is known, and lacks the tool."""
    return request.toolbox is not None and request.upstream_tool is None


def _nearest(request: Request) -> Steps[list[str]]:
    """Return the nearest names that this client's model may see."""
    shown = yield from disclosed(request)
    if shown is None:
        return []
    from difflib import get_close_matches

    ours = [request.reader, *shown.listing.own.values()]
    near = get_close_matches(request.tool.casefold(), ours, 1, _VERY_NEAR)
    return [*near, *shown.catalogue.without_apps().nearest(request.tool)][:_MOST]


def _changed(request: Request, answer: UpstreamAnswer, suggestion: str) -> bytes:
    """Return the answer with a suggestion, or b"" if it has no place for one: after the message of
    an error, or as another block of a result."""
    if answer.error is not None:
        error: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(answer.error))
        told = messages.text_of(messages.members_of(answer.error), "message") or ""
        error["message"] = rawjson.string(
            f"{told.rstrip(' .')}. {suggestion}" if told else suggestion
        )
        return request.refuse(messages.object_from(error))
    result: dict[str, bytes | msgspec.Raw] = dict(answer.result or {})
    content = messages.decoded(result.get("content"))
    if not isinstance(content, list):
        return b""
    result["content"] = encode([*content, {"type": "text", "text": suggestion}])
    return request.answer(messages.object_from(result))
