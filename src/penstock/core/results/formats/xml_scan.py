"""The one pass through an XML text: it proves that the text is well-formed, learns the forms of its
elements, and finds the children that may be rows.

No entity is ever expanded, and nothing is loaded: `require_no_entities` refuses a text with entities
before the parser sees it. The parser cannot be stopped, and would go on to expand them.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from typing import Any, Final

from penstock.core.json import rawjson
from penstock.core.results.formats.numbers import NumberColumns
from penstock.core.results.formats.xml_values import WHITE, new_parser

# Each level of elements may be two levels of JSON, an object and a list.
DEEPEST: Final = rawjson.MAX_DEPTH // 2 - 2
MOST_NAMES: Final = 20_000  # of different elements and attributes
_NEAR: Final = 8  # rows are not deeper than this
_MOST_GROUPS: Final = 1_000  # of children with one name
OTHERS: Final = ""  # the group of all further children
_CELLS: Final = 1_000  # that are checked at once
_LONGEST_NUMBER: Final = 60
_DECLARES_ENTITY: Final = re.compile(rb"<!ENTITY")
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


class XmlCells:
    """The texts of an element or attribute: are they all numbers?"""

    __slots__ = ("_cells", "_numbers")

    def __init__(self) -> None:
        self._cells: list[bytes] = []
        self._numbers: NumberColumns | None = NumberColumns(1, may_have_commas=True)

    def add(self, text: str) -> None:
        if self._numbers is None:
            return
        if len(text) > _LONGEST_NUMBER:
            self._numbers = None
            return
        self._cells.append(text.encode())
        if len(self._cells) >= _CELLS:
            self._check(self._numbers)

    def are_numbers(self, marks: set[bytes]) -> bool:
        """Return whether all texts are numbers, and add the marks for missing ones to `marks`."""
        numbers = self._numbers
        if numbers is None:
            return False
        self._check(numbers)
        if not numbers.are_numbers()[0]:
            return False
        marks |= numbers.marks
        return True

    def _check(self, numbers: NumberColumns) -> None:
        numbers.note(self._cells)
        self._cells = []
        if not numbers.open:
            self._numbers = None


class ElementKind:
    """All elements of one name in parents of one name."""

    __slots__ = ("cells", "children", "is_object", "is_several", "name")

    def __init__(self, name: str, children: dict[str, ElementKind]) -> None:
        self.name = name
        self.children = children  # of all elements of this name
        self.cells = XmlCells()
        self.is_object = False
        self.is_several = False


class _Group:
    """The children of one name in an element."""

    __slots__ = ("count", "first", "is_split", "last", "size")

    def __init__(self, number: int) -> None:
        self.first = self.last = number  # among all children
        self.count = self.size = 0
        self.is_split = False  # there are others between them


class Holder:
    """An element near the root, and the places of its children."""

    __slots__ = ("_last", "_last_name", "end", "groups", "has_text", "path", "starts")

    def __init__(self, path: tuple[str, ...]) -> None:
        self.path = path
        self.starts = array("Q")  # of all children
        self.groups: dict[str, _Group] = {}
        self.has_text = False  # beside its children
        self.end = 0  # where its end tag starts
        self._last: _Group | None = None
        self._last_name = ""

    def note_child(self, name: str, start: int) -> Holder | None:
        """Take the name and place of a child. Return its holder, unless it is one of several: what it
        holds is smaller than they are together."""
        self._note_size(start)
        group = self.groups.get(name)
        if group is None:
            if len(self.groups) >= _MOST_GROUPS:
                name = OTHERS
            group = self.groups.setdefault(name, _Group(len(self.starts)))
        elif name != self._last_name:
            group.is_split = True
        group.count += 1
        group.last = len(self.starts)
        self.starts.append(start)
        self._last, self._last_name = group, name
        is_near = group.count == 1 and len(self.path) < _NEAR
        return Holder((*self.path, name)) if is_near else None

    def note_end(self, end: int) -> None:
        self._note_size(end)
        self.end = end

    def _note_size(self, end: int) -> None:
        if self._last is not None:
            self._last.size += end - self.starts[-1]

    @property
    def main_name(self) -> str:
        """The name of the repeated child with the most bytes, or an empty text."""
        sizes = {
            name: group.size
            for name, group in self.groups.items()
            if group.count > 1 and name != OTHERS
        }
        return max(sizes, key=sizes.__getitem__, default="")

    @property
    def main_size(self) -> int:
        name = self.main_name
        return self.groups[name].size if name else 0


class _Open:
    """An open element."""

    __slots__ = ("holder", "kind", "seen", "texts")

    def __init__(self, kind: ElementKind, holder: Holder | None) -> None:
        self.kind = kind
        self.holder = holder
        self.seen: set[str] | None = None  # the names of its children
        self.texts: list[str] = []


class XmlScan:
    """What a pass through a text has learned."""

    def __init__(self, accepts: Callable[[str, bool], bool]) -> None:
        self._accepts = accepts  # a name of the root, and whether the text is declared to be XML
        self.root: Holder | None = None
        self.root_at = 0
        self.best: Holder | None = None  # the element with the largest repeated child
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

    def _new_root(self, name: str) -> Holder:
        if not self._accepts(name, self.is_declared):
            raise XmlRefused
        self.root = Holder((name,))
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

    def _note_holder(self, holder: Holder, has_text: bool) -> None:
        holder.has_text = has_text
        holder.note_end(self._parser.CurrentByteIndex)
        if self.best is None or holder.main_size > self.best.main_size:
            self.best = holder

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        del version, encoding, standalone
        self.is_declared = True

    def _document_type(self, name: str, *_: object) -> None:
        self.is_declared = True
        if not self._accepts(name, self.is_declared):
            raise XmlRefused

    def _attribute_default(
        self, element: str, name: str, kind: str, value: str | None, required: int
    ) -> None:
        del element, name, kind, required
        self.defaults += value is not None
