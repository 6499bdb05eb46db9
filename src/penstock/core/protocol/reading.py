"""One look at a part of an entry, through one view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, assert_never

import msgspec

from penstock.core.budget.fitting import ReplyScale
from penstock.core.model.continuation import Position, Token
from penstock.core.model.effects import Entry, Put, ReadWindow, Steps
from penstock.core.model.questions import Failure, jq_installed
from penstock.core.model.reply import Reply
from penstock.core.model.stored import Alias, Live
from penstock.core.model.values import Call, LiveWindow, Mode, Refusal
from penstock.core.protocol.ask_worker import TableSource, ask
from penstock.core.protocol.entries import Context, Opened, alias_entry, new_entry
from penstock.core.protocol.joins import Joined
from penstock.core.protocol.live_copy import copied
from penstock.core.protocol.parts import has_tables, is_uniform, read_by_sql, start_of
from penstock.core.protocol.probe import available_modes, modes_of, without_rows
from penstock.core.results.document import Document, read_json
from penstock.core.results.ingest import ingest
from penstock.core.views.focus import Ahead, Focus, root
from penstock.core.views.full import full, link_reply, resource_uri
from penstock.core.views.pages import Bookmark, no_way_on, paginate
from penstock.core.views.paths import resolve
from penstock.core.views.request import TOKEN_FIELD, ViewRequest
from penstock.errors import MissingExtra, StoreError

_LONGEST_POSITION = 300
_BY_SUBSTRING = "search finds the exact text and ignores case; for patterns use sql or query."
_PAGES = (Mode.PAGINATED, Mode.FILTERED)
_NEED_EVERY_ROW = (Mode.SQL, Mode.QUERY, Mode.SEARCH, Mode.SUMMARY)
_CHANGED = "The list has changed since the first page: rows may have moved between pages."
_UNSTORED = "This answer could not be stored: only the part shown here can be read."


def look(
    call: Call, context: Context, opened: Opened, request: ViewRequest, joined: Joined
) -> Steps[Reply | Refusal]:
    """Return the part of the entry at the request's path, in the request's mode. `joined`: the tables
    of other entries that the request names."""
    return (yield from Look(call, context, opened, request, joined).reply())


def bookmark_of(token: Token, request: ViewRequest) -> Bookmark:
    """Return a function that makes tokens, which continue the request at a row."""

    def at(row: int, offset: int) -> str:
        return str(token.at(_position(request, row, offset).pack()))

    return at


def _position(request: ViewRequest, row: int = 0, offset: int = 0) -> Position:
    return Position(
        row=row,
        page_size=request.page_size,
        offset=offset,
        row_form=request.kept_form,
        mode=request.mode.value,
        path=request.path,
        filter_keys=request.filter_keys,
    )


class Look(msgspec.Struct, frozen=True):
    call: Call
    context: Context
    opened: Opened
    request: ViewRequest
    joined: Joined
    told: Mapping[str, Any] = {}  # fields of the reply that describe the copy of a live list

    @property
    def scale(self) -> ReplyScale:
        return self.context.scale(self.call)

    @property
    def entry(self) -> Entry:
        return self.opened.entry

    @property
    def is_live(self) -> bool:
        return isinstance(self.entry.head.source, Live)

    def reply(self) -> Steps[Reply | Refusal]:
        if self.is_live and self.request.mode in _NEED_EVERY_ROW:
            return (yield from self._look_at_copy())
        is_page = self.request.mode in _PAGES and not (self.opened.root or self.request.path)
        start = yield from start_of(self.opened, is_counted=not is_page)
        if isinstance(start, Refusal):
            return start
        focus = yield from resolve(start, self.request.path)
        if isinstance(focus, Refusal):
            return focus
        # Most modes depend on the shape alone, so no row has to be read to allow them.
        if self.request.mode.value not in available_modes(focus.shape, self.context.policy):
            modes = yield from self._modes(focus)
            if self.request.mode.value not in modes:
                return _not_for_this(self.request.mode, modes)
        return (yield from self._view(focus))

    def _modes(self, focus: Focus) -> Steps[list[str]]:
        if self.is_live and focus.entry is self.entry:
            return modes_of(self.entry.head, self.context.policy)  # to read a row is a query
        first = (yield from focus.read(0, 1)) if focus.shape == "rows" else []
        keyed = bool(first) and first[0][:1] == b"{"
        is_dict = focus.shape == "members"
        return available_modes(
            focus.shape,
            self.context.policy,
            keyed=keyed,
            uniform=is_dict and (yield from is_uniform(focus)),
            has_tables=is_dict and (yield from has_tables(focus)),
        )

    def _view(self, focus: Focus) -> Steps[Reply | Refusal]:
        mode = self.request.mode
        match mode:
            case Mode.PAGINATED | Mode.FILTERED:
                return (yield from self._pages(focus))
            case Mode.SUMMARY:
                return (yield from self._summary(focus))
            case Mode.FULL:
                return (yield from self._full(focus))
            case Mode.SEARCH:
                return (yield from self._search(focus))
            case Mode.SQL:
                return (yield from self._compute(focus, "sql"))
            case Mode.QUERY:
                return (yield from self._compute(focus, "jq"))
            case _:
                assert_never(mode)

    # -- pages and the whole -------------------------------------------------------------------

    def _pages(self, focus: Focus) -> Steps[Reply | Refusal]:
        request = self.request
        beside: dict[str, Any] = {}
        if self.is_live:
            focus, beside = yield from self._as_it_is_now(focus)
        bookmark, alias = yield from self._bookmark(request)
        if alias is not None:
            focus = replace(focus, path="")
        elif self.opened.root:
            alias = self.entry.token.at(b"")
        if alias is not None and focus.shape in ("rows", "members"):
            beside |= {TOKEN_FIELD: str(alias), "paths_from": TOKEN_FIELD}
        if request.mode is Mode.PAGINATED:
            return (yield from paginate(focus, request, self.scale, bookmark, beside))
        known = self.entry.head.columns if not focus.path else {}
        from penstock.core.views.filtered import filter_keys

        return (yield from filter_keys(focus, request, self.scale, bookmark, known, beside))

    def _as_it_is_now(self, focus: Focus) -> Steps[tuple[Focus, dict[str, Any]]]:
        """Return a live list with the requested page, and fields for the reply. They tell if the
        length of the list has changed since the first read."""
        said: dict[str, Any] = {"live": True}
        if focus.entry is None:
            return focus, said
        request, was = self.request, self.entry.head.count
        start, stop = request.start, request.stop
        window: LiveWindow = yield ReadWindow(self.entry, start, stop)
        count = was if window.count is None else window.count
        if count != was:
            said |= {"total": count, "count_was": was, "notice": _CHANGED}
        # A page that existed at the first read is now an empty page, not an error.
        was_there = 0 < start < was
        there = max(count, start + 1) if was_there else count
        return replace(focus, count=there, ahead=Ahead(start, stop, tuple(window.rows))), said

    def _bookmark(self, request: ViewRequest) -> Steps[tuple[Bookmark, Token | None]]:
        """Return a function that makes tokens which continue the request. A path or keys that are
        too long for every token get an alias. Paths start from it, and its token is returned too."""
        said = self._said_by_token(request)
        longest = min(self.scale.room // 25, _LONGEST_POSITION)
        if said is not None and len(_position(said).pack()) <= longest:
            return bookmark_of(self.entry.token, said), None
        position = Position(mode=request.mode.value, filter_keys=request.filter_keys)
        alias = Alias(self.entry.key, self.opened.root + request.path, position.pack())
        token = yield from self._name(alias)
        if token is None:
            return no_way_on, None
        rest = ViewRequest(page_size=request.page_size, kept_form=request.kept_form)
        return bookmark_of(token, rest), token

    def _said_by_token(self, request: ViewRequest) -> ViewRequest | None:
        """Return the part of the request that the new tokens must carry.

        An alias already holds a mode and keys. Return None if the request has different ones.
        """
        if not self.opened.is_alias:
            return request
        named = self.opened.position
        if (request.mode.value, request.filter_keys) != (named.mode, named.filter_keys):
            return None
        return replace(request, mode=Mode.PAGINATED, filter_keys=())

    def _name(self, alias: Alias) -> Steps[Token | None]:
        """Store an alias and return its token, or None if the store fails."""
        entry, record = alias_entry(self.call, self.context, self.entry, alias)
        try:
            yield Put(entry.key, record, entry.head.tool, "a token for a part of a result")
        except StoreError:
            return None
        return entry.token

    def _full(self, focus: Focus) -> Steps[Reply | Refusal]:
        ceiling = replace(self.scale, budget=self.context.policy.ceiling)
        is_all = not (focus.path or self.opened.root or self.entry.head.parents)
        head = self.entry.head
        path = self.opened.root + self.request.path
        media_type = head.media_type if is_all else ""
        if not media_type:  # an image in base64 would only fill the window
            reply = yield from full(focus, ceiling, head, path, is_all=is_all)
            if reply is not None:
                return reply
        alias = Alias(self.entry.key, self.opened.root + self.request.path, is_handle=True)
        handle = yield from self._name(alias)
        uri = None if handle is None else resource_uri(handle)
        bookmark, _ = yield from self._bookmark(replace(self.request, mode=Mode.PAGINATED))
        first = bookmark(0, 0)
        size = head.wire_size if is_all else focus.size_at_least
        modes = [mode for mode in (yield from self._modes(focus)) if mode != Mode.FULL]
        own = head.size if is_all else focus.size_at_least
        return link_reply(self.scale, uri, size, own, focus.is_text, first, modes, media_type)

    # -- answers that become new results -------------------------------------------------------

    def _summary(self, focus: Focus) -> Steps[Reply | Refusal]:
        from penstock.core.views.summary import summarise

        return (yield from summarise(focus, self.scale, self.told))

    def _search(self, focus: Focus) -> Steps[Reply | Refusal]:
        from penstock.core.views.search import search

        hits = yield from search(focus, self.request.query, self.context.policy.query_rows)
        told: dict[str, Any] = {} if hits.total else {"note": _BY_SUBSTRING}
        if hits.total > len(hits.found):
            told |= {"matches": hits.total, "truncated_at": len(hits.found)}
        document = Document("rows", iter([hits.found] if hits.found else []), b"[", b"]")
        return (yield from self._derive(document, told))

    def _compute(self, focus: Focus, language: Literal["sql", "jq"]) -> Steps[Reply | Refusal]:
        path = self.opened.root + self.request.path
        read_as = (yield from read_by_sql(focus)) if language == "sql" else None
        source = TableSource(self.entry, path, focus, read_as=read_as)
        answer = yield from ask(source, language, self.request.query, self.joined.sources)
        if isinstance(answer, Failure):
            return Refusal(answer.error, answer.next_step)
        told = dict(self.joined.told)
        if answer.truncated:
            told["truncated_at"] = len(answer.rows)
        if answer.single and language == "jq":
            return (yield from self._derive_value(answer.rows[0], told))
        document = Document("rows", iter([list(answer.rows)] if answer.rows else []), b"[", b"]")
        return (yield from self._derive(document, told))

    def _derive_value(self, value: bytes, told: Mapping[str, Any]) -> Steps[Reply | Refusal]:
        """Return one answer: a list as rows, anything else as `value` or, if too large, in pages."""
        if value[:1] == b"[":
            return (yield from self._derive(read_json(value), told))
        return (yield from self._derive(read_json(value), told, msgspec.Raw(value)))

    def _derive(
        self, document: Document, told: Mapping[str, Any], value: msgspec.Raw | None = None
    ) -> Steps[Reply | Refusal]:
        size = self.request.page_size or self.context.policy.page_size
        request = ViewRequest(
            page=self.request.page,
            page_size=size,
            row_form=self.request.row_form,
            kept_form=self.request.kept_form,
        )
        shown: list[bytes] = []
        blocks = _noting(document.blocks, request, shown)
        document = msgspec.structs.replace(document, blocks=blocks)
        ingested = ingest(document, self.context.policy.budget)
        parents = [self.entry, *self.joined.entries]
        entry, record = new_entry(self.call, self.context, ingested, parents=parents)
        token: Token | None = entry.token
        try:
            yield Put(entry.key, record, entry.head.tool, "an answer about a result")
        except StoreError:
            token = None
        said: dict[str, Any] = {TOKEN_FIELD: str(token)} if token else {"notice": _UNSTORED}
        said |= {**self.told, **told}
        if token and not self.request.page_size:
            return without_rows(entry.head, said, self.scale, is_single=value is not None)
        single = {"value": value, "total": 1, **said}
        if value is not None and self.scale.holds(single):
            return self.scale.reply(single)
        bookmark = bookmark_of(token, request) if token else no_way_on
        focus = replace(root(entry), ahead=Ahead(request.start, request.stop, tuple(shown)))
        return (yield from paginate(focus, request, self.scale, bookmark, said, is_answer=True))

    def _look_at_copy(self) -> Steps[Reply | Refusal]:
        """Look at a copy of the live list, because the view needs every row."""
        copy = yield from copied(self.call, self.context, self.entry)
        if isinstance(copy, Refusal):
            return copy
        opened = Opened(copy.entry, self.opened.position, self.opened.root)
        copied_look = msgspec.structs.replace(self, opened=opened, told=copy.told)
        return (yield from copied_look.reply())


def _noting(
    blocks: Iterator[list[bytes]], request: ViewRequest, rows: list[bytes]
) -> Iterator[list[bytes]]:
    """Yield the blocks, and add the rows of the requested page to `rows`.

    The reply shows this page. Without its rows, a chunk that was just packed would be unpacked again.
    """
    number = 0
    for block in blocks:
        rows += block[max(0, request.start - number) : max(0, request.stop - number)]
        number += len(block)
        yield block


def _not_for_this(mode: Mode, modes: list[str]) -> Refusal:
    if mode is Mode.QUERY and not jq_installed():
        missing = MissingExtra("query", "mode query")
        return Refusal(missing.message, f"Use one of: {', '.join(modes)}. ({missing.next_step})")
    hint = (
        " Point path at a list, or at a dict of lists or of alike entries."
        if mode is Mode.SQL
        else ""
    )
    return Refusal(f"mode {mode} does not apply to this.", f"Use one of: {', '.join(modes)}.{hint}")
