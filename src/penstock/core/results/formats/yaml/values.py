"""The values of YAML as compact JSON.

Plain scalars are read as in the core schema of YAML 1.2, if that loses nothing: `012`, `+49`, `0x1F`,
`1_000` and dates stay texts, and so do `yes` and `no`. Keys are texts. An alias is replaced by the value
of its anchor, and `<<` by the members that it merges. All aliases together may add so many bytes only:
ten lines of YAML can mean billions of values.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import isfinite
from typing import Any, Final

from penstock.core.budget.fitting import clip
from penstock.core.json import rawjson
from penstock.core.results.formats.yaml.events import events

MOST_EXPANDED: Final = 5_000_000  # bytes that all aliases of a text add
_CORE: Final = "tag:yaml.org,2002:"
_CORE_TAGS: Final = frozenset(
    _CORE + name for name in ("str", "int", "float", "bool", "null", "seq", "map")
)
_TEXT_TAGS: Final = frozenset({"!", _CORE + "str"})
_NAMED: Final = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), b"null"),
    **dict.fromkeys(("true", "True", "TRUE"), b"true"),
    **dict.fromkeys(("false", "False", "FALSE"), b"false"),
}
# The first characters of plain scalars that may not be texts.
_STARTS: Final = frozenset("0123456789-.~tTfFnN")
_DIGITS: Final = 4_000  # of an integer; more would be slow to read
_NUMBER: Final = re.compile(
    rf"(-?)(0|[1-9][0-9]{{0,{_DIGITS}}}+)?+(?:(\.)([0-9]{{0,300}}+))?+"
    r"([eE][-+]?[0-9]{1,3})?"
)
_NOT_FINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_SHOWN_TAGS: Final = 5
_LONGEST_TAG: Final = 40
# A plain `<<` as a key, until its dict is complete. No JSON has this byte.
_MERGE: Final = b'"\xff<<"'
_NO_MERGE: Final = b'"<<"'


class RefusedYaml(ValueError):
    """YAML whose values would be too large, or cannot be known."""


class YamlValues:
    """A reader of values. `anchors`: values that the text takes from elsewhere. `row_of`: tells in
    which row a character is; then `shared` has the anchors that rows take from other rows."""

    def __init__(
        self,
        anchors: Mapping[str, bytes] | None = None,
        row_of: Callable[[int], int] | None = None,
    ) -> None:
        self.non_finite = 0
        self.tags: Counter[str] = Counter()
        self.shared: dict[str, bytes] = {}
        self._expanded = 0
        self._outer = anchors or {}
        self._row_of = row_of
        self._anchors: dict[str, tuple[bytes, int]] = {}
        self._times: Counter[str] = Counter()  # that an anchor was set
        # The list or dict that is open, and those around it.
        self._is_dict = False
        self._parts: list[bytes] = []
        self._key = b""
        self._stack: list[tuple[bool, list[bytes], bytes, Any]] = []

    def documents(self, text: bytes) -> Iterator[bytes]:
        """Yield the documents that are lists or dicts."""
        handlers = self._handlers()
        for event in events(text):
            handle = handlers.get(type(event))
            if handle is not None:
                handle(event)
            elif len(self._parts) == 1 and not self._stack:  # a document has ended
                (value,) = self._parts
                self._parts = []
                if value[:1] in (b"[", b"{"):
                    yield value

    def _handlers(self) -> dict[type, Callable[[Any], None]]:
        from yaml import events as kinds

        return {
            kinds.ScalarEvent: self._scalar,
            kinds.MappingStartEvent: partial(self._opens, is_dict=True),
            kinds.SequenceStartEvent: partial(self._opens, is_dict=False),
            kinds.MappingEndEvent: self._closes,
            kinds.SequenceEndEvent: self._closes,
            kinds.AliasEvent: self._alias,
            kinds.DocumentStartEvent: self._starts_document,
        }

    def _starts_document(self, event: Any) -> None:
        del event
        self._anchors = {}
        self._times = Counter()

    def _opens(self, event: Any, *, is_dict: bool) -> None:
        self._stack.append((self._is_dict, self._parts, self._key, event))
        self._is_dict, self._parts, self._key = is_dict, [], b""

    def _closes(self, event: Any) -> None:
        value = _closed(self._parts, is_dict=self._is_dict)
        self._is_dict, self._parts, self._key, event = self._stack.pop()
        self._note_tag(event)
        if event.anchor is not None:
            self._set_anchor(event, value)
        self._add(value)

    def _add(self, value: bytes) -> None:
        if not self._is_dict:
            self._parts.append(value)
        elif not self._key:
            self._key = value if value[:1] == b'"' else rawjson.string(value.decode())
        else:
            self._parts.append(self._key + b":" + value)
            self._key = b""

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences on what the values do not show."""
        told: list[str] = []
        if self.non_finite:
            told.append(f"{self.non_finite} NaN or infinite numbers are shown as null.")
        if self.tags:
            names = ", ".join(clip(name, _LONGEST_TAG) for name in [*self.tags][:_SHOWN_TAGS])
            more = ", …" if len(self.tags) > _SHOWN_TAGS else ""
            told.append(f"Rows do not show the tags of {self.tags.total()} values: {names}{more}.")
        return tuple(told)

    # -- scalars -----------------------------------------------------------------------------------

    def _scalar(self, event: Any) -> None:
        value = self._value(event)
        if event.anchor is not None:
            self._set_anchor(event, value)
        self._add(value)

    def _value(self, event: Any) -> bytes:
        text: str = event.value
        if event.tag is not None:
            self._note_tag(event)
            if event.tag in _TEXT_TAGS or event.tag not in _CORE_TAGS:
                return rawjson.string(text)
        elif not event.implicit[0]:
            return rawjson.string(text)
        if text and text[0] not in _STARTS:
            is_merge = text == "<<" and self._is_dict and not self._key
            return _MERGE if is_merge else rawjson.string(text)
        named = _NAMED.get(text)
        return named or _number(text) or self._other(text)

    def _other(self, text: str) -> bytes:
        is_key = self._is_dict and not self._key
        if is_key or not _NOT_FINITE.fullmatch(text):
            return rawjson.string(text)
        self.non_finite += 1
        return b"null"

    def _note_tag(self, event: Any) -> None:
        if event.tag is not None and event.tag not in _CORE_TAGS and event.tag != "!":
            self.tags[event.tag.replace(_CORE, "!!")] += 1

    # -- anchors -----------------------------------------------------------------------------------

    def _set_anchor(self, event: Any, value: bytes) -> None:
        self._anchors[event.anchor] = value, event.start_mark.index
        if self._row_of is None:
            return
        self._times[event.anchor] += 1
        if event.anchor in self.shared:
            raise RefusedYaml(_set_again(event))

    def _alias(self, event: Any) -> None:
        name = str(event.anchor)
        value, at = self._anchors.get(name) or (self._outer.get(name), 0)
        if value is None:
            raise RefusedYaml(
                f"line {event.start_mark.line + 1} has the alias *{name}, and no value &{name} ends before it"
            )
        self._expanded += len(value)
        if self._expanded > MOST_EXPANDED:
            raise RefusedYaml(
                f"its aliases stand for more than {MOST_EXPANDED:,} bytes (line {event.start_mark.line + 1})"
            )
        if self._row_of is not None and self._row_of(at) != self._row_of(event.start_mark.index):
            self.shared[name] = value
            if self._times[name] > 1:
                raise RefusedYaml(_set_again(event))
        self._add(value)


