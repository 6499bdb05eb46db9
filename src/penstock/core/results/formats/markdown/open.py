"""The block of Markdown that is open at the end of what was read, to which the next line may belong."""

from __future__ import annotations

import re
from enum import Enum
from typing import Literal

import msgspec

from penstock.core.results.formats.markdown.lines import BLANK_LINE, CODE_INDENT, MarkdownLine


class MarkdownBlock(msgspec.Struct, frozen=True):
    """A block and its place in the text, with whole lines."""

    kind: Literal["heading", "code", "table", "text"]
    start: int
    stop: int
    level: int = 0  # of a heading
    info: bytes = b""  # a heading, or the language of code
    lines: list[bytes] = []  # of code, if they are kept, and of a table: its header and its rows
    is_fenced: bool = False


class Leaf(Enum):
    """A kind of block that can be open."""

    NONE = 0
    TEXT = 1
    FENCE = 2
    HTML = 3
    CODE = 4
    TABLE = 5


class OpenBlock:
    """The open block. There is always one; it may be none."""

    __slots__ = (
        "fence",
        "html_end",
        "indent",
        "info",
        "keeps_lines",
        "leaf",
        "lines",
        "start",
        "stop",
    )

    def __init__(self, *, keeps_lines: bool) -> None:
        self.keeps_lines = keeps_lines
        self.html_end: re.Pattern[bytes] = BLANK_LINE
        self.fence = b""
        self.indent = 0  # of a fence
        self.open(Leaf.NONE, 0, 0)

    def open(self, leaf: Leaf, start: int, stop: int) -> None:
        self.leaf, self.start, self.stop = leaf, start, stop
        self.lines: list[bytes] = []
        self.info = b""

    def closed(self) -> MarkdownBlock | None:
        """Close the block, and return it if it is one that counts."""
        leaf, self.leaf = self.leaf, Leaf.NONE
        if leaf is Leaf.TEXT:
            return MarkdownBlock("text", self.start, self.stop)
        if leaf is Leaf.TABLE:
            return MarkdownBlock("table", self.start, self.stop, lines=self.lines)
        if leaf is Leaf.FENCE:
            info = self.info.split(None, 1)[0] if self.info else b""
            return MarkdownBlock("code", self.start, self.stop, 0, info, self.lines, is_fenced=True)
        if leaf is Leaf.CODE:
            while self.lines and not self.lines[-1].strip():
                self.lines.pop()
            return MarkdownBlock("code", self.start, self.stop, lines=self.lines)
        return None

    def keep(self, line: MarkdownLine, columns: int) -> None:
        """Keep a line of code, without some columns of its indentation."""
        if self.keeps_lines:
            self.lines.append(line.dedented(columns))

    def keep_all(self, lines: bytes, columns: int) -> None:
        """Keep lines that have no tabs in the columns that are left out."""
        if self.keeps_lines or self.leaf is Leaf.TABLE:
            each = lines.removesuffix(b"\n").split(b"\n")
            self.lines += [line[columns:].removesuffix(b"\r") for line in each]

    def takes(self, line: MarkdownLine, stop: int) -> bool:
        """Return whether a line belongs to code or HTML that is open, and take it. Whether the line
        ends the block shows in `is_ended`."""
        if self.leaf is Leaf.FENCE:
            self.stop = stop
            if not self._is_fence_end(line):
                self.keep(line, self.indent)
            return True
        if self.leaf is Leaf.CODE and (line.is_blank or line.indent >= CODE_INDENT):
            self.stop = self.stop if line.is_blank else stop
            self.keep(line, CODE_INDENT)
            return True
        if self.leaf is Leaf.HTML and not (self.html_end is BLANK_LINE and line.is_blank):
            self.stop = stop
            return True
        return False

    def is_ended(self, line: MarkdownLine) -> bool:
        """Return whether a line of the block is its last."""
        if self.leaf is Leaf.FENCE:
            return self._is_fence_end(line)
        is_marked = self.leaf is Leaf.HTML and self.html_end is not BLANK_LINE
        return is_marked and self.html_end.search(line.data, line.first) is not None

    def _is_fence_end(self, line: MarkdownLine) -> bool:
        marks = line.data[line.first :].rstrip(b" \t") if line.indent < CODE_INDENT else b""
        return len(marks) >= len(self.fence) and not marks.strip(self.fence[:1])
