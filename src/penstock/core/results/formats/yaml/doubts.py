"""Places of YAML that a parser reads in another way than they seem to be meant."""

from __future__ import annotations

import re
from typing import Final

from penstock.core.results.formats.yaml.events import events
from penstock.core.results.formats.yaml.places import in_characters

# A value, and after it a number such as #12, as trackers and colours have it. Comments seldom begin so.
_HASH: Final = re.compile(rb"^[ \t]*+[^\s#'\"][^#'\"\n]*+(?<=[ \t])(#[0-9]\w*+)", re.MULTILINE)
# YAML 1.1 takes these characters for the ends of lines, YAML 1.2 does not.
_OLD_LINE_ENDS: Final = re.compile(rb"\xc2\x85|\xe2\x80[\xa8\xa9]")


# A value or a line that a template engine replaces. YAML would take it for a dict in a dict.
_TEMPLATE: Final = re.compile(rb"(?:^|[:-])[ \t]*+(?:\{\{|\{%)", re.MULTILINE)


def template_line(text: bytes) -> int | None:
    """Return the first line with a part that a template engine replaces."""
    found = _TEMPLATE.search(text) if b"{{" in text or b"{%" in text else None
    return None if found is None else text.count(b"\n", 0, found.end()) + 1


def has_old_line_ends(text: bytes) -> bool:
    is_old = text.count(b"\r") != text.count(b"\r\n")
    return is_old or (not text.isascii() and _OLD_LINE_ENDS.search(text) is not None)


def doubtful_comment(text: bytes) -> str:
    """Return which comment of valid YAML may be part of a value; nothing if none may be."""
    found = [*_HASH.finditer(text)] if b"#" in text else []
    at = _outside(text, [one.start(1) for one in found]) if found else None
    if at is None:
        return ""
    line = text.count(b"\n", 0, found[at].start(1)) + 1
    return f"line {line} goes on with {found[at][1].decode()}, which YAML takes for a comment"


def _outside(text: bytes, marks: list[int]) -> int | None:
    """Return the number of the first mark that is not inside of a scalar."""
    places = in_characters(text, marks)
    number = 0
    for event in events(text):
        if not hasattr(event, "value"):  # only scalars have one
            continue
        if number < len(places) and places[number] < event.start_mark.index:
            return number
        while number < len(places) and places[number] < event.end_mark.index:
            number += 1
    return number if number < len(places) else None
