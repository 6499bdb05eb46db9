"""One request of the explorer for a stored result, from end to end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import msgspec

from penstock.core.browsing.app_scale import AppScale, refused, scale_of
from penstock.core.browsing.columns import columns_of_all_rows
from penstock.core.browsing.drawing import draw
from penstock.core.browsing.order import spelled
from penstock.core.browsing.pages import page
from penstock.core.browsing.part import Part, open_part
from penstock.core.browsing.request import BrowseRequest, read_browse
from penstock.core.budget.fitting import clip
from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.model.continuation import parse
from penstock.core.model.effects import Steps
from penstock.core.model.questions import ColumnsOf, Drawing, Failure, KnownColumn, ValuesOf
from penstock.core.model.reply import Reply
from penstock.core.model.stored import Live
from penstock.core.model.values import Call, Mode, Refusal
from penstock.core.protocol.ask_worker import TableSource, ask
from penstock.core.protocol.entries import (
    Context,
    Denied,
    Opened,
    load_entry,
    open_entry,
    token_refusal,
)
from penstock.core.protocol.first_reply import for_tool
from penstock.core.views.request import TOKEN_FIELD
from penstock.errors import StoreError

TOO_MANY_VALUES: Final = Refusal(
    "A reply has no room for the values of this column.", "Type the value instead."
)
TOO_MANY_COLUMNS: Final = Refusal(
    "A reply has no room for the names of all columns.", "Look at the rows instead."
)
Look = Callable[[Call, Context, Opened, BrowseRequest], Steps[Reply | Refusal]]

_SHOWN: Final = (
    "The user now sees the stored result of {tool} ({total:,} {things}) and can search, sort, chart "
    "and download it. None of it was added to this conversation; parts that the user sends arrive "
    "as context. Parts of it can be read with {reader} and the same continuation_token."
)
_LONGEST_NAME: Final = 128
_MISSING: Final = Refusal(
    f"{TOKEN_FIELD} is missing.", f"Give the {TOKEN_FIELD} of an earlier reply."
)
_ALONE: Final = Refusal(
    f"{TOKEN_FIELD} is the only parameter here.", "Give it alone: the user does the rest."
)
_THINGS: Final = {"rows": "rows", "members": "entries", "lines": "lines", "literal": "value"}


def browse(call: Call, context: Context) -> Steps[Reply]:
    """Answer a request of the explorer."""
    return (yield from _guarded(call, context, _browse))


def show(call: Call, context: Context) -> Steps[Reply]:
    """Return the start of a result for the explorer, and a text about it for the model."""
    return (yield from _guarded(call, context, _show))


def _guarded(call: Call, context: Context, look: Look) -> Steps[Reply]:
    """Check the token, before any other argument, as everywhere. Then answer with `look`."""
    if TOKEN_FIELD not in call.arguments:
        return refused(_MISSING, call, context)
    given = call.arguments[TOKEN_FIELD]
    token = parse(given) if isinstance(given, str) else None
    try:
        opened = yield from open_entry(call, context, token)
        if isinstance(opened, Denied):
            return refused(token_refusal(opened), call, context, gone=True)
        context = for_tool(opened.entry.head.tool, context)
        request = read_browse(call.arguments)
        if isinstance(request, Refusal):
            return refused(request, call, context)
        reply = yield from look(call, context, opened, request)
    except StoreError as error:
        told = Refusal(error.told, type(error).next_step, repr(error))
        return refused(told, call, context)
    return refused(reply, call, context) if isinstance(reply, Refusal) else reply


def _browse(
    call: Call, context: Context, opened: Opened, request: BrowseRequest
) -> Steps[Reply | Refusal]:
    part = yield from open_part(call, context, opened, request)
    if isinstance(part, Refusal):
        return part
    scale = scale_of(call, context)
    drawing = request.drawing(part.names)
    if drawing is not None:
        return (yield from _chart(part, drawing, scale))
    if request.values is not None:
        return (yield from _values(part, request.values, scale))
    if request.all_columns:
        return (yield from _all_columns(part, scale))
    return (yield from page(part, request, scale, lambda page: page))


def _values(part: Part, asked: ValuesOf, scale: AppScale) -> Steps[Reply | Refusal]:
    """Return the values of a column, with the number of rows of each."""
    source = TableSource(part.entry, spelled(part.path), part.focus)
    answer = yield from ask(source, "values", encode(asked).decode())
    if isinstance(answer, Failure):
        return Refusal(answer.error, answer.next_step)
    said = {"notice": part.notice} if part.notice else {}
    reply = scale.reply({"values": msgspec.Raw(answer.rows[0]), **said})
    return reply if scale.admits(reply) else TOO_MANY_VALUES


def _all_columns(part: Part, scale: AppScale) -> Steps[Reply | Refusal]:
    """Return the columns as all rows have them: a page knows only those of some rows."""
    source = TableSource(part.entry, spelled(part.path), part.focus)
    answer = yield from ask(source, "columns", encode(ColumnsOf(part.names)).decode())
    if isinstance(answer, Failure):
        return Refusal(answer.error, answer.next_step)
    known = msgspec.json.decode(answer.rows[0], type=list[KnownColumn])
    is_member = part.focus.shape == "members"
    said = {"notice": part.notice} if part.notice else {}
    columns = columns_of_all_rows(known, part.names, is_member=is_member)
    reply = scale.reply({"columns": columns, **said})
    return reply if scale.admits(reply) else TOO_MANY_COLUMNS


def _chart(part: Part, drawing: Drawing, scale: AppScale) -> Steps[Reply | Refusal]:
    source = TableSource(part.entry, spelled(part.path), part.focus)
    answer = yield from ask(source, "chart", encode(drawing).decode())
    if isinstance(answer, Failure):
        return Refusal(answer.error, answer.next_step)
    said = {"notice": part.notice} if part.notice else {}
    return draw(answer.rows[0], said, scale)


def _show(
    call: Call, context: Context, opened: Opened, request: BrowseRequest
) -> Steps[Reply | Refusal]:
    if call.arguments.keys() != {TOKEN_FIELD}:
        return _ALONE
    request = BrowseRequest(request.continuation_token)
    part = yield from open_part(call, context, opened, request)
    if isinstance(part, Refusal):
        return part
    about = _about(call, context, opened, (yield from _expiry(context, opened)))
    scale = replace(scale_of(call, context), told=rawjson.utf8(_told(call, opened, part)))
    return (yield from page(part, request, scale, lambda page: {"result": about, "page": page}))


def _told(call: Call, opened: Opened, part: Part) -> str:
    """Return the text for the model. Without a reader, the tool itself reads its results."""
    tool = clip(opened.entry.head.tool, _LONGEST_NAME)
    things = _THINGS[part.focus.shape]
    return _SHOWN.format(tool=tool, total=part.total, things=things, reader=call.reader or tool)


def _expiry(context: Context, opened: Opened) -> Steps[float]:
    """Return the current expiry: opening the entry may have moved it."""
    entry = opened.entry
    found = yield from load_entry(entry.token, entry.key, context)
    return entry.expires if isinstance(found, Denied) else found.expires


def _about(call: Call, context: Context, opened: Opened, expires: float) -> dict[str, Any]:
    entry = opened.entry
    return {
        TOKEN_FIELD: str(entry.token),
        "browse": call.browser,
        "tool": entry.head.tool,
        "size": entry.head.size,
        "expires_in": max(0, int(expires - context.now)),
        "slides": entry.head.sliding,
        "live": isinstance(entry.head.source, Live),
        "context_budget": _context_budget(context),
        "can": ["sort", "filter", "chart"] if Mode.SQL in context.policy.modes else [],
    }


def _context_budget(context: Context) -> int:
    """Return how many bytes always fit the budget: a character or a token has at least one byte.
    A limit in lines is not taken into account."""
    budget = context.policy.budget
    limits = (budget.bytes, budget.chars, budget.token_allowance)
    return min(limit for limit in limits if limit is not None)
