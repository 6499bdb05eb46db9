"""The mapping of XML to values, written a second time: over the tree of the standard library's minidom."""

from __future__ import annotations

import json
import re
from xml.dom import Node, minidom

NUMBER = re.compile(
    r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,30})?([eE]([+]?[0-9]{1,2}|-[0-9]{1,3}))?", re.ASCII
)
MISSING = {"", "NA", "N/A", "n/a", "#N/A", "NULL", "null", "None", "NaN", "nan", "nil", "-", ".", ".."}  # fmt: skip
WHITE = " \t\r\n"


class XmlOracle:
    """The elements of a text as values."""

    def __init__(self, text, *, is_local=False):
        self.root = minidom.parseString(  # noqa: S318 (texts without entities)
            text.encode() if isinstance(text, str) else text
        ).documentElement
        self.is_local = is_local
        self.objects, self.lists, self.texts = set(), set(), {}
        self._learn(self.root)
        self.numbers = {key for key, texts in self.texts.items() if are_numbers(texts)}

    def _learn(self, node):
        key, parts = self._key(node), children(node)
        if node.attributes.length or parts:
            self.objects.add(key)
        if own_text(node).strip(WHITE) or not parts:
            self.texts.setdefault(key, []).append(own_text(node).strip(WHITE))
        for name, value in attributes(node):
            self.texts.setdefault(f"{node.tagName}/@{name}", []).append(value.strip(WHITE))
        names = [part.tagName for part in parts]
        self.lists |= {f"{node.tagName}/{name}" for name in names if names.count(name) > 1}
        for part in parts:
            self._learn(part)

    def value(self, node):
        key = self._key(node)
        is_object = bool(node.attributes.length or children(node))
        if is_object or (key in self.objects and not self.is_local):
            return self.members(node)
        return self._cell(key, shown_text(node))

    def members(self, node, without=()):
        """Return the members of an element. `without`: elements that are left out."""
        made = {
            f"@{name}": self._cell(f"{node.tagName}/@{name}", value)
            for name, value in attributes(node)
        }
        for part in children(node):
            if part not in without:
                made.setdefault(part.tagName, []).append(self.value(part))
        for name, values in made.items():
            is_list = f"{node.tagName}/{name}" in self.lists and not self.is_local
            if not name.startswith("@") and len(values) == 1 and not is_list:
                made[name] = values[0]
        if text := shown_text(node):
            made["#text"] = self._cell(self._key(node), text)
        return made

    def with_rows(self, element):
        """Return the value of the text whose rows have this path, such as /library/book."""
        *path, name = element.strip("/").split("/")
        above, holder = [], self.root
        for step in path[1:]:
            above.append(holder)
            holder = next(part for part in children(holder) if part.tagName == step)
        if name == "*":
            value = self._all_children(holder)
        else:
            value = {name: [self.value(part) for part in children(holder) if part.tagName == name]}
            value |= {key: it for key, it in self.members(holder).items() if key != name}
        parent = self._above(above, holder)
        return value | ({"#parent": parent} if parent else {})

    def _all_children(self, holder):
        parts = children(holder)
        rows = [{"#name": part.tagName, **self.members(part)} for part in parts]
        for row, part in zip(rows, parts, strict=True):
            if tail := tail_of(part).strip(WHITE):
                row["#tail"] = tail
        value = {"#children": rows}
        value |= {k: v for k, v in self.members(holder, without=parts).items() if k != "#text"}
        if text := before_children(holder).strip(WHITE):
            value["#text"] = self._cell(self._key(holder), text)
        return value

    def _above(self, above, inside):
        if not above:
            return {}
        *further, nearest = above
        made = {"#name": nearest.tagName, **self.members(nearest, without=[inside])}
        parent = self._above(further, nearest)
        has_others = len(made) > 1
        if has_others or parent:
            return made | ({"#parent": parent or self._bare(further)} if further else {})
        return {}

    def _bare(self, above):
        if not above:
            return {}
        *further, nearest = above
        return {"#name": nearest.tagName} | ({"#parent": self._bare(further)} if further else {})

    def _key(self, node):
        return f"{'' if node is self.root else node.parentNode.tagName}/{node.tagName}"

    def _cell(self, key, text):
        if key in self.numbers and not self.is_local:
            stripped = text.strip(WHITE)
            return None if stripped in MISSING else json.loads(stripped)
        return text or None


def are_numbers(texts):
    filled = [text for text in texts if text.strip(" ") not in MISSING]
    return bool(filled) and all(map(NUMBER.fullmatch, filled))


def attributes(node):
    """Return the names and values. minidom has None for an empty namespace."""
    return [(name, value or "") for name, value in node.attributes.items()]


def children(node):
    return [part for part in node.childNodes if part.nodeType == Node.ELEMENT_NODE]


def is_text(node):
    return node.nodeType in (Node.TEXT_NODE, Node.CDATA_SECTION_NODE)


def own_text(node):
    return "".join(part.data for part in node.childNodes if is_text(part))


def shown_text(node):
    is_kept = node.getAttribute("xml:space") == "preserve"
    return own_text(node) if is_kept else own_text(node).strip(WHITE)


def tail_of(node):
    pieces, after = [], node.nextSibling
    while after is not None and after.nodeType != Node.ELEMENT_NODE:
        pieces.append(after.data if is_text(after) else "")
        after = after.nextSibling
    return "".join(pieces)


def before_children(node):
    pieces = []
    for part in node.childNodes:
        if part.nodeType == Node.ELEMENT_NODE:
            break
        pieces.append(part.data if is_text(part) else "")
    return "".join(pieces)
