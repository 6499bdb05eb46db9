"""`paginated`: rows in order, as many as fit the budget, and a token for the exact next row.

A row that is over the budget by itself is shown as a stub: a summary, and the path that leads into
the row. A line or string that is over the budget is shown in windows of characters.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from penstock.core.budget.fitting import ReplyScale, clip, largest
from penstock.core.json import rawjson
from penstock.core.model.effects import Steps
from penstock.core.model.reply import Reply
from penstock.core.model.values import Refusal, RowForm
from penstock.core.results.outline import outline, type_name
from penstock.core.views.focus import Focus, list_place
from penstock.core.views.paths import find_member
from penstock.core.views.request import ViewRequest
from penstock.core.views.row_forms import ShownRows, as_items, as_table

STUB_KEYS = (10, 5, 2)
STUB_CHARS = 100
AROUND_CHARS = (200, 50, 0)
TEXTS_AROUND = ("text_before", "text_after")

# Returns the token for a row and an offset in the row, or None if the result is not stored.
Bookmark = Callable[[int, int], str | None]


def no_way_on(_row: int, _offset: int) -> None:
    """Return no token, for a result that is not stored: `next` is null."""


@dataclass(frozen=True, slots=True)
class Page:
    """The material of one page."""

    focus: Focus
    request: ViewRequest
    start: int  # the number of the first of `rows`
    rows: Sequence[bytes]
    bookmark: Bookmark
    extra: Mapping[str, Any] = field(default_factory=dict)
    is_answer: bool = False  # an answer that one page holds is sent without the fields of a page

    def envelope(self, shown: Mapping[str, Any], end: int, offset: int = 0) -> dict[str, Any]:
        """Return the envelope of the fields that show the rows. `next` leads to row `end`, character
        `offset`."""
        size, start = self.request.page_size, self.start
        has_more = end < self.focus.count or offset > 0
        if self.is_answer and not (has_more or start):
            return {**shown, "total": self.focus.count, **self.extra}
        cut = min(start + size, self.focus.count) - end
        # From inside a row, `previous` leads to the start of the row.
        before = start if self.request.offset else max(0, start - size)
        return {
            **shown,
            "page": start // size + 1,
            "page_size": size,
            "total": self.focus.count,
            "has_more": has_more,
            "next": self.bookmark(end, offset) if has_more else None,
            "previous": self.bookmark(before, 0) if start or self.request.offset else None,
            **({"truncated": cut} if cut > 0 and has_more else {}),
            **self.extra,
        }


def paginate(
    focus: Focus,
    request: ViewRequest,
    scale: ReplyScale,
    bookmark: Bookmark,
    extra: Mapping[str, Any],
    *,
    is_answer: bool = False,
) -> Steps[Reply | Refusal]:
    start = first_row(focus, request)
    if isinstance(start, Refusal):
        return start
    rows = yield from focus.read(start, request.stop)
    focus = ended(focus, request, len(rows))
    extra = {**beside(focus, scale, is_first=not start), **extra}
    page = Page(focus, request, start, rows, bookmark, extra, is_answer=is_answer)
    return (yield from show(page, scale))


def ended(focus: Focus, request: ViewRequest, got: int) -> Focus:
    """Correct the count of a live list that has become shorter: a page that is not full ends it."""
    end = request.start + got
    return focus if end >= min(request.stop, focus.count) else replace(focus, count=end)


def first_row(focus: Focus, request: ViewRequest) -> int | Refusal:
    is_past = request.start and request.start >= focus.count
    return _past_the_end(request, focus.count) if is_past else request.start


def show(page: Page, scale: ReplyScale) -> Steps[Reply]:
    """Show as many whole rows as fit. If none does, show a part of the first."""
    if page.request.offset:
        return _window(page, scale)
    forms = yield from _forms(page, scale)

    def build(count: int) -> dict[str, Any]:
        end = page.start + count
        return scale.lightest([page.envelope(form.first(count), end) for form in forms])

    reply = scale.most(forms[-1].sizes, build)
    if reply is not None:
        return reply
    if not page.rows:
        return scale.reply(page.envelope({"items": []}, page.start))
    if page.focus.shape in ("lines", "literal"):
        return _window(page, scale)
    return (yield from _stub(page, scale))


def _forms(page: Page, scale: ReplyScale) -> Steps[list[ShownRows]]:
    """Return the forms that the rows may have. The last has the smallest rows."""
    items = [_item(page.focus.shape, row) for row in page.rows]
    stubs: dict[int, Any] = {}
    if page.focus.shape in ("rows", "members"):
        for number in _too_large(page, items, scale):
            stubs[number] = yield from _short_stub(page, number, scale)
    listed, form = as_items(items, page.rows, stubs), page.request.row_form
    if form is RowForm.OBJECTS or page.focus.shape != "rows":
        return [listed]
    table = as_table(page.rows, stubs)
    if table is None:
        return [listed]
    return [table] if form is RowForm.TABLE else [listed, table]


def _too_large(page: Page, items: list[Any], scale: ReplyScale) -> list[int]:
    """Return the numbers of the rows that no page can hold, which must not end this page."""
    return [
        number
        for number, row in enumerate(page.rows)
        if len(row) > scale.room // 4
        and not scale.holds(page.envelope({"items": [items[number]]}, page.start + number + 1))
    ]


def _short_stub(page: Page, number: int, scale: ReplyScale) -> Steps[Any]:
    """Return the most detailed stub of a row that leaves room for other rows."""
    stubs = yield from _stubs(page, number)
    return next((stub for stub in stubs if scale.takes_little(stub)), stubs[-1])


def _least(page: Page) -> Page:
    """Return the page with only the counts of `envelope` and `missing_keys`, and no words around the
    rows."""
    words = ("notices", *TEXTS_AROUND)
    extra = {name: value for name, value in page.extra.items() if name not in words}
    if "envelope" in extra:
        extra["envelope"] = {"$keys": extra["envelope"].get("$keys", len(extra["envelope"]))}
    if extra.get("missing_keys"):
        count = extra.get("missing_count", len(extra["missing_keys"]))
        extra |= {"missing_keys": [], "missing_count": count}
    return replace(page, extra=extra)


def line_text(row: bytes) -> str:
    """Return a line as summaries and hits show it: without the carriage return of a Windows line end.
    Pages keep it, because their lines are the exact text."""
    return rawjson.text(row.removesuffix(b"\r"))


def _item(shape: str, row: bytes) -> Any:
    if shape == "lines":
        return rawjson.text(row)
    if shape == "members":
        member = rawjson.split_member(row)
        return {"key": msgspec.Raw(member.key), "value": msgspec.Raw(member.value)}
    return msgspec.Raw(row)


def _stub(page: Page, scale: ReplyScale) -> Steps[Reply]:
    """Return a reply with the most detailed stub of the first row that fits by itself."""
    stubs = yield from _stubs(page, 0)
    end = page.start + 1
    forms = [page.envelope({"items": [stub]}, end) for stub in stubs]
    forms += [_least(page).envelope({"items": [stub]}, end) for stub in stubs[-2:]]
    return scale.first_fit(forms) or scale.reply(forms[-1])


def _stubs(page: Page, number: int) -> Steps[list[dict[str, Any]]]:
    """Return stubs of one row, the most detailed first."""
    row, place = page.rows[number], page.start + number
    if page.focus.shape == "members":
        return (yield from _member_stubs(page.focus, place, row))
    return stubs_of(row, page.focus.row_path(place, row))


def _member_stubs(focus: Focus, place: int, row: bytes) -> Steps[list[dict[str, Any]]]:
    """Return stubs of a dict's member. A long key is left out, and can be read at /~#N/key."""
    member = rawjson.split_member(row)
    # If a key occurs twice, a path with that key leads to the last one.
    hidden = member.value != (yield from find_member(focus, member.name))
    path = focus.row_path(place, row, by_number=hidden)
    stubs = stubs_of(member.value, path)
    numbered = {**stubs[-1], "$path": focus.row_path(place, row, by_number=True)}
    if len(member.name) > STUB_CHARS:
        return [*stubs_of(member.value, numbered["$path"]), numbered]
    return [*({"key": member.name, "value": stub} for stub in stubs), numbered]


