"""The rows of an XML text and what is around them, as JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from penstock.core.json import rawjson
from penstock.core.json.encoding import encode
from penstock.core.results.formats.cut import ValueFrame
from penstock.core.results.formats.xml.values import ElementReader, XmlNode, XmlReading

# The list of all children of an element, if they have several names in turn, or text between them.
CHILDREN: Final = "#children"
_NAME: Final = "#name"  # the name of an element, where the key does not tell it
_TAIL: Final = "#tail"  # the text between an element and the next
_PARENT: Final = "#parent"
_HERE: Final = b"<?rows?>"  # a processing instruction at the place of the rows
_WRAPPER: Final = 2  # the elements that are open in a row: the document and its wrapper
ATTRIBUTE: Final = rb"""[^\s=/>]++\s*+=\s*+(?:"[^"]*+"|'[^']*+')"""
_ATTRIBUTE: Final = re.compile(ATTRIBUTE)


class _RowReader(ElementReader):
    """A reader of rows, each in a wrapper in place of the element that holds them all."""

    def __init__(self, reading: XmlReading) -> None:
        super().__init__(reading)
        self.rows: list[XmlNode] = []
        self._are_named = reading.row == CHILDREN

    def start(self, name: str, attributes: list[str]) -> None:
        super().start(name, attributes)
        if len(self.open) == _WRAPPER + 1:
            self.open[-1].name = self.reading.parent

    def end(self, name: str) -> None:
        depth = len(self.open) - 1
        if depth == _WRAPPER:
            self.rows.append(self.open.pop())
        elif depth == _WRAPPER + 1 and self._are_named:
            node = self.open.pop()
            named = {_NAME: name, **node.members(self.reading)}
            self.open[-1].children[name] = [named]
        else:
            super().end(name)


def decoded_rows(rows: Sequence[bytes], reading: XmlReading) -> list[bytes]:
    """Return rows as JSON: values, or members of a dict."""
    reader = _RowReader(reading)
    reader.read(b"<r>" + b"".join(map(_wrapped, rows)) + b"</r>")
    made = _row if reading.row else _member
    return [made(wrapper, reading) for wrapper in reader.rows]


def _wrapped(row: bytes) -> bytes:
    """Return a document of a row, which is one or more elements, or an attribute."""
    if row.startswith(b"<"):
        return b"<i>" + row + b"</i>"
    attribute = _ATTRIBUTE.match(row)
    return b"<i " + (attribute.group() if attribute is not None else b"") + b"/>"


def _row(wrapper: XmlNode, reading: XmlReading) -> bytes:
    ((value,),) = wrapper.children.values()
    text = wrapper.text
    return encode({**value, _TAIL: text} if text and reading.row == CHILDREN else value)


def _member(wrapper: XmlNode, reading: XmlReading) -> bytes:
    ((name, value),) = wrapper.members(reading).items()
    return rawjson.string(name) + b":" + encode(value)


# -- around the rows ---------------------------------------------------------------------------


class _FrameReader(ElementReader):
    """A reader of a document without its rows. The element that holds them, and those around it, are
    no values but are kept."""

    def __init__(self, reading: XmlReading, place: int) -> None:
        super().__init__(reading)
        self.around: list[XmlNode] = []  # from the inside out
        self._place = place  # of the rows
        self._open_around = 0

    def instruction(self, place: int) -> None:
        if place == self._place:
            self._open_around = len(self.open)

    def end(self, name: str) -> None:
        if len(self.open) != self._open_around:
            super().end(name)
            return
        self.around.append(self.open.pop())
        self._open_around -= 1


def frame_around(prefix: bytes, suffix: bytes, reading: XmlReading) -> ValueFrame:
    """Return the members of the element that holds the rows, as far as they are not rows. If the
    element is not the root, `#parent` holds the elements around it."""
    if not reading.row:
        return ValueFrame(b"{", b"}")
    reader = _FrameReader(reading, len(prefix))
    reader.read(prefix + _HERE + suffix)
    holder, *ancestors = reader.around
    others = holder.members(reading)
    if parent := _ancestors(ancestors, reading):
        others[_PARENT] = parent
    others.pop(reading.row, None)
    opening = b"{" + rawjson.string(reading.row) + b":["
    return ValueFrame(opening, b"]" + (b"," if others else b"") + encode(others)[1:])


def _ancestors(nodes: Sequence[XmlNode], reading: XmlReading) -> dict[str, Any]:
    """Return the elements around the one that holds the rows, each in the next. If none of them has
    anything else in it, return nothing."""
    made: dict[str, Any] = {}
    has_members = False
    for node in reversed(nodes):
        members = node.members(reading)
        has_members = has_members or bool(members)
        made = {_NAME: node.name, **members, **({_PARENT: made} if made else {})}
    return made if has_members else {}
