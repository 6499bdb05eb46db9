"""HTML: the rows are the sections of a page, each from its heading to the next one.

A page is never invalid: tags may lack their ends, and a page that is cut off is read up to there. A
heading in a table, in code or in a template does not start a section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import msgspec

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped
from penstock.core.results.formats.html.sections import (
    SHOWN_TEMPLATE,
    SectionContent,
    SectionReader,
)
from penstock.core.results.formats.html.signs import Span, page_in
from penstock.core.results.formats.html.tokens import borders
from penstock.core.results.formats.sections import (
    Section,
    SectionTable,
    contents_of_sections,
    section_row,
)
from penstock.core.results.formats.tables.numbers import notice_of_marks

LARGEST: Final = 10_000_000  # reading this takes one to four seconds
MOST_SECTIONS: Final = 100_000
_LITTLE_TEXT: Final = 200  # characters of a page whose scripts write the rest
_MUCH_CODE: Final = 2_000  # bytes of such a page
_TEMPLATE_END: Final = re.compile(rb"</template", re.IGNORECASE)
_RAW_END: Final = re.compile(rb"</[a-z]++\s*+>\Z", re.IGNORECASE)
_COMMENT_ENDS: Final = (b"-->", b"--!>", b"<!-->", b"<!--->")
_PAIRED: Final = (b"html", b"body", b"div", b"table", b"ul", b"ol", b"section", b"pre")


class _PageReading(msgspec.Struct, frozen=True):
    """The size of the text before the page."""

    before: int = 0  # the bytes of text before the page


class HtmlPage:
    """A page, or a part of one."""

    has_free_cells = False
    is_one_value = False
    has_sections = True

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        page = page_in(text)
        if not isinstance(page, Span):
            return page
        if len(text) > LARGEST:
            return NearMiss(f"it has {len(text):,} bytes, and at most {LARGEST:,} are read")
        found = _Borders(text, page)
        if len(found.starts) > MOST_SECTIONS:
            told = f"{len(found.starts):,} headings, and at most {MOST_SECTIONS:,}"
            return NearMiss(f"it has {told} are read")
        return _cut(text, page, found)

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        del reading
        return [_decoded(row) for row in rows]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        told = msgspec.json.decode(reading, type=_PageReading)
        return ValueFrame(
            text_before=prefix[: told.before], text_after=suffix.lstrip(rawjson.WHITE)
        )


FORMAT: Final = HtmlPage()


def _decoded(row: bytes) -> bytes:
    content = SectionReader(rawjson.text(row)).content()
    tables = {name: table.rows() for name, table in content.tables.items()}
    return section_row(content.level, content.heading, content.text, tables, content.code)


# -- cutting -----------------------------------------------------------------------------------


class _Borders:
    """The places where the sections of a page start, found while its tags are read."""

    def __init__(self, text: bytes, page: Span) -> None:
        self.starts = [page.start]
        self.with_tables: set[int] = set()  # the numbers of sections
        self.is_unfinished = False  # the page ends inside of a tag, a comment or a script
        self._tables = 0
        self._hidden = 0  # templates that are open
        self._is_code = False
        ends = [found.start() for found in _TEMPLATE_END.finditer(text, *page)]
        self._last_template_end = ends[-1] if ends else -1
        found = None
        for found in borders().finditer(text, *page):
            if found["border"] is not None:
                self._take(found["border"].lower(), found)
        if found is not None:
            self.is_unfinished = found.end() == page.end and _has_no_end(found)

    def _take(self, border: bytes, found: re.Match[bytes]) -> None:
        if border == b"template":
            is_shown = SHOWN_TEMPLATE.encode() in found.group().lower()
            is_hiding = found.start() < self._last_template_end and not is_shown
            self._hidden += self._hidden > 0 or is_hiding
        elif border == b"/template":
            self._hidden = max(0, self._hidden - 1)
        elif not self._hidden:
            self._take_shown(border, found.start())

    def _take_shown(self, border: bytes, start: int) -> None:
        if border == b"table":
            self._tables += 1
            self.with_tables.add(len(self.starts) - 1)
        elif border == b"/table":
            self._tables, self._is_code = max(0, self._tables - 1), False
        elif border in (b"pre", b"/pre"):
            self._is_code = border == b"pre"
        elif (
            not (border.startswith(b"/") or self._tables or self._is_code)
            and start > self.starts[-1]
        ):
            self.starts.append(start)


def _has_no_end(token: re.Match[bytes]) -> bool:
    """Return whether the last token goes on to the end of the page because it has no end."""
    whole = token.group()
    if whole.startswith(b"<!--"):
        return not whole.endswith(_COMMENT_ENDS)
    return not whole.endswith(b">") or (
        token["raw"] is not None and not _RAW_END.search(whole[-50:])
    )


def _cut(text: bytes, page: Span, found: _Borders) -> TextCut:
    starts = found.starts
    sections: list[_ReadSection] = []
    for number, (start, end) in enumerate(pairwise([*starts, page.end])):
        sections.append(_read(text[start:end], is_whole=not number or number in found.with_tables))
    if len(starts) > 1 and sections[0].is_empty:
        del starts[0], sections[0]
    return TextCut(
        "rows",
        grouped(_rows(text, starts, page.end)),
        text[: starts[0]],
        text[page.end :],
        reading=msgspec.json.encode(_PageReading(page.start)),
        notices=(*_notice_of_end(text, page, found), *_notices_of_sections(sections)),
        contents=contents_of_sections([section.told for section in sections]),
    )


def _rows(text: bytes, starts: Sequence[int], end: int) -> Iterator[bytes]:
    for start, stop in pairwise([*starts, end]):
        yield text[start:stop]


class _ReadSection(msgspec.Struct, frozen=True):
    """A section, as far as the probe tells of it."""

    told: Section
    marks: frozenset[bytes] = frozenset()
    repeated: int = 0  # rows of tables, which are left out
    is_empty: bool = False
    is_script: bool = False  # a page of much code and little text


def _read(row: bytes, *, is_whole: bool) -> _ReadSection:
    """Read the heading of a section, or all of it."""
    reader = SectionReader(rawjson.text(row))
    if not is_whole:
        return _ReadSection(Section(*reader.heading()))
    content = reader.content()
    tables = content.tables.items()
    shapes = [SectionTable(name, table.columns, len(table.body)) for name, table in tables]
    return _ReadSection(
        Section(content.level, content.heading, shapes),
        frozenset[bytes]().union(*(table.marks for _, table in tables)),
        sum(table.repeated for _, table in tables),
        is_empty=not (content.heading or content.text),
        is_script=_is_script(content, row),
    )


def _is_script(content: SectionContent, row: bytes) -> bool:
    """Return whether a page has much code and little text."""
    is_bare = len(content.text) < _LITTLE_TEXT and not (
        content.level or content.tables or content.code
    )
    return is_bare and len(row) > _MUCH_CODE and b"<script" in row.lower()


# -- notices -----------------------------------------------------------------------------------


def _notice_of_end(text: bytes, page: Span, found: _Borders) -> tuple[str, ...]:
    """Return a notice if a page seems to be cut off."""
    lower = text[page.start : page.end].lower()
    if b"</html" in lower:
        return ()
    if found.is_unfinished:
        return ("The page may be cut off: it ends inside a tag, a comment or a script.",)
    for name in _PAIRED:
        if lower.count(b"<" + name) > lower.count(b"</" + name):
            return (f"The page may be cut off: it lacks </{name.decode()}>.",)
    return ()


def _notices_of_sections(sections: Sequence[_ReadSection]) -> Iterator[str]:
    yield from notice_of_marks(set().union(*(section.marks for section in sections)))
    repeated = sum(section.repeated for section in sections)
    if repeated:
        yield f"The names of columns come again in {repeated} rows of tables, which are left out."
    if len(sections) == 1 and sections[0].is_script:
        yield "The page has little text of its own: scripts may write the rest. /~text has all of it."
