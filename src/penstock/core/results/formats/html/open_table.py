"""A table of HTML while its tags are read: its rows so far, and the cell that is open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from penstock.core.results.formats.html.flow import TextFlow
from penstock.core.results.formats.html.tables import Spans, TableRow
from penstock.core.results.formats.html.tokens import attributes, whole_number

_MOST_COLUMNS_SPANNED: Final = 1_000  # as in browsers
_MOST_ROWS_SPANNED: Final = 65_534
_LAYOUT_ROLES: Final = frozenset(("presentation", "none"))


class OpenTable:
    """A table whose end is not reached. Tags may be left out: a cell ends where the next one starts."""

    def __init__(self, given: str, around: TextFlow) -> None:
        self.around = around  # the text that the table is in
        self.rows: list[TableRow] = []
        self.is_plain = True  # the cells hold nothing but text
        self.is_layout = "role" in given and attributes(given).get("role") in _LAYOUT_ROLES
        self._caption = TextFlow()
        self._cell: TextFlow | None = None
        self._given = ""  # the attributes of the cell
        self._is_name = False
        self._is_row_open = False
        self._group = "tbody"
        self._group_number = 0

    @property
    def caption(self) -> str:
        self._caption.end_line()
        return " ".join(self._caption.bare_lines)

    def opened(self, name: str, given: str) -> TextFlow:
        """Take a tag that opens a part of the table. Return where the text after it belongs."""
        match name:
            case "td" | "th":
                return self._open_cell(given, is_name=name == "th")
            case "tr":
                self._open_row()
            case "caption":
                self.close_row()
                return self._caption
            case _:
                self._open_group(name)
        return self.around

    def closed(self, name: str) -> TextFlow:
        """Take a tag that closes a part of the table. Return where the text after it belongs."""
        match name:
            case "td" | "th":
                self._close_cell()
            case "tr" | "caption":
                self.close_row()
            case _:
                self._open_group("tbody")
        return self.around

    def close_row(self) -> None:
        self._close_cell()
        self._is_row_open = False

    def _open_group(self, name: str) -> None:
        self.close_row()
        self._group = name
        self._group_number += 1

    def _open_row(self) -> None:
        self.close_row()
        self.rows.append(TableRow(self._group, self._group_number))
        self._is_row_open = True

    def _open_cell(self, given: str, *, is_name: bool) -> TextFlow:
        self._close_cell()
        if not self._is_row_open:
            self._open_row()
        self._given, self._is_name = given, is_name
        self._cell = TextFlow()
        return self._cell

    def _close_cell(self) -> None:
        if self._cell is None:
            return
        row = self.rows[-1]
        if "span" in self._given.lower():
            row.spans[len(row.texts)] = _spans(attributes(self._given))
        text = self._cell.text().strip()
        bare = "\n".join(self._cell.bare_lines).strip()
        if text != bare:
            row.linked[len(row.texts)] = text
        row.texts.append(bare)
        row.names += self._is_name
        self._cell = None

    def add_plain_row(self, texts: Sequence[str], names: int) -> None:
        """Add a whole row whose cells hold nothing but text, and span nothing."""
        self._open_row()
        row = self.rows[-1]
        row.texts, row.names = [" ".join(text.split()) for text in texts], names
        self._is_row_open = False


def _spans(given: Mapping[str, str]) -> Spans:
    columns = whole_number(given.get("colspan", ""), most=_MOST_COLUMNS_SPANNED)
    rows = whole_number(given.get("rowspan", ""), most=_MOST_ROWS_SPANNED)
    return Spans(columns or 1, rows or _MOST_ROWS_SPANNED)  # 0 rows are all of the group
