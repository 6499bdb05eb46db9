"""Pages as the standard library's parser reads them, to compare with: headings, words and tables."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from penstock.core.json import rawjson
from penstock.core.results.decoding import decoded
from penstock.core.results.document import read_text_with_data

SILENT = ("script", "style", "template")
VOID = ("br", "hr", "img", "meta", "link", "input", "col")


class Page(HTMLParser):
    """The headings outside of tables, code and templates; all words that are shown; the cells of
    tables, row by row."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.headings = []
        self.shown = []
        self.tables = []
        self._open = []
        self._heading = None
        self._cell = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag in VOID:
            return
        self._open.append(tag)
        is_apart = {"table", "pre", "template"} & {*self._open}
        if re.fullmatch("h[1-6]", tag) and not is_apart:
            self._heading = [int(tag[1]), ""]
            self.headings.append(self._heading)
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables:
            self._cell = [""]
            self.tables[-1][-1].append(self._cell)

    def handle_endtag(self, tag):
        if tag in self._open:
            while self._open.pop() != tag:
                pass
        if re.fullmatch("h[1-6]", tag):
            self._heading = None
        if tag in ("td", "th"):
            self._cell = None

    def handle_data(self, data):
        if {*SILENT} & {*self._open}:
            return
        self.shown.append(data)
        for one in (self._heading, self._cell):
            if one is not None:
                one[-1] += data

    @property
    def words(self):
        return re.findall(r"\w+", " ".join(self.shown))

    @property
    def grids(self):
        return [
            [[" ".join(cell[0].split()) for cell in row] for row in table] for table in self.tables
        ]


def sections_of(text):
    """Return the rows of a page as Penstock reads it, decoded. The text must come back."""
    document = read_text_with_data(text)
    assert document.format == "html", (document.format, document.notices)
    return document, decoded_rows(document, text)


def decoded_rows(document, text):
    parts = [row for block in document.blocks for row in block]
    assert rawjson.text(document.prefix + document.joint.join(parts) + document.suffix) == text
    return [rawjson.decode(row) for row in decoded(document, parts)]


def strings_in(value):
    """Yield all texts and keys of a value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)
    elif value is not None:
        yield str(value)
