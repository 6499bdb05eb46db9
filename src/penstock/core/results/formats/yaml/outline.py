"""The first levels of YAML: where members, items and documents start, and whether this is data.

Much prose is valid YAML, such as a line `Note: see below`, or a list of points. So a text is YAML only if
it is built like data. Its keys are words, and it nests: dicts in a dict, or a list of dicts with several
members.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from penstock.core.json import rawjson
from penstock.core.results.formats.yaml.events import BrokenYaml, events

_WORD: Final = re.compile(r"[\w.$@/+~<>*-]++")
_MOST_KEYS: Final = 1_000  # that are compared
_FEWEST_FLAT: Final = 3  # members of a dict that does not nest
_NOWHERE: Final = -9
_SHALLOW: Final = 4  # levels that are looked at
_TWO_MEMBERS: Final = 4  # keys and values
SCALAR, MAPPING, SEQUENCE, ALIAS = "scalar", "mapping", "sequence", "alias"


def places() -> array[int]:
    return array("Q")


class YamlOutline:
    """The first levels of a document. Places are numbers of characters."""

    def __init__(self, start: int = 0, *, is_marked: bool = False) -> None:
        self.start = start
        self.is_marked = is_marked  # by `---`
        self.root = ""
        self.is_flow = False
        self.starts = places()  # of keys or items
        self.at = 0  # the place of the root
        self.keys: set[str] = set()
        self.are_words = True
        self.nests = (
            False  # has dicts in a dict, a literal text, or a list of dicts with two members
        )
        self.is_folded = False  # a plain text goes on in the next line
        self.merges = False  # into the root
        # The first list that is a member, and how many there are.
        self.lists = 0
        self.list_number = 0
        self.list_starts = places()
        self.list_at = 0
        self.list_end = 0
        self.list_is_flow = False
        # The items of lists, and those that are dicts of several members.
        self._items = 0
        self._dicts = 0
        self._records = 0
        self._shared: set[str] | None = None
        self._items_at = _NOWHERE  # the level of the items
        self._has_key = False
        self._children = _NOWHERE  # of the item that is open
        self._item_nests = False
        self._item_keys: set[str] = set()

    @property
    def is_data(self) -> bool:
        """Whether this is built like data, as far as it was read."""
        if self.root == SEQUENCE:
            are_records = 0 < self._items == self._dicts and 2 * self._records >= self._items
            return are_records and (self.are_words or bool(self._shared))
        is_flat = self.is_marked and len(self.keys) >= _FEWEST_FLAT and not self.is_folded
        return self.root == MAPPING and self.are_words and (self.nests or is_flat)

    def node(self, event: Any, level: int, kind: str) -> None:
        """Take note of a scalar, of an alias, or of the start of a list or dict."""
        if level == self._items_at:
            self._item(event, kind)
        elif level == self._items_at + 1:
            self._member_of_item(event, kind)
        elif level == 1 and self.root == MAPPING:
            self._member(event, kind)
        elif level == 0:
            self.root = kind if kind != SCALAR or event.value else ""
            self.is_flow = kind in (MAPPING, SEQUENCE) and bool(event.flow_style)
            self.at = event.start_mark.index
            self._items_at = 1 if kind == SEQUENCE else _NOWHERE

    def closed(self, event: Any, level: int) -> None:
        """Take note of the end of a list or dict."""
        if level == self._items_at:
            self._end_item()
        elif level == 1 and self._items_at > 1:
            self._items_at = _NOWHERE
            if self.lists == 1:
                self.list_end = event.start_mark.index

    def _member(self, event: Any, kind: str) -> None:
        if not self._has_key:
            self._has_key = True
            self.starts.append(event.start_mark.index)
            self._note_key(event, kind)
            return
        if kind == SEQUENCE:
            self._items_at = 2
            self.lists += 1
            if self.lists == 1:
                self.list_number = len(self.starts) - 1
                self.list_at = event.start_mark.index
                self.list_is_flow = bool(event.flow_style)
        elif kind == ALIAS:
            self.lists += 2  # it may be a list
        elif kind == MAPPING:
            self.nests = self.nests or not event.flow_style
        else:
            self.nests = self.nests or event.style == "|"
            is_plain = not event.style
            self.is_folded |= is_plain and event.start_mark.line != event.end_mark.line
        self._has_key = False

    def _note_key(self, event: Any, kind: str) -> None:
        text = event.value if kind == SCALAR else " "
        is_quoted = kind == SCALAR and bool(event.style)
        self.are_words = self.are_words and (is_quoted or bool(_WORD.fullmatch(text)))
        self.merges |= text == "<<" and not is_quoted
        if len(self.keys) < _MOST_KEYS:
            self.keys.add(text)

    def _item(self, event: Any, kind: str) -> None:
        self._items += 1
        self._children = 0 if kind == MAPPING else _NOWHERE
        self._item_nests = False
        self._item_keys = set()
        self._dicts += kind == MAPPING
        if self.root == SEQUENCE:
            self.starts.append(event.start_mark.index)
        elif self.lists == 1:
            self.list_starts.append(event.start_mark.index)

    def _member_of_item(self, event: Any, kind: str) -> None:
        if self._children < 0:
            return
        self._children += 1
        if self._children % 2 == 0:
            self._item_nests |= kind in (MAPPING, SEQUENCE)
        elif self.root == SEQUENCE and kind == SCALAR:
            self.are_words = self.are_words and bool(event.style or _WORD.fullmatch(event.value))
            if len(self._item_keys) < _MOST_KEYS:
                self._item_keys.add(event.value)

    def _end_item(self) -> None:
        if self._children < 0:
            return
        is_record = self._children >= _TWO_MEMBERS or self._item_nests
        self._records += is_record
        self.nests = self.nests or is_record
        keys = self._item_keys
        self._shared = keys if self._shared is None else self._shared & keys
        self._children = _NOWHERE


class YamlSurvey:
    """The documents of a text."""

    def __init__(self) -> None:
        self.first: YamlOutline | None = None
        self.last = YamlOutline()  # it need not be complete
        self.starts = places()  # of documents that are not empty
        self.empty = 0
        self.are_dicts = True
        self.has_marks = False  # aliases or tags
        self.declares_tags = False
        self.error: BrokenYaml | None = None
        self._level = 0

    @property
    def is_data(self) -> bool:
        """Whether the text is built like data, as far as it was read."""
        first, last = self.first or self.last, self.last
        if first.is_flow or (self.empty and not first.nests):
            return False  # without nesting, an empty document is the text after a page's head
        is_several = len(self.starts) > 1 or (first is not last and bool(last.root))
        if not is_several:
            return first.is_data
        shared = first.keys & last.keys if last.root else first.keys
        return first.is_data and first.root == MAPPING and self.are_dicts and bool(shared)

    def handlers(self) -> dict[type, Callable[[Any], None]]:
        from yaml import events as kinds

        return {
            kinds.ScalarEvent: self._scalar,
            kinds.MappingStartEvent: partial(self._opens, kind=MAPPING),
            kinds.SequenceStartEvent: partial(self._opens, kind=SEQUENCE),
            kinds.MappingEndEvent: self._closes,
            kinds.SequenceEndEvent: self._closes,
            kinds.AliasEvent: self._alias,
            kinds.DocumentStartEvent: self._starts_document,
            kinds.DocumentEndEvent: self._ends_document,
        }

    def _scalar(self, event: Any) -> None:
        if self._level < _SHALLOW:
            self.last.node(event, self._level, SCALAR)
        if event.tag is not None:
            self.has_marks = True

    def _opens(self, event: Any, *, kind: str) -> None:
        if self._level >= rawjson.MAX_DEPTH:
            raise rawjson.TooDeep(f"nested deeper than {rawjson.MAX_DEPTH} levels")
        if self._level < _SHALLOW:
            self.last.node(event, self._level, kind)
        self.has_marks |= event.tag is not None
        self._level += 1

    def _closes(self, event: Any) -> None:
        self._level -= 1
        if self._level < _SHALLOW:
            self.last.closed(event, self._level)

    def _alias(self, event: Any) -> None:
        self.has_marks = True
        if self._level < _SHALLOW:
            self.last.node(event, self._level, ALIAS)

    def _starts_document(self, event: Any) -> None:
        self.declares_tags |= bool(event.tags)
        self.last = YamlOutline(event.start_mark.index, is_marked=event.explicit)

    def _ends_document(self, event: Any) -> None:
        del event
        outline = self.last
        if not outline.root:
            self.empty += 1
            return
        self.starts.append(outline.start)
        self.are_dicts &= outline.root == MAPPING and outline.are_words
        if self.first is None:
            self.first = outline
        else:
            self.first.nests |= outline.nests
            self.first.keys &= outline.keys


def surveyed(text: bytes) -> YamlSurvey:
    """Go through a text, up to the first place that is not YAML. Raise `TooDeep` if it nests too deep."""
    survey = YamlSurvey()
    try:
        handlers = survey.handlers()
        for event in events(text):
            handle = handlers.get(type(event))
            if handle is not None:
                handle(event)
    except BrokenYaml as error:
        if error.unread is not None:
            survey = surveyed(text[: text.rfind(b"\n", 0, error.unread) + 1])
        survey.error = error
    return survey
