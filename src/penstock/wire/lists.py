"""`tools/list`: all pages of upstream's list as one, in the listing form that fits the budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

import msgspec

from penstock.core.json import rawjson
from penstock.log import logger
from penstock.wire import eras, messages
from penstock.wire.effects import AskUpstream, Forward, StepAside, Steps, UpstreamAnswer
from penstock.wire.list_limits import PageCount
from penstock.wire.messages import INTERNAL_ERROR, INVALID_PARAMS
from penstock.wire.pinned_names import PinnedNames
from penstock.wire.request import Request
from penstock.wire.shown_tools import list_result, shown_of
from penstock.wire.toolbox import Toolbox, ToolsPage, read_list, read_page

_LONG_LIST: Final = 100_000  # bytes; reading that many takes a few milliseconds


def tools_list(request: Request) -> Steps[bytes]:
    """Answer with upstream's tools as this client is shown them."""
    if has_cursor(request):
        return request.fail(INVALID_PARAMS, "Unknown cursor: the list has one page.")
    answer: UpstreamAnswer = yield Forward(request.line)
    first = None if answer.result is None else read_page(answer.result)
    if first is None or request.known.lacks_tools:
        return answer.line
    toolbox = yield from _learn(request, first)
    if isinstance(toolbox, bytes):
        return request.refuse(toolbox)
    shown = yield from shown_of(request, toolbox)
    return request.answer(list_result(request, shown))


def has_cursor(request: Request) -> bool:
    return messages.decoded(messages.members_of(request.params).get("cursor")) is not None


def know_tools(
    request: Request, *, current: bool = False, names: Iterable[str] = ()
) -> Steps[None]:
    """Ask upstream for its tools, unless they are known or upstream cannot be asked.

    With `current`, an expired list counts as unknown. A list that lacks one of `names` does so too:
    upstream may have added the tool since.
    """
    known = request.toolbox
    is_known = known is not None and not known.is_outdated and all(map(known.knows, names))
    if current and known is not None:
        is_current = known.is_current(request.connection.now())
        is_known = is_known and is_current and known.knows(request.tool)
    may_ask = request.is_modern or request.known.is_initialized
    if is_known or not may_ask or request.known.lacks_tools:
        return
    first = yield from _ask_page(request, None)
    toolbox = first if isinstance(first, bytes) else (yield from _learn(request, first))
    if isinstance(toolbox, bytes):
        logger().warning("upstream's tools could not be listed: %s", toolbox.decode())


def _learn(request: Request, first: ToolsPage) -> Steps[Toolbox | bytes]:
    """Fetch the other pages of upstream's list, and remember its tools. Return the tools, or the
    error that came instead of a page."""
    connection, known = request.connection, request.known
    changes = known.changes
    pages = yield from _all_pages(request, first)
    if isinstance(pages, bytes):
        return pages
    if sum(len(memoryview(tool)) for page in pages for tool in page.tools) > _LONG_LIST:
        yield StepAside()
    pinned = known.pinned.snapshot()
    toolbox = _read(request, pages, pinned)
    if connection.is_inside:
        connection.rules.adopt(toolbox.settings, of=toolbox.tools)
    if known.toolbox is None:
        for name in request.policy.unmatched(toolbox.tools):
            logger().warning("the settings name a tool that does not exist: %s", name)
    known.learn_toolbox(toolbox, changes, pinned)
    return toolbox


def _read(request: Request, pages: Sequence[ToolsPage], pinned: PinnedNames) -> Toolbox:
    connection = request.connection
    read = (
        partial(read_list, has_marks=connection.is_inside)
        if connection.toolboxes is None
        else connection.toolboxes.read
    )
    return read(
        pages,
        request.policy,
        connection.now(),
        is_modern=request.is_modern,
        pinned=pinned,
        servers=connection.servers,
    )


def _all_pages(request: Request, first: ToolsPage) -> Steps[list[ToolsPage] | bytes]:
    """Return all pages, or the error that says which page failed or why the list has no end."""
    pages, count = [first], PageCount()
    while not (wrong := count.add(pages[-1].tools, pages[-1].next_cursor)):
        cursor = pages[-1].next_cursor
        if cursor is None:
            return pages
        page = yield from _ask_page(request, cursor)
        if isinstance(page, bytes):
            return _of_page(count.pages + 1, page)
        pages.append(page)
    return messages.error(INTERNAL_ERROR, f"Upstream's list of tools {wrong}")


def _of_page(number: int, error: bytes) -> bytes:
    """Return upstream's error with the number of the page that it came instead of."""
    members: dict[str, bytes | msgspec.Raw] = dict(messages.members_of(error))
    told = messages.text_of(messages.members_of(error), "message") or "no message"
    members["message"] = rawjson.string(f"page {number:,} of the list of tools failed: {told}")
    return messages.object_from({"code": str(INTERNAL_ERROR).encode(), **members})


def _ask_page(request: Request, cursor: str | None) -> Steps[ToolsPage | bytes]:
    """Ask upstream for a page of its list. Return the page, or the error that came instead."""
    members = {} if cursor is None else {"cursor": rawjson.string(cursor)}
    params = eras.own_params(eras.meta_of(request.params), **members)
    answer: UpstreamAnswer = yield AskUpstream("tools/list", params)
    page = None if answer.result is None else read_page(answer.result)
    if page is not None:
        return page
    no_list = messages.error(INTERNAL_ERROR, "Upstream gave no list of tools.")
    return no_list if answer.error is None else bytes(answer.error)
