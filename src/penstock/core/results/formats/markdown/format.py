"""Markdown documents: a row is a section, as in `sections`, with its tables and its blocks of code."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from penstock.core.json import rawjson
from penstock.core.model.questions import unique_names
from penstock.core.results.formats.cut import (
    NearMiss,
    TextCut,
    ValueFrame,
    grouped,
    too_large,
)
from penstock.core.results.formats.markdown.blocks import markdown_blocks
from penstock.core.results.formats.markdown.inline import plain
from penstock.core.results.formats.markdown.open import MarkdownBlock
from penstock.core.results.formats.markdown.signs import is_markdown
from penstock.core.results.formats.markdown.tables import PipeTable, may_have_marks
from penstock.core.results.formats.sections import (
    Section,
    SectionTable,
    contents_of_sections,
    section_row,
    table_name,
)
from penstock.core.results.formats.tables.numbers import notice_of_marks


class Markdown:
    """Markdown with headings."""

    has_free_cells = False
    is_one_value = False
    has_sections = True

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        if not is_markdown(text):
            return None
        refusal = too_large(text)
        if refusal is not None:
            return refusal
        found = _SectionsFound(text)
        before = found.starts[1]
        if text[:before].strip():
            before = 0
        else:  # there is no text before the first heading
            del found.starts[0], found.sections[0]
        return TextCut(
            "rows",
            grouped(text[start:stop] for start, stop in pairwise([*found.starts, len(text)])),
            text[:before],
            contents=contents_of_sections(found.sections),
            notices=found.notices(),
        )

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:  # noqa: ARG002 (of the protocol)
        return [*map(_decoded, rows)]

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:  # noqa: ARG002 (of the protocol)
        return ValueFrame()


FORMAT: Final = Markdown()


# -- the whole document ----------------------------------------------------------------------------


class _SectionsFound:
    """The sections of a document, as its contents list them, and where they start."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self.starts = [0]
        self.sections: list[Section] = []
        self._marks: set[bytes] = set()
        self._unread = 0  # tables
        level, heading = 0, b""
        tables: list[MarkdownBlock] = []
        for block in markdown_blocks(text, keeps_lines=False):
            if block.kind == "table":
                tables.append(block)
            elif block.kind == "heading":
                self._add(level, heading, tables)
                self.starts.append(block.start)
                level, heading, tables = block.level, block.info, []
        self._add(level, heading, tables)

    def _add(self, level: int, heading: bytes, tables: Sequence[MarkdownBlock]) -> None:
        title = _words(heading)
        if not tables:
            self.sections.append(Section(level, title))
            return
        shapes = [shape for shape in map(self._shape, tables) if shape is not None]
        names = _table_names(title, len(shapes))
        named = [SectionTable(name, *shape) for name, shape in zip(names, shapes, strict=True)]
        self.sections.append(Section(level, title, named))

    def _shape(self, block: MarkdownBlock) -> tuple[Sequence[str], int] | None:
        """Return the columns of a table and how many rows it has, or None if it is left as text."""
        header, *rows = block.lines
        table = PipeTable(header)
        if not table.is_readable(len(rows), block.stop - block.start):
            self._unread += 1
            return None
        source = self._text[block.start : block.stop]
        if may_have_marks(source):
            self._marks |= _marks_in(source)
        return table.columns, len(rows)

    def notices(self) -> tuple[str, ...]:
        unread = f"Tables left as text, because their rows would be much larger: {self._unread}."
        return (*notice_of_marks(self._marks), *((unread,) if self._unread else ()))


def _marks_in(source: bytes) -> set[bytes]:
    """Return the marks for missing numbers that are null in a table."""
    blocks = markdown_blocks(source, keeps_lines=True)
    (header, *lines) = next(block.lines for block in blocks if block.kind == "table")
    return PipeTable(header).rows(lines)[1]


# -- one section -----------------------------------------------------------------------------------


def _decoded(row: bytes) -> bytes:
    level, heading, start = 0, b"", 0
    tables: list[Sequence[dict[str, Any]]] = []
    code: list[dict[str, str]] = []
    for block in markdown_blocks(row, keeps_lines=True):
        match block.kind:
            case "heading":
                level, heading, start = block.level, block.info, block.stop
            case "code":
                language, lines = rawjson.text(block.info), rawjson.text(b"\n".join(block.lines))
                code.append({"language": language, "text": lines})
            case "table":
                header, *records = block.lines
                table = PipeTable(header)
                if table.is_readable(len(records), block.stop - block.start):
                    tables.append(table.rows(records)[0])
    title = _words(heading)
    named = dict(zip(_table_names(title, len(tables)), tables, strict=True))
    return section_row(level, title, rawjson.text(row[start:]), named, code)


def _words(heading: bytes) -> str:
    return plain(rawjson.text(heading))


def _table_names(heading: str, count: int) -> list[str]:
    return unique_names([table_name(heading)] * count)
