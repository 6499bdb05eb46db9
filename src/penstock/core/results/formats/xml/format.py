"""XML: the repeated element near the root is the rows.

    <library city="Bern">        {"book": [{"title": "Weirs"}, {"title": "Locks"}],
      <book> … </book>            "@city": "Bern"}
      <book> … </book>
    </library>

The value is that of the element that holds the rows, in the mapping of `xml_values`. Its rows are the
first member. If other elements or texts are between them, the rows are all children, under `#children`,
each with its `#name`. If no element near the root is most of the text, the rows are the attributes and
children of the root, as members.

A row reaches to the start of the next, so that comments and white space between rows belong to them.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple
from xml.parsers import expat

import msgspec

from penstock.core.json import rawjson
from penstock.core.json.pointers import pointer
from penstock.core.results.formats.contents import ContentsEntry, ContentsList, contents_of
from penstock.core.results.formats.cut import NearMiss, TextCut, ValueFrame, grouped
from penstock.core.results.formats.tables.numbers import notice_of_marks
from penstock.core.results.formats.values.json_text import LARGEST_ENVELOPE
from penstock.core.results.formats.xml.holders import OTHERS, RowHolder
from penstock.core.results.formats.xml.rows import ATTRIBUTE, CHILDREN, decoded_rows, frame_around
from penstock.core.results.formats.xml.scan import XmlRefused, XmlScan
from penstock.core.results.formats.xml.values import XmlReading

LARGEST: Final = 10_000_000  # reading this takes less than a second
_LARGEST_READING: Final = 4_000
_LEAST_SHARE: Final = 0.5  # of the text, for rows
_FEWEST_ELEMENTS: Final = 3  # of a text without a declaration
_FIRST_NAME: Final = re.compile(rb"\s*+<(?:\?xml|([A-Za-z_][\w:.-]*+))")
# Pages and drawings are not data.
_NOT_DATA: Final = frozenset({"html", "svg"})
# Without a declaration, a text that starts so is a part of a page.
_PARTS_OF_PAGES: Final = frozenset(
    (
        "a", "article", "aside", "body", "br", "button", "div", "dl", "fieldset",
        "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head",
        "header", "hr", "img", "input", "label", "li", "link", "main", "meta",
        "nav", "ol", "p", "pre", "script", "section", "select", "span", "strong",
        "style", "table", "tbody", "td", "template", "textarea", "th", "thead", "title",
        "tr", "ul",
    )
)  # fmt: skip
_TOO_MANY_NAMES: Final = (
    "The text has many different elements: each is read by itself, and all values are texts."
)
_DEFAULTS: Final = "The document type gives some attributes a default, which is not shown."
_START_TAG: Final = re.compile(rb"<[^\s/>]++[ \t\r\n]*+")
_ATTRIBUTE_AND_GAP: Final = re.compile(ATTRIBUTE + rb"[ \t\r\n]*+")
# expat's errors for a text that ends too early: "no element found", "unclosed token", "partial
# character" and "unclosed CDATA section".
_CUT_OFF: Final = frozenset({3, 5, 6, 20})


class XmlText:
    """XML without entities of its own."""

    has_free_cells = True
    is_one_value = True
    has_sections = False

    def recognise(self, text: bytes) -> TextCut | NearMiss | None:
        if len(text) > LARGEST:
            return _too_large(text)
        scan = XmlScan(_is_data)
        try:
            scan.read(text)
        except XmlRefused as refused:
            return NearMiss(str(refused)) if str(refused) else None
        except expat.ExpatError as error:
            return _near_miss(scan, error)
        return _checked(text, scan)

    def decode(self, rows: Sequence[bytes], reading: bytes) -> list[bytes]:
        return decoded_rows(rows, _reading(reading))

    def frame(self, prefix: bytes, suffix: bytes, reading: bytes) -> ValueFrame:
        return frame_around(prefix, suffix, _reading(reading))


FORMAT: Final = XmlText()


@lru_cache(64)
def _reading(reading: bytes) -> XmlReading:
    return msgspec.json.decode(reading, type=XmlReading)


# -- texts that are not read -------------------------------------------------------------------


def _is_data(root: str, is_declared: bool) -> bool:
    """Return whether an element of this name may be the root of data."""
    name = root.rpartition(":")[2].lower()
    return name not in _NOT_DATA and (is_declared or name not in _PARTS_OF_PAGES)


def _too_large(text: bytes) -> NearMiss | None:
    first = _FIRST_NAME.match(text)
    if first is None or (first[1] and not _is_data(first[1].decode(), is_declared=False)):
        return None
    return NearMiss(f"it has {len(text):,} bytes, and at most {LARGEST:,} are read")


def _near_miss(scan: XmlScan, error: expat.ExpatError) -> NearMiss | None:
    """Return the place of the error, if the text is plainly meant as XML."""
    has_elements = scan.closed >= _FEWEST_ELEMENTS and not scan.has_text_in_root()
    if not (scan.is_declared or has_elements):
        return None
    if error.code in _CUT_OFF and scan.innermost:
        return NearMiss(f"it is cut off: <{scan.innermost}> is not closed in line {error.lineno}")
    return NearMiss(f"line {error.lineno} is not XML ({expat.ErrorString(error.code)})")


def _checked(text: bytes, scan: XmlScan) -> TextCut | NearMiss | None:
    """Cut a text that is well-formed, if it is data."""
    root = scan.root
    if root is None or not root.starts:
        return None
    if not scan.is_declared and (scan.elements < _FEWEST_ELEMENTS or root.has_text):
        return None  # a sentence between tags
    return _cut(text, scan, root)


# -- rows --------------------------------------------------------------------------------------


class _XmlRows(NamedTuple):
    """The places of rows."""

    path: tuple[str, ...]  # to the element that holds them
    name: str  # of each, or `CHILDREN`; empty if they are members
    bounds: array[int]  # the start of each, and the end of the last

    @property
    def size(self) -> int:
        return self.bounds[-1] - self.bounds[0]


def _cut(text: bytes, scan: XmlScan, root: RowHolder) -> TextCut | NearMiss:
    """Cut a text into its repeated elements, if these are most of it, or else into parts of the root."""
    rows = _repeated(scan.best) if scan.best is not None else None
    if rows is None or rows.size < max(_LEAST_SHARE * len(text), len(text) - LARGEST_ENVELOPE):
        rows = _members(text, scan.root_at, root) or _children(root)
    around = len(text) - rows.size
    if around > LARGEST_ENVELOPE:
        return NearMiss(
            f"{around:,} bytes are around its elements, and at most {LARGEST_ENVELOPE:,} are read"
        )
    start, end = rows.bounds[0], rows.bounds[-1]
    reading = _learned(scan, rows)
    encoded = msgspec.json.encode(reading, order="deterministic")
    parts = (text[first:last] for first, last in pairwise(rows.bounds))
    return TextCut(
        "rows" if rows.name else "members",
        grouped(parts),
        text[:start],
        text[end:],
        list_path=pointer(rows.name) if rows.name else "",
        reading=encoded,
        notices=_notices(scan, reading),
        contents=_contents(rows, frame_around(text[:start], text[end:], reading)),
    )


def _repeated(holder: RowHolder) -> _XmlRows | None:
    """Return the repeated elements, or all children if others are between them."""
    name = holder.main_name
    if not name:
        return None
    group = holder.groups[name]
    if group.is_split or holder.has_text:
        return _children(holder)
    bounds = holder.starts[group.first : group.last + 2]  # with the start of the child after them
    if group.last + 1 == len(holder.starts):
        bounds.append(holder.end)
    return _XmlRows(holder.path, name, bounds)


def _children(holder: RowHolder) -> _XmlRows:
    return _XmlRows(holder.path, CHILDREN, holder.starts + array("I", [holder.end]))


def _members(text: bytes, root_at: int, root: RowHolder) -> _XmlRows | None:
    """Return the attributes and children of the root. Children of one name are one member. Return
    None if others are between them."""
    if root.has_text or OTHERS in root.groups or any(one.is_split for one in root.groups.values()):
        return None
    attributes = [*_attribute_starts(text, root_at, root.starts[0])]
    children = [root.starts[group.first] for group in root.groups.values()]
    return _XmlRows(root.path, "", array("I", [*attributes, *children, root.end]))


def _attribute_starts(text: bytes, root_at: int, end: int) -> Iterator[int]:
    """Yield where the attributes of a start tag start."""
    name = _START_TAG.match(text, root_at, end)
    position = end if name is None else name.end()
    while attribute := _ATTRIBUTE_AND_GAP.match(text, position, end):
        yield position
        position = attribute.end()


# -- what is told of them ----------------------------------------------------------------------


def _learned(scan: XmlScan, rows: _XmlRows) -> XmlReading:
    """Return how to read rows, if that is short enough to keep with the text."""
    reading = XmlReading(
        rows.path[-1],
        rows.name,
        frozenset(scan.objects()),
        frozenset(scan.lists()),
        frozenset(scan.numbers()),
    )
    is_short = len(msgspec.json.encode(reading)) <= _LARGEST_READING
    return reading if is_short else XmlReading(rows.path[-1], rows.name, is_local=True)


def _notices(scan: XmlScan, reading: XmlReading) -> tuple[str, ...]:
    if reading.is_local:
        marks: tuple[str, ...] = (_TOO_MANY_NAMES,)
    else:
        marks = notice_of_marks(scan.marks)
    return (*marks, _DEFAULTS) if scan.defaults else marks


def _contents(rows: _XmlRows, frame: ValueFrame) -> tuple[bytes, ...]:
    """Return which elements are the rows, and the values beside them. Members have an outline."""
    if not rows.name:
        return ()
    beside = [*rawjson.members(frame.prefix + frame.suffix)][1:]
    entries = [ContentsEntry(pointer(one.name), _shown(one.value)) for one in beside]
    step = "*" if rows.name == CHILDREN else rows.name
    told = {"element": "/" + "/".join((*rows.path, step))}
    return contents_of(ContentsList("beside", entries), told=told)


def _shown(value: bytes) -> str:
    found = rawjson.decode(value)
    return found if isinstance(found, str) else rawjson.text(value)