def stubs_of(value: bytes, path: str) -> list[dict[str, Any]]:
    """Return stubs of a value that is too large, the most detailed first."""
    plain = {"$path": path, "$size": len(value)}
    if value[:1] == b"{":
        parts = [(entry.name, entry.value) for entry in _first_members(value, STUB_KEYS[0])]
        return [
            *({**plain, "$summary": dict(map(_brief_member, parts[:keys]))} for keys in STUB_KEYS),
            plain,
        ]
    if value[:1] == b"[":
        return [{**plain, "$summary": outline(value)}, plain]
    return [{**plain, "$summary": brief(value)}, {**plain, "$type": type_name(value)}, plain]


def _first_members(value: bytes, count: int) -> list[rawjson.Member]:
    found: list[rawjson.Member] = []
    for entry in rawjson.members(value):
        found.append(entry)
        if len(found) == count:
            break
    return found


def _brief_member(part: tuple[str, bytes]) -> tuple[str, Any]:
    return clip(part[0], STUB_CHARS), brief(part[1])


def brief(value: bytes) -> Any:
    """Return a value in about a hundred characters: the value, a marked prefix, or its outline."""
    if value[:1] in b"{[":
        return value_or_shape(value)
    if value[:1] != b'"':
        return msgspec.Raw(value) if len(value) <= STUB_CHARS else cut_text(rawjson.text(value))
    if len(value) <= STUB_CHARS:
        return msgspec.Raw(value)
    return cut_text(str(rawjson.decode(value)))