def _closed(parts: list[bytes], *, is_dict: bool) -> bytes:
    joined = b",".join(parts)
    if not is_dict:
        return b"[" + joined + b"]"
    if _MERGE in joined and any(part.startswith(_MERGE) for part in parts):
        return _merged(b"{" + joined + b"}")
    return b"{" + joined + b"}"


def _merged(given: bytes) -> bytes:
    """Return a dict with the members that `<<` names, unless it has them itself. Of several dicts in one
    list, the first counts; of several `<<`, the last."""
    members = [*rawjson.members(given)]
    used = {member.key for member in members}
    blocks: list[list[bytes]] = []
    for member in reversed(members):
        merged = _dicts(member.value) if member.key == _MERGE else None
        if merged is None:
            key = member.key if member.key != _MERGE else _NO_MERGE
            blocks.append([key + b":" + member.value])
            continue
        blocks.append([])
        for one in merged:
            found = [*rawjson.members(one)]
            blocks[-1] += [key + b":" + value for key, value in found if key not in used]
            used |= {each.key for each in found}
    return b"{" + b",".join(part for block in reversed(blocks) for part in block) + b"}"


def _set_again(event: Any) -> str:
    return f"the anchor &{event.anchor}, which several rows use, is set more than once"


def _dicts(value: bytes) -> list[bytes] | None:
    """Return the dicts to merge; None if the value is something else."""
    if value[:1] not in (b"{", b"["):
        return None
    found = [value] if value[:1] == b"{" else [*rawjson.elements(value)]
    return found if all(one[:1] == b"{" for one in found) else None


def _number(text: str) -> bytes | None:
    """Return a number in JSON, or None."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    sign, whole, point, fraction, power = found.groups("")
    if not whole and not fraction:
        return None
    after = f".{fraction or '0'}" if point else ""
    number = f"{sign}{whole or '0'}{after}{power}"
    return number.encode() if not power or isfinite(float(number)) else None
