"""The notable lines of a long text: errors, warnings, headings, and rare kinds of lines.

Lines that differ only in numbers are of one kind. Each kind is shown once, with its count. So one
ERROR among 50,000 routine lines is shown, and a thousand equal errors cost one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from penstock.core.json import rawjson
from penstock.core.views.pages import cut_text

_SEVERITIES = {
    "fatal": rb"(?i)\b(?:fatal|panic|critical|emerg(?:ency)?)\b",
    "error": rb"(?i)\b(?:errors?|exception|traceback|fail(?:ed|ure|s)?|severe)\b"
    rb"|\w(?:Error|Exception)\b",
    "warning": rb"(?i)\bwarn(?:ing|ings)?\b",
    "heading": rb"\A\s*(?:#{1,6} \S|<h[1-6])",
}
_NAMES = tuple(_SEVERITIES)
_ANY_MARK = (
    rb"(?i)fatal|panic|critical|emerg|error|exception|traceback|fail|severe|warn|\A\s*(?:#|<h[1-6])"
)
_VARIABLE = rb"0x[0-9a-fA-F]+|\d+|[0-9a-fA-F]{8,}"
_COMPARED = 160
_MOST_KINDS = 20_000
_MOST_ROUTINE = 15_000  # the rest is kept for grave lines
_RARE = 2
_RARE_SHARE = 0.02
LINE_CHARS = 200


@cache
def _pattern(expression: bytes) -> re.Pattern[bytes]:
    """Compile a pattern at its first use, because few processes summarise a text."""
    return re.compile(expression)


@dataclass(slots=True)
class Kind:
    """Lines that differ only in numbers."""

    first: int  # the number of the first such line
    text: str  # the start of that line
    chars: int  # the length of that line
    rank: int  # the index of its severity, the gravest is 0
    times: int = 1


@dataclass(slots=True)
class Notable:
    """The kinds of lines in a text. `add` takes the lines in order."""

    lines: int = 0
    kinds: dict[bytes, Kind] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self._line(line.removesuffix(b"\r"))  # of a Windows line end
            self.lines += 1

    def _line(self, line: bytes) -> None:
        rank = _rank(line) if _pattern(_ANY_MARK).search(line) else len(_SEVERITIES)
        if rank < len(_SEVERITIES):
            name = _NAMES[rank]
            self.counts[name] = self.counts.get(name, 0) + 1
        shape = _pattern(_VARIABLE).sub(b"#", line[:_COMPARED])
        kind = self.kinds.get(shape)
        if kind is not None:
            kind.times += 1
        elif len(self.kinds) < (_MOST_KINDS if rank < len(_SEVERITIES) else _MOST_ROUTINE):
            text = rawjson.text(line)
            self.kinds[shape] = Kind(self.lines, text[:LINE_CHARS], len(text), rank)

    def pick(self, most: int, chars: int) -> list[dict[str, Any]]:
        """Return the kinds worth showing, the gravest first, and the rarest first among equals."""
        grave = [kind for kind in self.kinds.values() if kind.rank < len(_SEVERITIES)]
        rare = [kind for kind in self.kinds.values() if kind.rank == len(_SEVERITIES)]
        rare = [kind for kind in rare if kind.times <= _RARE and kind.text.strip()]
        if sum(kind.times for kind in rare) > max(_RARE, _RARE_SHARE * self.lines):
            rare = []  # if nearly every line is a kind of its own, none is notable
        ordered = sorted(grave, key=lambda kind: (kind.rank, kind.times, kind.first)) + rare
        return [_shown(kind, chars) for kind in ordered[:most]]


def _rank(line: bytes) -> int:
    for rank, name in enumerate(_NAMES):
        if _pattern(_SEVERITIES[name]).search(line):
            return rank
    return len(_SEVERITIES)


def _shown(kind: Kind, chars: int) -> dict[str, Any]:
    text = cut_text(kind.text, chars, of=kind.chars)
    line: dict[str, Any] = {"line": kind.first + 1, "text": text}
    return {**line, "times": kind.times} if kind.times > 1 else line
