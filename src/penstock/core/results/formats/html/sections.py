"""A section of a page as readable text, tables and code.

Where the section has a table or code, its text has the place of it in the section: `[tables/limits]`,
`[code/0]`. Tables that only place texts beside each other are text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar, Final

import msgspec

from penstock.core.results.formats.html.elements import BLOCKS, HEADINGS, IN_TABLES
from penstock.core.results.formats.html.flow import TextFlow
from penstock.core.results.formats.html.open_table import OpenTable
from penstock.core.results.formats.html.tables import DataTable, data_of, line_of
from penstock.core.results.formats.html.tokens import (
    attributes,
    plain_cells,
    plain_row,
    tokens,
    unescaped,
)
from penstock.core.results.formats.html.words import TagAction, TextReader
from penstock.core.results.formats.sections import table_name

_MOST_DEPTH: Final = 20  # of tables in tables; deeper ones are text
_MOST_TABLES: Final = 1_000  # of a section; more are text
_LONGEST_HEADING: Final = 300
_HEADING: Final = re.compile(r"<h([1-6])(?![^\s/>])", re.IGNORECASE)
_HEADING_END: Final = re.compile(r"</h[1-6]", re.IGNORECASE)
_TEMPLATE_END: Final = re.compile(r"</template", re.IGNORECASE)
SHOWN_TEMPLATE: Final = "shadowroot"  # in an attribute of a template that is shown where it is


class SectionContent(msgspec.Struct, frozen=True):
    """All that a section shows."""

    level: int  # 0 if it has no heading, and then `heading` is the title of the page
    heading: str
    text: str
    tables: Mapping[str, DataTable]
    code: list[dict[str, str]]


class SectionReader(TextReader):
    """A reader of one section. Its actions take the name of a tag, and the attributes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self._source = source
        self._body = self._flow
        self._tables: list[OpenTable] = []
        self._found: dict[str, DataTable] = {}
        self._hidden = 0  # templates that are open
        self._heading = ""
        self._is_described = False
        heading = _HEADING.match(source)
        self._level = int(heading[1]) if heading else 0
        self._is_in_heading = heading is not None
        if heading:
            self._flow = TextFlow()

    def content(self) -> SectionContent:
        """Read the whole section."""
        self._read()
        self._end_heading()
        self._close_pre()
        while self._tables:
            self._end_table()
        return SectionContent(
            self._level, self._heading, self._body.text(), self._found, self._code
        )

    def heading(self) -> tuple[int, str]:
        """Read the level and the heading only."""
        self._read(only_heading=True)
        self._end_heading()
        return self._level, self._heading

    def _read(self, *, only_heading: bool = False) -> None:
        source, position = self._source, 0
        search = tokens().search
        while (found := search(source, position)) is not None:
            start = found.start()
            if start > position and not self._hidden:
                self._text(unescaped(source[position:start]))
            position = found.end()
            name = found["name"]
            if name is None:
                self._special(found)
                continue
            name = name.lower()
            if name == "template":
                self._template(found, start)
                continue
            if name == "tr" and self._tables and (rows_end := self._read_plain_rows(start)):
                position = rows_end
                continue
            action = (self.CLOSING if found["close"] else self.OPENING).get(name)
            if action is not None and not self._hidden:
                action(self, name, found["attributes"])
                if only_heading and not self._is_in_heading:
                    return
        if not self._hidden:
            self._text(unescaped(source[position:]))

    # -- text ------------------------------------------------------------------------------------

    def _special(self, found: re.Match[str]) -> None:
        """Read an element without markup in it, or CDATA. Scripts, styles and comments are no text."""
        name = (found["raw"] or "").lower()
        if self._hidden or name in ("script", "style"):
            return
        text = unescaped(found["inside"] or "") if name else found["cdata"] or ""
        if name == "title" and not (self._level or self._heading or self._body.lines):
            self._heading = " ".join(text.split())
        elif text:
            self._text(text)

    def _block(self, _name: str = "", _given: str = "") -> None:
        if self._is_in_heading and not self._is_heading_closed:
            self._end_heading()
        super()._block()

    def _meta(self, _name: str, given: str) -> None:
        told = attributes(given)
        if told.get("name", "").lower() == "description" and not (
            self._level or self._is_described
        ):
            self._is_described = True
            self._flow.add_lines([*filter(None, [" ".join(told.get("content", "").split())])])

    # -- headings --------------------------------------------------------------------------------

    def _open_heading(self, _name: str, _given: str) -> None:
        if self._is_in_heading and not (self._flow.pieces or self._flow.lines):
            return
        self._note_markup_in_table()
        self._block()

    def _close_heading(self, _name: str, _given: str) -> None:
        self._end_heading()
        self._flow.end_line()

    @cached_property
    def _is_heading_closed(self) -> bool:
        return _HEADING_END.search(self._source) is not None

    def _end_heading(self) -> None:
        """Keep the heading. If it goes on for long, its first line is the heading."""
        if not self._is_in_heading:
            return
        self._is_in_heading = False
        heading, self._flow = self._flow, self._body
        heading.end_line()
        whole = " ".join(heading.bare_lines)
        if len(whole) > _LONGEST_HEADING and len(heading.lines) > 1:
            whole, *others = heading.lines
            self._body.add_lines(others)
        self._heading = whole

    # -- tables ----------------------------------------------------------------------------------

    def _read_plain_rows(self, start: int) -> int:
        """Read rows of a table that hold nothing but text. Return where they end, or 0 if there is
        none."""
        if self._hidden or self._is_in_heading or self._open_code is not None:
            return 0
        end = 0
        table = self._tables[-1]
        while (found := plain_row().match(self._source, end or start)) is not None:
            row = found[1]
            if "span" in row.lower():
                break
            cells = plain_cells().findall(row)
            names = sum(kind in "hH" for kind, _ in cells)
            self._flow.end_line()
            self._flow = table.around
            table.add_plain_row([unescaped(text) for _, text in cells], names)
            end = found.end()
        return end

    def _open_table(self, _name: str, given: str) -> None:
        self._block()
        if self._open_code is not None or len(self._tables) >= _MOST_DEPTH:
            return
        self._note_markup_in_table()
        self._tables.append(OpenTable(given, self._flow))

    def _open_in_table(self, name: str, given: str) -> None:
        self._block()
        if self._tables:
            self._close_pre()
            self._flow = self._tables[-1].opened(name, given)

    def _close_in_table(self, name: str, _given: str) -> None:
        self._block()
        if self._tables:
            self._close_pre()
            self._flow = self._tables[-1].closed(name)

    def _close_table(self, _name: str, _given: str) -> None:
        self._block()
        if self._tables:
            self._close_pre()
            self._end_table()

    def _open_pre(self, name: str, given: str) -> None:
        self._note_markup_in_table()
        super()._open_pre(name, given)

    def _keep_code(self, text: str, language: str) -> None:
        """Keep the code. In a cell of a table, it is text."""
        if self._tables:
            self._flow.add_lines(text.split("\n"))
        else:
            super()._keep_code(text, language)

    def _note_markup_in_table(self) -> None:
        if self._tables:
            self._tables[-1].is_plain = False

    def _end_table(self) -> None:
        table = self._tables.pop()
        table.close_row()
        self._flow = table.around
        can_be_data = not table.is_layout and len(self._found) < _MOST_TABLES
        data = data_of(table.rows, is_plain=table.is_plain) if can_be_data else None
        if data is None:
            lines = [table.caption, *map(line_of, table.rows)]
            self._flow.add_lines([line for line in lines if line])
            return
        name = table_name(table.caption or self._heading, self._found)
        self._found[name] = data
        self._flow.add_lines([f"[tables/{name}]", *data.foot])

    # -- templates -------------------------------------------------------------------------------

    def _template(self, found: re.Match[str], start: int) -> None:
        """Hide the inside of a template, unless it has no end or is shown where it is."""
        if found["close"]:
            self._hidden = max(0, self._hidden - 1)
        elif self._hidden or (
            start < self._last_template_end and SHOWN_TEMPLATE not in found["attributes"].lower()
        ):
            self._hidden += 1

    @cached_property
    def _last_template_end(self) -> int:
        return max((found.start() for found in _TEMPLATE_END.finditer(self._source)), default=-1)

    # -- the actions -----------------------------------------------------------------------------

    OPENING: ClassVar[Mapping[str, TagAction]] = {
        **TextReader.OPENING,
        **dict.fromkeys(BLOCKS, _block),
        **dict.fromkeys(HEADINGS, _open_heading),
        **dict.fromkeys(IN_TABLES, _open_in_table),
        "meta": _meta,
        "pre": _open_pre,
        "table": _open_table,
    }
    CLOSING: ClassVar[Mapping[str, TagAction]] = {
        **TextReader.CLOSING,
        **dict.fromkeys(BLOCKS, _block),
        **dict.fromkeys(HEADINGS, _close_heading),
        **dict.fromkeys(IN_TABLES, _close_in_table),
        "table": _close_table,
    }
