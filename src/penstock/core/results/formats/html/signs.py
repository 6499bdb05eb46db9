"""The signs of HTML: whether a text is a page, or a part of one, and nothing else.

Markdown with tags in it, templates, components of frameworks and XML look much alike. They are no HTML
here: their text is outside of elements, or is not what a reader of the page would see.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from penstock.core.json import rawjson
from penstock.core.results.formats.cut import NearMiss
from penstock.core.results.formats.html.elements import CONTAINERS, KNOWN, OPTIONAL_ENDS
from penstock.core.results.formats.html.tokens import template_marks, tokens

_SEEN: Final = 16_000  # the first bytes, in which a page starts
_MOST_AROUND: Final = 2_000  # bytes of text before a page, and as many after it
_MOST_LINES: Final = 10
_FEWEST_CLOSED: Final = 3  # blocks of a part of a page
_MOST_OUTSIDE: Final = 100  # characters outside of all elements, or this share:
_OUTSIDE_SHARE: Final = 0.01
_UNKNOWN_SHARE: Final = 0.05  # of tags
_MOST_EXPRESSIONS: Final = 2  # such as {{ name }}, in the text of a page
_PAGE: Final = re.compile(rb"(?:<!doctype\s++html|<html)(?=[\s>])[^<>]*+>\s*+(?=<)", re.IGNORECASE)
_PAGE_END: Final = re.compile(rb"</html\s*+>", re.IGNORECASE)
_BEFORE_PAGE: Final = re.compile(rb"(?:\s++|<!--(?:[^-]++|-(?!->))*+-->|<\?xml[^<>]*+>)*+")
_CODE_AROUND: Final = b"\"'`=({[,;+\\|<>)}]"  # a page between these is a text in a program
_TEMPLATE_SIGNS: Final = (b"{{", b"{%", b"<%", b"<?php", b"<?=", b"%(")
_IN_TAGS: Final = (b"{{", b"{%", b"<%", b"<?", b"%(")

_START: Final = re.compile(
    rb"(?:\s++|<!--(?:[^-]++|-(?!->))*+-->)*+<(?:h[1-6]|p|div|table|[uod]l|section|article|main|header|footer|nav|"
    rb"aside|head|body|title|meta|link|blockquote|form|fieldset|pre|figure|center|hr)(?=[\s/>])",
    re.IGNORECASE,
)  # fmt: skip
_VERBATIM: Final = frozenset(("pre", "code"))
_MARKDOWN: Final = re.compile(r"^ {0,3}(?:#{1,6} \S|```|~~~)|\]\((?:https?:|[./#])", re.MULTILINE)
# Attributes as only components of frameworks have them, and their blocks.
_COMPONENT: Final = re.compile(
    r"=\{|\sclassName=|\s(?:v-[a-z]|[:@#][a-z][\w.:-]*+=|\*ng|\[[\w.]++\]=|\([\w.]++\)=)"
)
_COMPONENT_BLOCK: Final = re.compile(r"\{[#/@:][a-z]")


class Span(NamedTuple):
    """The place of a page in a text."""

    start: int
    end: int


def page_in(text: bytes) -> Span | NearMiss | None:
    """Return where a text has its page, or part of a page. A page may have lines of text around it."""
    found = _PAGE.search(text, 0, _SEEN)
    if found is None:
        is_part = _START.match(text) is not None and _is_part(rawjson.text(text))
        return Span(0, len(text)) if is_part and _template_at(text) is None else None
    span = _around(text, found.start())
    if span is None:
        return None
    at = _template_at(text)
    if at is None:
        return span
    line = text.count(b"\n", 0, at) + 1
    return NearMiss(f"line {line} has a part that a template engine replaces")


# -- pages -------------------------------------------------------------------------------------


def _around(text: bytes, start: int) -> Span | None:
    """Return the place of a page, if only few lines are around it, and no program is."""
    head = _BEFORE_PAGE.match(text)
    first = 0
    if head is None or head.end() < start:
        before = text[:start].rstrip()
        is_on_line = not before or text[len(before) : start].count(b"\n") > 0
        if not is_on_line or b"<" in before or not _is_short(before) or before[-1:] in _CODE_AROUND:
            return None
        first = start
    ends = [found.end() for found in _PAGE_END.finditer(text, start)]
    after = text[ends[-1] :].strip() if ends else b""
    if not after or after.startswith(b"<"):
        return Span(first, len(text))
    return Span(first, ends[-1]) if _is_short(after) and after[:1] not in _CODE_AROUND else None


def _is_short(around: bytes) -> bool:
    is_fence = b"```" in around
    return len(around) <= _MOST_AROUND and around.count(b"\n") < _MOST_LINES and not is_fence


def _template_at(text: bytes) -> int | None:
    """Return where a text has a part that a server replaces, or None. Samples of code may have some."""
    if not any(sign in text for sign in _TEMPLATE_SIGNS):
        return None
    samples = expressions = 0
    for found in template_marks().finditer(text):
        sample, tag, mark = found["sample"], found["tag"], found["mark"]
        inside = found["inside"] or b"" if (found["raw"] or b"").lower() == b"title" else tag
        if (found["server"] and not samples) or (
            inside and any(sign in inside for sign in _IN_TAGS)
        ):
            return found.start()
        if sample is not None:
            samples = max(0, samples + (-1 if sample.startswith(b"/") else 1))
        elif mark is not None and not samples:
            expressions += 1
            if mark.startswith(b"{%") or expressions > _MOST_EXPRESSIONS:
                return found.start()
    return None


# -- parts of pages ----------------------------------------------------------------------------


def _is_part(text: str) -> bool:
    """Return whether a text is elements of HTML, with next to nothing outside of them."""
    outside = _Outside(max(_MOST_OUTSIDE, int(len(text) * _OUTSIDE_SHARE)))
    position = 0
    for found in tokens().finditer(text):
        if not outside.takes(text[position : found.start()]):
            return False
        position = found.end()
        name = found["name"]
        if name is not None and not outside.enters(
            name.lower(), found["attributes"], is_end=bool(found["close"])
        ):
            return False
    return outside.takes(text[position:]) and outside.is_html


class _Outside:
    """The text outside of all elements, and the tags, so far."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._depth = 0
        self._verbatim = 0
        self._is_in_optional = False
        self._closed = 0
        self._known = 0
        self._unknown = 0

    @property
    def is_html(self) -> bool:
        are_known = self._unknown <= _UNKNOWN_SHARE * (self._known + self._unknown)
        return are_known and self._closed >= _FEWEST_CLOSED

    def takes(self, text: str) -> bool:
        """Return whether a text may be where it is."""
        if not text or text.isspace() or self._verbatim:
            return True
        if _MARKDOWN.search(text) or _COMPONENT_BLOCK.search(text):
            return False
        if not self._depth and not self._is_in_optional:
            self._room -= len(text.strip())
        return self._room >= 0

    def enters(self, name: str, given: str, *, is_end: bool) -> bool:
        """Return whether a tag may be HTML."""
        step = -1 if is_end else 1
        if name in CONTAINERS:
            self._depth = max(0, self._depth + step)
            self._closed += is_end
        elif name in OPTIONAL_ENDS:
            self._is_in_optional = not is_end
            self._closed += is_end
        if name in _VERBATIM:
            self._verbatim = max(0, self._verbatim + step)
        if name in KNOWN:
            self._known += 1
        elif "-" not in name and ":" not in name:
            self._unknown += 1
        return not given or _COMPONENT.search(given) is None
