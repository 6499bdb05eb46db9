"""The one pass through an XML text: it proves that the text is well-formed, learns the forms of its
elements, and finds the children that may be rows.

No entity is ever expanded, and nothing is loaded: `require_no_entities` refuses a text with entities
before the parser sees it. The parser cannot be stopped, and would go on to expand them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from penstock.core.json import rawjson
from penstock.core.results.formats.xml.cells import XmlCells
from penstock.core.results.formats.xml.holders import RowHolder
from penstock.core.results.formats.xml.values import WHITE, new_parser

# Each level of elements may be two levels of JSON, an object and a list.
DEEPEST: Final = rawjson.MAX_DEPTH // 2 - 2
MOST_NAMES: Final = 20_000  # of different elements and attributes
_DECLARES_ENTITY: Final = re.compile(rb"<!ENTITY")
# The document type of a page or drawing, after comments and processing instructions.
_PAGE: Final = re.compile(
    rb"(?:\s++|<\?(?:[^?]++|\?(?!>))*+\?>|<!--(?:[^-]++|-(?!->))*+-->)*+<!DOCTYPE\s++(?:html|svg)\b",
    re.IGNORECASE,
)
# A reference to an entity that XML itself does not define.
_ENTITY: Final = re.compile(rb"&(?!(?:lt|gt|amp|quot|apos);)[^\s#&;<>'\"]++;")


class XmlRefused(Exception):
    """The text is not read, for the reason that the message gives. Without one, it is no data."""


def require_no_entities(text: bytes) -> None:
    """Refuse a text that declares entities, or that has one that only another file can declare. That
    file is never read. In an attribute, the parser would leave the entity out."""
    if b"<!DOCTYPE" not in text:
        return
    if declared := _DECLARES_ENTITY.search(text):
        line = 1 + text.count(b"\n", 0, declared.start())
        raise XmlRefused(f"line {line} declares an entity, and no entities are read")
    if entity := _ENTITY.search(text):
        line = 1 + text.count(b"\n", 0, entity.start())
        raise XmlRefused(f"line {line} has an entity that is not declared in the text")


class ElementKind:
    """All elements of one name in parents of one name."""

    __slots__ = ("cells", "children", "is_object", "is_several", "name")

    def __init__(self, name: str, children: dict[str, ElementKind]) -> None:
        self.name = name
        self.children = children  # of all elements of this name
        self.cells = XmlCells()
        self.is_object = False
        self.is_several = False


class _Open:
    """An open element."""

    __slots__ = ("holder", "kind", "seen", "texts")

    def __init__(self, kind: ElementKind, holder: RowHolder | None) -> None:
        self.kind = kind
        self.holder = holder
        self.seen: set[str] | None = None  # the names of its children
        self.texts: list[str] = []


class XmlScan:
    """The findings of a pass through a text."""

    def __init__(self, accepts: Callable[[str, bool], bool]) -> None:
        self._accepts = accepts  # a name of the root, and whether the text is declared to be XML
        self.root: RowHolder | None = None
        self.root_at = 0
        self.best: RowHolder | None = None  # the element with the largest repeated child
        self.is_declared = False  # to be XML, or to have a document type
        self.elements = 0
        self.closed = 0
        self.defaults = 0  # attributes to which the document type gives a value
        self.marks: set[bytes] = set()
        self._names = 0
        self._by_name: dict[str, dict[str, ElementKind]] = {}
        self._attributes: dict[str, dict[str, XmlCells]] = {}
        self._open = [_Open(ElementKind("", {}), None)]
        self._parser: Any = None

    def read(self, text: bytes) -> None:
        """Read a text. Raise `ExpatError` if it is not XML, and `XmlRefused` if it is not read."""
        if _PAGE.match(text):
            raise XmlRefused
        require_no_entities(text)
        self._parser = parser = new_parser()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.XmlDeclHandler = self._declaration
        parser.StartDoctypeDeclHandler = self._document_type
        parser.AttlistDeclHandler = self._attribute_default
        parser.Parse(text, True)

    @property
    def innermost(self) -> str:
        """The name of the element that is still open, or an empty text."""
        return self._open[-1].kind.name

    def has_text_in_root(self) -> bool:
        """Return whether the root, which is still open, has text beside its children."""
        texts = self._open[1].texts if len(self._open) > 1 else []
        return any(text.strip(WHITE) for text in texts)

    # -- the forms of elements and attributes --

    def objects(self) -> Iterator[str]:
        return (key for key, kind in self._kinds() if kind.is_object)

    def lists(self) -> Iterator[str]:
        return (key for key, kind in self._kinds() if kind.is_several)

    def numbers(self) -> Iterator[str]:
        for key, kind in self._kinds():
            if kind.cells.are_numbers(self.marks):
                yield key
        for element, attributes in self._attributes.items():
            for name, cells in attributes.items():
                if cells.are_numbers(self.marks):
                    yield f"{element}/@{name}"

    def _kinds(self) -> Iterator[tuple[str, ElementKind]]:
        for parent, kinds in (("", self._open[0].kind.children), *self._by_name.items()):
            for name, kind in kinds.items():
                yield f"{parent}/{name}", kind

    # -- handlers of the parser --

    def _start(self, name: str, attributes: list[str]) -> None:
        self.elements += 1
        opened, parent = self._open, self._open[-1]
        depth = len(opened)
        kind = parent.kind.children.get(name) or self._new_kind(parent.kind, name)
        if depth > DEEPEST:
            raise XmlRefused(f"it is nested deeper than {DEEPEST} elements")
        holder = None
        if parent.holder is not None:
            holder = parent.holder.note_child(name, self._parser.CurrentByteIndex)
        elif depth == 1:
            holder = self._new_root(name)
        if parent.seen is None:
            parent.seen = set()
            parent.kind.is_object = True
        if not kind.is_several:
            kind.is_several = name in parent.seen
            parent.seen.add(name)
        if attributes:
            kind.is_object = True
            self._note_attributes(name, attributes)
        opened.append(_Open(kind, holder))

    def _new_kind(self, parent: ElementKind, name: str) -> ElementKind:
        self._count_name()
        kind = ElementKind(name, self._by_name.setdefault(name, {}))
        parent.children[name] = kind
        return kind

    def _new_root(self, name: str) -> RowHolder:
        if not self._accepts(name, self.is_declared):
            raise XmlRefused
        self.root = RowHolder((name,))
        self.root_at = self._parser.CurrentByteIndex
        return self.root

    def _note_attributes(self, element: str, attributes: list[str]) -> None:
        known = self._attributes.setdefault(element, {})
        for name, value in zip(attributes[::2], attributes[1::2], strict=True):
            cells = known.get(name)
            if cells is None:
                self._count_name()
                cells = known[name] = XmlCells()
            cells.add(value.strip(WHITE))

    def _count_name(self) -> None:
        self._names += 1
        if self._names > MOST_NAMES:
            raise XmlRefused(f"it has more than {MOST_NAMES:,} different elements and attributes")

    def _text(self, text: str) -> None:
        self._open[-1].texts.append(text)

    def _end(self, name: str) -> None:
        del name
        self.closed += 1
        ended = self._open.pop()
        text = "".join(ended.texts).strip(WHITE)
        if text or ended.seen is None:
            ended.kind.cells.add(text)
        if ended.holder is not None and ended.seen is not None:
            self._note_holder(ended.holder, bool(text))

    def _note_holder(self, holder: RowHolder, has_text: bool) -> None:
        holder.has_text = has_text
        holder.note_end(self._parser.CurrentByteIndex)
        if self.best is None or holder.main_size > self.best.main_size:
            self.best = holder

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        del version, encoding, standalone
        self.is_declared = True

    def _document_type(self, *_: object) -> None:
        self.is_declared = True

    def _attribute_default(
        self, element: str, name: str, kind: str, value: str | None, required: int
    ) -> None:
        del element, name, kind, required
        self.defaults += value is not None
