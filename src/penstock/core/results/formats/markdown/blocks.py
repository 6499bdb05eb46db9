"""The blocks of Markdown, found in one pass over the lines: headings, code, tables, texts.

The rules are those of CommonMark, with the tables of GitHub. Links and emphasis are not read. A heading
in a quote or in a list item is none of the document. The first bytes of a line decide what it starts,
so runs of lines that start nothing are skipped at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from penstock.core.results.formats.markdown import lines as patterns
from penstock.core.results.formats.markdown.containers import Containers
from penstock.core.results.formats.markdown.lines import BLANK_LINE, CODE_INDENT, MarkdownLine
from penstock.core.results.formats.markdown.open import Leaf, MarkdownBlock, OpenBlock
from penstock.core.results.formats.markdown.tables import cell_count


def markdown_blocks(
    text: bytes, *, keeps_lines: bool, has_texts: bool = False
) -> Iterator[MarkdownBlock]:
    """Yield the blocks of a document, or of a section of it. `keeps_lines`: code has its lines.
    `has_texts`: paragraphs are yielded too. Without them, most sections are read at once."""
    return _Scanner(text, keeps_lines=keeps_lines, has_texts=has_texts).blocks()


class _Scanner:
    """A reader of lines, with the blocks that are open."""

    def __init__(self, text: bytes, *, keeps_lines: bool, has_texts: bool) -> None:
        self._text = text
        self._has_texts = has_texts
        self._containers = Containers()
        self._open = OpenBlock(keeps_lines=keeps_lines)
        self._last_line = 0  # the start of the last line of the text that is open
        self._closed: list[MarkdownBlock] = []  # that are not yielded yet

    def blocks(self) -> Iterator[MarkdownBlock]:
        size = len(self._text)
        front = patterns.FRONT_MATTER.match(self._text)
        position = front.end() if front else 0
        while position < size:
            position = (
                self._settled(position) or self._skipped(position) or self._read_line(position)
            )
            if self._closed:
                yield from self._closed
                self._closed = []
        self._close()
        yield from self._closed

    def _read_line(self, position: int) -> int:
        """Read a line, and all of a block that is known by its first line. Return where it ends."""
        newline = self._text.find(b"\n", position)
        end, stop = (newline, newline + 1) if newline >= 0 else (len(self._text),) * 2
        line = MarkdownLine(self._text[position:end].removesuffix(b"\r"))
        matched = self._containers.matched(line)
        if matched == self._containers.depth and self._open.takes(line, stop):
            if self._open.is_ended(line):
                self._close()
        elif line.is_blank:
            self._enter(matched)
        else:
            self._containers.note_text()
            return max(stop, self._start_blocks(line, position, stop, matched))
        return stop

    def _enter(self, depth: int) -> None:
        """Close the open block, and all containers but the first ones."""
        self._close()
        self._containers.leave(depth)

    def _close(self) -> None:
        if self._open.leaf is Leaf.NONE:
            return
        block = self._open.closed()
        if block is not None and (self._has_texts or block.kind != "text"):
            self._closed.append(block)

    # -- many lines at once ------------------------------------------------------------------------

    def _settled(self, position: int) -> int:
        """Read headings and lines after which nothing is open, and return where they end; 0 if there
        are none."""
        leaf, text = self._open.leaf, self._text
        if self._has_texts or leaf is Leaf.FENCE or leaf is Leaf.HTML:
            return 0
        end = 0
        if leaf is Leaf.NONE and not self._is_in_container(position):
            lines = patterns.SETTLED_LINES.match(text, position)
            end = lines.end() if lines else 0
        section = patterns.SETTLED_SECTION.match(text, end or position)
        if section is not None or end:
            self._enter(0)
        while section is not None:
            marks, title = section["marks"], section["title"].removesuffix(b"\r")
            self._found_heading(section.start(), section.end("head"), len(marks), _title(title))
            end = section.end()
            section = patterns.SETTLED_SECTION.match(text, end)
        return end

    def _is_in_container(self, position: int) -> bool:
        """Return whether a line may belong to a container that is open."""
        return bool(self._containers.depth) and self._text[position] in b" \t\r\n>"

    def _skipped(self, position: int) -> int:
        """Read lines that need no closer look, and return where they end; 0 if there are none."""
        leaf, first = self._open.leaf, self._text[position]
        if leaf is Leaf.FENCE or leaf is Leaf.HTML:
            return 0
        if first in b" \t\r\n" and leaf is not Leaf.CODE:
            blank = patterns.BLANK_LINES.match(self._text, position)
            if blank is not None:
                self._close()
                self._containers.leave_for_blank()
                return blank.end()
        if leaf is Leaf.TEXT:
            more = patterns.MORE_PLAIN_LINES.match(self._text, position)
            if more is not None:
                return self._take_text(position, more.end())
        if first in b"-*+":
            return self._skipped_items(position)
        if self._containers.depth or leaf is Leaf.TEXT:
            return 0
        return self._skipped_lines(position)

    def _skipped_items(self, position: int) -> int:
        """Read list items that have a line of text each."""
        items = patterns.PLAIN_ITEMS.match(self._text, position)
        if items is None:
            return 0
        self._enter(0)
        self._containers.enter_plain_item(len("- "))
        return self._take_text(position, items.end())

    def _skipped_lines(self, position: int) -> int:
        """Read rows of a table, lines of code, or a text, in no container."""
        leaf = self._open.leaf
        pattern = {Leaf.TABLE: patterns.ROW_LINES, Leaf.CODE: patterns.CODE_LINES}.get(
            leaf, patterns.PLAIN_LINES
        )
        found = pattern.match(self._text, position)
        if found is None:
            return 0
        if leaf is Leaf.NONE:
            return self._take_text(position, found.end())
        self._open.stop = found.end()
        self._open.keep_all(found.group(), CODE_INDENT if leaf is Leaf.CODE else 0)
        return found.end()

    def _take_text(self, start: int, stop: int) -> int:
        """Add lines to the text that is open, or open one. Return where they end."""
        if self._open.leaf is not Leaf.TEXT:
            self._open.open(Leaf.TEXT, start, stop)
        self._open.stop = stop
        self._last_line = self._text.rfind(b"\n", start, stop - 1) + 1 or start
        return stop

    # -- what a line starts ------------------------------------------------------------------------

    def _start_blocks(self, line: MarkdownLine, start: int, stop: int, matched: int) -> int:
        """Start what a line starts: containers, and then a block in them. Return where the block ends,
        if all of it was read."""
        while line.indent < CODE_INDENT:
            ended = self._started(line, start, stop, matched)
            if ended is not None:
                return ended
            if not self._entered(line, matched):
                break
            matched = self._containers.depth
            if line.is_blank:
                return stop
        return self._start_text(line, start, stop, matched)

    def _entered(self, line: MarkdownLine, matched: int) -> bool:
        """Return whether a line starts a container, and enter it."""
        if matched >= self._containers.depth and self._containers.is_full:
            return False
        if line.starts_with(b">"):
            self._enter(matched)
            self._containers.enter_quote(line)
            return True
        item = patterns.ITEM.match(line.data, line.first)
        if item is None or not self._may_start(item, line, matched):
            return False
        self._enter(matched)
        self._containers.enter_item(line, len(item[0]))
        return True

    def _may_start(self, item: re.Match[bytes], line: MarkdownLine, matched: int) -> bool:
        """Return whether a list item may start there. In a text, only one that is filled, and that has
        no other number than 1."""
        if self._open.leaf is not Leaf.TEXT or matched < self._containers.depth:
            return True
        is_filled = bool(line.data[item.end() :].strip(b" \t"))
        return is_filled and (len(item[0]) == 1 or item[0][:-1] == b"1")

    def _started(self, line: MarkdownLine, start: int, stop: int, matched: int) -> int | None:
        """Start a block that a line starts in its container, and return where it ends. Return None if
        the line starts none."""
        data, first = line.data, line.first
        code = data[first]
        is_below_text = self._open.leaf is Leaf.TEXT and matched == self._containers.depth
        if is_below_text and code in b"|:-" and self._starts_table(line, stop):
            return stop
        if code == ord("#") and (heading := patterns.HEADING.match(data, first)):
            self._enter(matched)
            return self._found_heading(start, stop, len(heading[1]), _title(heading[2] or b""))
        if code in b"`~" and (fence := patterns.FENCE.match(data, first)):
            self._enter(matched)
            return self._start_fence(fence, line.indent, start, stop)
        if code == ord("<"):
            return self._start_html(line, start, stop, matched)
        if is_below_text and code in b"=-" and patterns.UNDERLINE.match(data, first):
            begin, self._open.leaf = self._open.start, Leaf.NONE
            title = self._text[begin:start]
            return self._found_heading(begin, stop, 1 if code == ord("=") else 2, title)
        if code in b"-_*" and patterns.BREAK.match(data, first):
            self._enter(matched)
            return stop
        return None

    def _found_heading(self, start: int, stop: int, level: int, title: bytes) -> int:
        if not self._containers.depth:
            info = b" ".join(title.split())
            self._closed.append(MarkdownBlock("heading", start, stop, level, info))
        return stop

    def _start_fence(self, fence: re.Match[bytes], indent: int, start: int, stop: int) -> int:
        """Start code in a fence. In no container, read all of it."""
        block = self._open
        block.open(Leaf.FENCE, start, stop)
        block.fence, block.indent = fence[1] or fence[3], indent
        block.info = (fence[2] or fence[4] or b"").strip()
        if self._containers.depth:
            return stop
        end = patterns.fence_end(block.fence).search(self._text, stop - 1)
        lines = self._text[stop : end.start() + 1 if end else None]
        if indent and lines:
            for line in lines.removesuffix(b"\n").split(b"\n"):
                block.keep(MarkdownLine(line.removesuffix(b"\r")), indent)
        elif lines:
            block.keep_all(lines, 0)
        block.stop = end.end() if end else len(self._text)
        self._close()
        return block.stop

    def _start_html(self, line: MarkdownLine, start: int, stop: int, matched: int) -> int | None:
        """Start a block of HTML. In no container, read all of it."""
        is_in_text = self._open.leaf in (Leaf.TEXT, Leaf.TABLE)
        end = patterns.html_end(line.data, line.first, is_in_text=is_in_text)
        if end is None:
            return None
        self._enter(matched)
        if end is not BLANK_LINE and end.search(line.data, line.first):
            return stop
        if not self._containers.depth:
            return self._end_of_html(end, stop)
        self._open.open(Leaf.HTML, start, stop)
        self._open.html_end = end
        return stop

    def _end_of_html(self, end: re.Pattern[bytes], position: int) -> int:
        found = end.search(self._text, position)
        if found is None:
            return len(self._text)
        newline = self._text.find(b"\n", found.end())
        return len(self._text) if newline < 0 else newline + 1

    def _starts_table(self, line: MarkdownLine, stop: int) -> bool:
        """Return whether a line is the rule below the names of columns, and start the table."""
        if not patterns.TABLE_RULE.match(line.data, line.first):
            return False
        begin = self._last_line
        end = self._text.find(b"\n", begin)
        header = self._containers.stripped(self._text[begin:end].rstrip(b" \t\r"))
        if b"|" not in header or cell_count(header) != cell_count(line.data[line.first :]):
            return False
        if begin > self._open.start:
            self._open.stop = begin
            self._close()
        self._open.open(Leaf.TABLE, begin, stop)
        self._open.lines = [header]
        return True

    def _start_text(self, line: MarkdownLine, start: int, stop: int, matched: int) -> int:
        """Take a line that starts nothing: of the table or text that is open, or of new code or text."""
        leaf = self._open.leaf
        is_indented = line.indent >= CODE_INDENT
        if leaf is Leaf.TABLE and matched == self._containers.depth and not is_indented:
            self._open.stop = stop
            self._open.lines.append(line.data[line.first :])
        elif leaf is Leaf.TEXT:
            self._take_text(start, stop)
        else:
            self._enter(matched)
            if is_indented:
                self._open.open(Leaf.CODE, start, stop)
                self._open.keep(line, CODE_INDENT)
            elif not patterns.DEFINITION.match(line.data, line.first):
                self._take_text(start, stop)
        return stop


def _title(source: bytes) -> bytes:
    """Return the rest of a heading without the marks that close it."""
    title = source.rstrip(b" \t")
    return patterns.CLOSING_MARKS.sub(b"", title) if title.endswith(b"#") else title
