"""The prose of a description: its paragraphs, without headings, code, tables and markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from penstock.disclosure.texts.markup import closed_tags, unmarked, without_comments

_FENCE: Final = re.compile(r"`{3,}+(?![^`]*+`)|~{3,}+")
_HEADING: Final = re.compile(r"#{1,6}(?:\s++|$)")
_UNDERLINES: Final = frozenset("=-~^")
_RULES: Final = _UNDERLINES | frozenset("*_+#")
_LEAST_RULE: Final = 3
_TABLE_RULE: Final = frozenset("|-: ")
_SESSION: Final = ">>>"
_QUOTE: Final = re.compile(r"\A(?:>\s?)++")
_BULLET: Final = re.compile(r"(?:[-*+•‣–]|\d{1,3}[.)])\s++(?:\[[ xX]\]\s++)?")
_SECTIONS: Final = (
    "(?:args|arguments|parameters|params|inputs?|returns?|outputs?|yields|raises|throws|examples?"
    "|usage|notes?|description|summary|overview)"
)
_LABEL: Final = re.compile(rf"{_SECTIONS}:", re.IGNORECASE)
# A first line of one to three words and a colon, perhaps after an emoji, is a label too.
_TITLE: Final = re.compile(r"\W*+\w++(?: \w++){0,2}+\s?:")
_SECTION: Final = re.compile(
    rf"[*_]{{0,3}}{_SECTIONS}[*_]{{0,3}}:[*_]{{0,3}}(?:\s|$)"
    r"|[:@](?:param|parameter|arg|type|returns?|rtype|raises?|throws)\b",
    re.IGNORECASE,
)


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs and list items of a text, each as one line.

    Code, tables and headings are returned only if there is nothing else. Labels at the beginning,
    such as `Args:`, are skipped: they do not say what a tool does.
    """
    text = without_comments(text)
    reader = _ProseReader()
    for line in text.splitlines():
        reader.read(line.strip())
    reader.end_paragraph()
    closed = closed_tags(text)
    lines = _bare(reader.prose, closed) or _bare(reader.aside, closed)
    labels = 0
    while labels < len(lines) and _is_label(lines[labels]):
        labels += 1
    return lines[labels:]


def _is_label(line: str) -> bool:
    return _LABEL.fullmatch(line) is not None or _TITLE.fullmatch(line) is not None


def _bare(lines: Iterable[str], closed: frozenset[str]) -> list[str]:
    parts = (part for line in lines for part in unmarked(line, closed).split("\n"))
    return [bare for part in parts if (bare := " ".join(part.split()))]


@dataclass(slots=True)
class _ProseReader:
    """A reader that gets a text line by line."""

    prose: list[str] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)  # code, tables and headings
    paragraph: list[str] = field(default_factory=list)  # the lines of the open paragraph
    fence: str = ""  # the fence that opened a block of code
    is_aside: bool = False  # in a table or a Python session, until a blank line

    def read(self, line: str) -> None:
        if self.fence:
            self._read_code(line)
        elif not line:
            self.end_paragraph()
            self.is_aside = False
        elif fence := _FENCE.match(line):
            self.end_paragraph()
            self.fence = fence[0]
        elif _is_table_rule(line):
            self._begin_table()
        elif self.is_aside or line.startswith(_SESSION) or _is_row(line):
            self._set_aside(line)
        elif _is_rule(line):
            self._end_heading(line)
        else:
            self._read_prose(_QUOTE.sub("", line))

    def end_paragraph(self) -> None:
        if self.paragraph:
            self.prose.append(" ".join(self.paragraph))
            self.paragraph = []

    def _read_code(self, line: str) -> None:
        if line.startswith(self.fence) and not line.strip(self.fence[0]):
            self.fence = ""
        else:
            self.aside.append(line)

    def _begin_table(self) -> None:
        """Set aside the line above too: it holds the names of the columns."""
        self.aside += self.paragraph[-1:]
        del self.paragraph[-1:]
        self.end_paragraph()
        self.is_aside = True

    def _set_aside(self, line: str) -> None:
        self.end_paragraph()
        self.aside.append(line)
        self.is_aside = True

    def _end_heading(self, rule: str) -> None:
        """End a paragraph at a rule. A single line above is a heading, unless it is a sentence."""
        above = self.paragraph[-1] if rule[0] in _UNDERLINES and self.paragraph else ""
        if _LABEL.fullmatch(above + ":"):
            self.paragraph.pop()
            self.end_paragraph()
            self.paragraph = [above + ":"]
        elif len(self.paragraph) == 1 and above and not above.endswith((".", "!", "?", ":")):
            self.aside.append(self.paragraph.pop())
        self.end_paragraph()

    def _read_prose(self, line: str) -> None:
        if heading := _HEADING.match(line):
            self.end_paragraph()
            self.aside.append(line[heading.end() :].rstrip("# "))
            return
        bullet = _BULLET.match(line)
        if bullet or _SECTION.match(line):
            self.end_paragraph()
        self.paragraph.append(line[bullet.end() :] if bullet else line)
        if _is_label(line.replace("*", "").replace("_", "")):
            self.end_paragraph()


def _is_rule(line: str) -> bool:
    return len(line) >= _LEAST_RULE and line[0] in _RULES and set(line) <= {line[0], " "}


def _is_table_rule(line: str) -> bool:
    return "|" in line and "-" in line and _TABLE_RULE.issuperset(line)


def _is_row(line: str) -> bool:
    return len(line) > 1 and line[0] == line[-1] == "|"
