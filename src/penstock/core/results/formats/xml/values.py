"""The mapping of XML to JSON values.

    <book id="7"><title lang="en">Weirs</title><year>1973</year><tag>a</tag><tag>b</tag></book>
    {"@id": 7, "title": {"@lang": "en", "#text": "Weirs"}, "year": 1973, "tag": ["a", "b"]}

An attribute is a member whose key starts with "@", and the text of an element is "#text". An element
that has neither attributes nor children in the whole text is its text alone, or null if it is empty.
An element that comes several times in some parent of the text is always a list. So equal elements
have equal forms in each row. Prefixes of namespaces stay in the names. Comments and processing
instructions are left out, and so is white space around a text, unless its element has
xml:space="preserve". If text stands between children, "#text" has all pieces of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final
from xml.parsers import expat

import msgspec

from penstock.core.results.formats.tables.records import MISSING

WHITE: Final = " \t\r\n"
TEXT_KEY: Final = "#text"
_PRESERVE: Final = ("xml:space", "preserve")


class XmlReading(msgspec.Struct, frozen=True, omit_defaults=True):
    """The rules that make values of elements. An element is named `parent/name` here, an attribute
    `element/@name`."""

    parent: str  # the element that holds the rows
    row: str = ""  # the name of the rows, or `CHILDREN`; without it, rows are members of a dict
    objects: frozenset[str] = frozenset()  # elements with attributes or children
    lists: frozenset[str] = frozenset()  # elements that come several times in a parent
    numbers: frozenset[str] = frozenset()  # elements and attributes whose texts are all numbers
    # Each element is read by itself. So it is if a text has too many names to tell them here.
    is_local: bool = False


class XmlNode:
    """An element whose children are values."""

    __slots__ = ("attributes", "children", "name", "parent", "texts")

    def __init__(self, parent: str, name: str, attributes: Sequence[str]) -> None:
        self.parent = parent  # its name
        self.name = name
        self.attributes = attributes  # names and values in turn
        self.children: dict[str, list[Any]] = {}
        self.texts: list[str] = []

    @property
    def text(self) -> str:
        text = "".join(self.texts)
        return text if self.attributes and _PRESERVE in self._pairs() else text.strip(WHITE)

    def value(self, reading: XmlReading) -> Any:
        """Return the text of an element that is nothing but text, else its members."""
        key = f"{self.parent}/{self.name}"
        has_parts = bool(self.attributes or self.children)
        if has_parts or (key in reading.objects and not reading.is_local):
            return self.members(reading)
        return _cell(key, self.text, reading)

    def members(self, reading: XmlReading) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name, value in self._pairs():
            made[f"@{name}"] = _cell(f"{self.name}/@{name}", value, reading)
        for name, values in self.children.items():
            made[name] = self.child(name, values, reading)
        if text := self.text:
            made[TEXT_KEY] = _cell(f"{self.parent}/{self.name}", text, reading)
        return made

    def child(self, name: str, values: list[Any], reading: XmlReading) -> Any:
        """Return the value of all children of one name."""
        is_list = len(values) > 1 or f"{self.name}/{name}" in reading.lists
        return values if is_list else values[0]

    def _pairs(self) -> Iterable[tuple[str, str]]:
        return zip(self.attributes[::2], self.attributes[1::2], strict=True)


class ElementReader:
    """A reader of a small document, which makes a value of each element."""

    def __init__(self, reading: XmlReading) -> None:
        self.reading = reading
        self.open = [XmlNode("", "", ())]

    def read(self, document: bytes) -> None:
        parser = new_parser()
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self._text
        parser.ProcessingInstructionHandler = lambda *_: self.instruction(parser.CurrentByteIndex)
        parser.Parse(document, True)

    def start(self, name: str, attributes: list[str]) -> None:
        self.open.append(XmlNode(self.open[-1].name, name, attributes))

    def end(self, name: str) -> None:
        node = self.open.pop()
        self.open[-1].children.setdefault(name, []).append(node.value(self.reading))

    def instruction(self, place: int) -> None:
        """Take the place of a processing instruction."""

    def _text(self, text: str) -> None:
        self.open[-1].texts.append(text)


def new_parser() -> expat.XMLParserType:
    """Return a parser of a text that is already Unicode, whatever encoding it declares."""
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.ordered_attributes = True
    parser.specified_attributes = True
    return parser


def number_in(text: str) -> Any:
    """Return a number as it is written, or None for a mark of a missing one."""
    number = text.strip(WHITE).encode()
    return None if number in MISSING else msgspec.Raw(number)


def _cell(key: str, text: str, reading: XmlReading) -> Any:
    return number_in(text) if key in reading.numbers else text or None
