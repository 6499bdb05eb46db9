"""`tools/list`: all of upstream's pages as one, in the form that fits."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from penstock.core.json import rawjson
from penstock.log import logger
from penstock.wire import eras, messages
from penstock.wire.disclosing import list_result
from penstock.wire.messages import INTERNAL_ERROR, INVALID_PARAMS, Message
from penstock.wire.session import Session
from penstock.wire.state import Later, Outputs, Pending, ToUpstream
from penstock.wire.toolbox import Page, read_list, read_page

_MOST_PAGES = 1_000


def open_list(session: Session, pending: Pending, line: bytes) -> Outputs:
    cursor = messages.members_of(pending.params).get("cursor")
    if cursor is not None and messages.decoded(cursor) is not None:
        return session.fail(pending, INVALID_PARAMS, "Unknown cursor: the list has one page.")
    return [ToUpstream(line)]


def close_list(session: Session, pending: Pending, message: Message, line: bytes) -> Outputs:
    first = None if isinstance(message.result, msgspec.UnsetType) else read_page(message.result)
    if first is None or session.known.lacks_tools:
        return session.deliver(pending, line)

    def done(pages: list[Page], error: bytes | None) -> Outputs:
        if error is not None:
            return session.refuse(pending, error)
        _learn(session, pending, pages)
        # A long list takes its time.
        return [Later(lambda: session.answer(pending, list_result(session, pending)), pending)]

    return _gather(session, pending, [first], done)


def with_toolbox(
    session: Session,
    pending: Pending,
    then: Callable[[], Outputs],
    *,
    current: bool = False,
    names: Iterable[str] = (),
) -> Outputs:
    """Do it once upstream's tools are known; at once where they are, or cannot be. `current`: what
    was known once is not enough. `names`: where one of these is not known, it may have come since."""
    known = session.toolbox
    is_known = known is not None and not known.is_outdated and all(map(known.knows, names))
    if current and known is not None:
        is_known = is_known and known.is_current(session.now()) and known.knows(pending.tool)
    may_ask = pending.is_modern or session.known.is_initialized
    if is_known or not may_ask or session.known.lacks_tools:
        return then()

    def done(pages: list[Page], error: bytes | None) -> Outputs:
        if error is None:
            _learn(session, pending, pages)
        else:
            logger().warning("upstream's tools could not be listed: %s", error.decode())
        return [] if pending.cancellation.requested else then()

    return _gather(session, pending, [], done)


def _learn(session: Session, pending: Pending, pages: list[Page]) -> None:
    toolbox = read_list(
        pages,
        session.policy,
        session.now(),
        is_modern=pending.is_modern,
        has_marks=session.is_inside,
    )
    if session.is_inside:
        session.gate.adopt(toolbox.settings, of=toolbox.tools)
    if session.known.toolbox is None:
        for name in session.policy.unmatched(toolbox.tools):
            logger().warning("no tool is called %s, which the settings name", name)
    session.known.toolbox = toolbox


Gathered = Callable[[list[Page], bytes | None], Outputs]


def _gather(session: Session, pending: Pending, pages: list[Page], done: Gathered) -> Outputs:
    """Ask for what is missing, page by page."""
    cursor = pages[-1].next_cursor if pages else None
    if pages and cursor is None:
        return done(pages, None)
    if len(pages) >= _MOST_PAGES or cursor in [page.next_cursor for page in pages[:-1]]:
        told = "Upstream's list of tools does not end: it repeats a cursor."
        return done(pages, messages.error(INTERNAL_ERROR, told))

    def answered(message: Message) -> Outputs:
        page = None if isinstance(message.result, msgspec.UnsetType) else read_page(message.result)
        if page is None:
            told = b"" if isinstance(message.error, msgspec.UnsetType) else bytes(message.error)
            no_list = messages.error(INTERNAL_ERROR, "Upstream gave no list of tools.")
            return done(pages, told or no_list)
        return _gather(session, pending, [*pages, page], done)

    members = {} if cursor is None else {"cursor": rawjson.string(cursor)}
    params = eras.own_params(eras.meta_of(pending.params), **members)
    return session.ask("tools/list", params, answered, pending)
