"""Markdown as markdown-it reads it: headings, code and tables, with their first lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from markdown_it import MarkdownIt

_PARSER = MarkdownIt("commonmark", {"maxNesting": 1_000}).enable("table")
_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\n(?:(?!---[ \t]*$)[^\n]*\n)*---[ \t]*(?:\n|\Z)", re.MULTILINE
)


@dataclass
class Reading:
    """The headings, code and tables of a document."""

    headings: list = field(default_factory=list)  # line, level, title
    fences: list = field(default_factory=list)  # line, language, text
    code: list = field(default_factory=list)  # line, text
    tables: list = field(default_factory=list)  # line, rows of cells, the names first


def markdown_it_reading(text):
    found = Reading()
    front = _FRONT_MATTER.match(text)
    first = front.group().count("\n") if front else 0
    tokens = _PARSER.parse(text[front.end() :] if front else text)
    for number, token in enumerate(tokens):
        line = token.map[0] + first if token.map else 0
        if token.type == "heading_open" and token.level == 0:
            title = " ".join(tokens[number + 1].content.split())
            found.headings.append((line, int(token.tag[1]), title))
        elif token.type == "fence":
            language = [*token.info.split(), ""][0]
            found.fences.append((line, language, token.content.rstrip("\n")))
        elif token.type == "code_block":
            found.code.append((line, token.content.rstrip("\n")))
        elif token.type == "table_open":
            found.tables.append((line, []))
        elif token.type == "tr_open":
            found.tables[-1][1].append([])
        elif token.type == "inline" and tokens[number - 1].type in ("th_open", "td_open"):
            found.tables[-1][1][-1].append(token.content)
    return found