def value_or_shape(value: bytes) -> Any:
    return msgspec.Raw(value) if len(value) <= STUB_CHARS // 2 else outline(value, depth=0)


def cut_text(text: str, limit: int = STUB_CHARS, *, of: int | None = None) -> str:
    """Return a marked prefix. Give the full length as `of` if `text` itself is a prefix."""
    length = len(text) if of is None else of
    return text if length <= limit else f"{text[:limit]}… [+{length - limit} chars]"


def _window(page: Page, scale: ReplyScale) -> Reply:
    """Return a reply with a window of characters of one line or literal."""
    text = rawjson.text(page.rows[0])
    offset = page.request.offset

    def build(count: int) -> dict[str, Any]:
        end = offset + count
        done = end >= len(text)
        window = {"line": page.start + 1, "from": offset, "to": end, "of": len(text)}
        next_row, next_offset = (page.start + 1, 0) if done else (page.start, end)
        envelope = page.envelope({"items": [text[offset:end]]}, next_row, next_offset)
        envelope.pop("truncated", None)
        return {**envelope, "window": window}

    rest = len(text) - offset
    upper = rest if scale.budget.may_admit(rest) else _ceiling(scale, rest)
    return scale.fullest(upper, build) or scale.reply(build(1))


def _ceiling(scale: ReplyScale, rest: int) -> int:
    """Return how many characters can fit at most, whatever they are."""
    return largest(rest, scale.budget.may_admit)


def names_beside(focus: Focus) -> set[str]:
    """Return the keys of a dict with one list."""
    return {entry.name for entry in rawjson.members(focus.envelope if focus.list_path else b"{}")}


def beside(
    focus: Focus, scale: ReplyScale, keep: Collection[str] | None = None, *, is_first: bool = True
) -> dict[str, Any]:
    """Return what there is beside the rows: on the first page notices and the text around data, and
    on each page the other members of a dict with one list, whole, in brief, or only their count."""
    words = words_around(focus, scale) if is_first else {}
    return words | _other_members(focus, scale, keep)


def words_around(focus: Focus, scale: ReplyScale) -> dict[str, Any]:
    """Return the notices about a value, and the text before and after data, as much of it as leaves
    room for rows."""
    told = {"notices": [*focus.notices]} if focus.notices else {}
    return told | _text_around(focus, scale)


def _text_around(focus: Focus, scale: ReplyScale) -> dict[str, str]:
    if focus.in_text is None:
        return {}
    texts = (rawjson.text(text).strip() for text in (focus.in_text.before, focus.in_text.after))
    named = {name: text for name, text in zip(TEXTS_AROUND, texts, strict=True) if text}
    forms = [{name: cut_text(named[name], chars) for name in named} for chars in AROUND_CHARS]
    return next((form for form in forms if scale.takes_little(form)), forms[-1])


def _other_members(focus: Focus, scale: ReplyScale, keep: Collection[str] | None) -> dict[str, Any]:
    place = list_place(focus)
    if place is None:
        return {}
    others = [
        entry
        for number, entry in enumerate(rawjson.members(focus.envelope))
        if number != place.number and (keep is None or entry.name in keep)
    ]
    if not others:
        return {}
    shown = (
        {entry.name: msgspec.Raw(entry.value) for entry in others},
        dict(_brief_member((entry.name, entry.value)) for entry in others),
        {"$keys": len(others)},
    )
    fitting = (form for form in shown if scale.takes_little(form))
    return {"envelope": next(fitting, shown[-1])}


def _past_the_end(request: ViewRequest, total: int) -> Refusal:
    pages = max(1, -(-total // request.page_size))
    asked = request.page if request.page is not None else request.row // request.page_size + 1
    return Refusal(
        f"There is no page {asked}. The last is {pages}: "
        f"{total} items, {request.page_size} a page.",
        f"Give page as 1 to {pages}.",
    )
