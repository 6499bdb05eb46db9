"""The lines of Markdown: the patterns of what a line can start, and a line with its indentation."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

TAB: Final = 4  # columns
CODE_INDENT: Final = 4  # columns from which on a line is code
# A tag with more after it in its line starts no block of HTML.
_INLINE_TAG: Final = (
    rb"<(?:a|abbr|b|br|code|em|i|img|kbd|span|strong|sub|sup)\b"
    rb"(?:[^\n>\"']|\"[^\"\n]*+\"|'[^'\n]*+')*+>[ \t]*+(?=\S)"
)
# A line that is text at any place. It starts nothing else, and rules no table.
_PLAIN: Final = (
    rb"(?:[^\s#>`~\-+*_=|:<\[0-9]|\[(?![^\]\n]*+\]:)|[*_]{1,2}+[A-Za-z]|`{1,2}+[^`\s]|~{1,2}+[^~\s]|[0-9]++(?![.)])|[0-9]++[.)](?=\S)|"
    rb"\+(?=\S)|-(?=[^\s:|-])|\#(?=[^#\s])|=(?=[^=\s])|" + _INLINE_TAG + rb")[^\n]*+\n"
)
# Runs of lines that need no closer look. A text that is open takes plain lines, however they are indented.
PLAIN_LINES: Final = re.compile(rb"(?:" + _PLAIN + rb")++")
MORE_PLAIN_LINES: Final = re.compile(rb"(?:[ \t]*+" + _PLAIN + rb")++")
PLAIN_ITEMS: Final = re.compile(rb"(?:[-*+] " + _PLAIN + rb")++")
ROW_LINES: Final = re.compile(rb"(?:\|[^\n]*+\n)++")
CODE_LINES: Final = re.compile(rb"(?: {4}[^\n]*+\n)++")
_BLANK: Final = rb"[ \t]*+\r?\n"
BLANK_LINES: Final = re.compile(rb"(?:" + _BLANK + rb")++")
# Blank lines, paragraphs and list items that end for certain, so that nothing is open after them. A line
# that starts at the margin after an empty line is in no list item.
_HEADING_OR_END: Final = rb"#{1,6}[ \t]|\Z"
_SETTLED: Final = (
    rb"(?:(?:%(blank)b)++"
    rb"|(?:%(plain)b)++(?=%(blank)b|%(end)b)"
    rb"|(?:(?:[-*+]|[0-9]{1,9}[.)]) %(plain)b(?:[ \t]*+%(plain)b)*+)++(?:(?:%(blank)b)++(?=\S|\Z)|(?=%(end)b)))"
    % {b"blank": _BLANK, b"plain": _PLAIN, b"end": _HEADING_OR_END}
)
SETTLED_LINES: Final = re.compile(_SETTLED + rb"++")
# A heading at the margin, which ends all that is open, and such lines after it.
SETTLED_SECTION: Final = re.compile(
    rb"(?P<head>(?P<marks>#{1,6})[ \t]++(?P<title>[^\n]*+)\n)" + _SETTLED + rb"*+"
)
HEADING: Final = re.compile(rb"(#{1,6})(?:[ \t]++(.*+))?+\Z", re.DOTALL)
CLOSING_MARKS: Final = re.compile(rb"(?:\A|[ \t]++)#++[ \t]*+\Z")
UNDERLINE: Final = re.compile(rb"(?:=++|-++)[ \t]*+\Z")
FENCE: Final = re.compile(rb"(`{3,}+)([^`]*+)\Z|(~{3,}+)(.*+)\Z", re.DOTALL)
BREAK: Final = re.compile(rb"(?:(?:-[ \t]*+){3,}+|(?:_[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+)\Z")
ITEM: Final = re.compile(rb"([-+*]|[0-9]{1,9}[.)])(?=[ \t]|\Z)")
# A definition of a link, which belongs to no paragraph.
DEFINITION: Final = re.compile(rb"\[(?!\^)(?:[^\[\]\\]|\\.)++\]:[ \t]*+\S++[ \t]*+(?:\Z|[\"'(])")
TABLE_RULE: Final = re.compile(
    rb"(?!-(?:[ \t]|\Z))\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+[ \t]*+\Z"
)

FRONT_MATTER: Final = re.compile(
    rb"---[ \t]*+\r?\n(?:(?!---[ \t]*+\r?$)[^\n]*+\n)*+---[ \t]*+\r?(?:\n|\Z)", re.MULTILINE
)


@lru_cache(maxsize=16)
def fence_end(fence: bytes) -> re.Pattern[bytes]:
    """Return the pattern of the line that ends a fence, with the newline before it."""
    marks = re.escape(fence[:1]) + b"{%d,}+" % len(fence)
    return re.compile(rb"\n {0,3}" + marks + rb"[ \t]*+\r?(?:\n|\Z)")


# -- HTML ----------------------------------------------------------------------------------------

_BLOCK_TAGS: Final = (
    rb"address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|"
    rb"div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|"
    rb"legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|"
    rb"table|tbody|td|tfoot|th|thead|title|tr|track|ul"
)
_ATTRIBUTE: Final = (
    rb"\s++[A-Za-z_:][\w.:-]*+(?:\s*+=\s*+(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?+"
)
_UNTIL_BLANK: Final = re.compile(rb"</?(?:" + _BLOCK_TAGS + rb")(?:\s|/?>|\Z)", re.IGNORECASE)
# Such a tag does not end a paragraph.
_TAG_ALONE: Final = re.compile(
    rb"<(?:[A-Za-z][A-Za-z0-9-]*+(?:"
    + _ATTRIBUTE
    + rb")*+\s*+/?|/[A-Za-z][A-Za-z0-9-]*+\s*+)>\s*+\Z"
)
# The start of a block of HTML, and the end of the block.
_UNTIL_END: Final = (
    (re.compile(rb"<(?:script|pre|style|textarea)(?:\s|>|\Z)", re.IGNORECASE),
     re.compile(rb"</(?:script|pre|style|textarea)>", re.IGNORECASE)),
    (re.compile(rb"<!--"), re.compile(rb"-->")),
    (re.compile(rb"<\?"), re.compile(rb"\?>")),
    (re.compile(rb"<!\[CDATA\["), re.compile(rb"\]\]>")),
    (re.compile(rb"<![A-Za-z]"), re.compile(rb">")),
)  # fmt: skip
BLANK_LINE: Final = re.compile(rb"^[ \t]*+\r?$", re.MULTILINE)


def html_end(line: bytes, first: int, *, is_in_text: bool) -> re.Pattern[bytes] | None:
    """Return the pattern of the end of the HTML that starts there in a line, or None if none does."""
    for start, end in _UNTIL_END:
        if start.match(line, first):
            return end
    if _UNTIL_BLANK.match(line, first) or (not is_in_text and _TAG_ALONE.match(line, first)):
        return BLANK_LINE
    return None


# -- indentation ---------------------------------------------------------------------------------

_WHITE: Final = re.compile(rb"[ \t]*+")


class MarkdownLine:
    """A line without its end, and how far it is read. `column` counts from the left margin, with tabs.
    `first` is the place of the next byte that is not white."""

    __slots__ = ("_white", "_white_column", "column", "data", "first", "first_column")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.column = 0
        self._look_ahead(0, 0)

    def _look_ahead(self, position: int, column: int) -> None:
        """Measure the white space that starts there."""
        data = self.data
        white = _WHITE.match(data, position)
        self.first = white.end() if white else position
        self._white, self._white_column = position, column
        if data.find(b"\t", position, self.first) < 0:
            self.first_column = column + self.first - position
        else:
            for code in data[position : self.first]:
                column = _after(code, column)
            self.first_column = column

    @property
    def is_blank(self) -> bool:
        return self.first == len(self.data)

    @property
    def indent(self) -> int:
        return self.first_column - self.column

    def starts_with(self, mark: bytes) -> bool:
        return self.data.startswith(mark, self.first)

    def dedented(self, columns: int) -> bytes:
        """Return the line from its column on, without some columns of its indentation."""
        margin, column, position = self.column + columns, self._white_column, self._white
        while column < margin and position < self.first:
            column = _after(self.data[position], column)
            position += 1
        return b" " * max(0, column - margin) + self.data[position:]

    def skip_quote(self) -> bool:
        """Read the mark of a quote, and a space after it. Return whether more follows."""
        after, column = self.first + 1, self.first_column + 1
        self._look_ahead(after, column)
        self.column = min(column + 1, self.first_column)
        return not self.is_blank

    def skip_item(self, marker: int) -> int:
        """Read the marker of a list item, and return the columns by which the item is indented."""
        margin, after, column = self.column, self.first + marker, self.first_column + marker
        self._look_ahead(after, column)
        is_near = not self.is_blank and self.first_column - column <= CODE_INDENT
        self.column = self.first_column if is_near else column + 1
        return self.column - margin


def _after(code: int, column: int) -> int:
    """Return the column after a space or a tab."""
    return column + 1 if code == ord(" ") else column + TAB - column % TAB
