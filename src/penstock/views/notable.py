"""The lines that matter in a long text: errors, warnings, headings, and shapes that are rare.

Lines are alike when they differ in numbers only; each kind is shown once, with how often it
occurs. So one ERROR among 50,000 lines of routine is seen, and a thousand equal ones cost one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from penstock import rawjson
from penstock.views.pages import cut_text

_SEVERITIES = (
    ("fatal", re.compile(rb"(?i)\b(?:fatal|panic|critical|emerg(?:ency)?)\b")),
    ("error", re.compile(rb"(?i)\b(?:errors?|exception|traceback|fail(?:ed|ure|s)?|severe)\b|\w(?:Error|Exception)\b")),
    ("warning", re.compile(rb"(?i)\bwarn(?:ing|ings)?\b")),
    ("heading", re.compile(rb"\A\s*(?:#{1,6} \S|<h[1-6])")),
)  # fmt: skip
_ANY_MARK = re.compile(
    rb"(?i)fatal|panic|critical|emerg|error|exception|traceback|fail|severe|warn|\A\s*(?:#|<h[1-6])"
)
_VARIABLE = re.compile(rb"0x[0-9a-fA-F]+|\d+|[0-9a-fA-F]{8,}")
_COMPARED = 160
_MOST_KINDS = 20_000
_RARE = 2
_RARE_SHARE = 0.02
LINE_CHARS = 200


@dataclass(slots=True)
class Kind:
    """Lines of one shape."""

    first: int
    text: str
    chars: int
    rank: int
    times: int = 1


@dataclass(slots=True)
class Notable:
    """Fed with the lines in order."""

    lines: int = 0
    kinds: dict[bytes, Kind] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self._line(line)
            self.lines += 1

    def _line(self, line: bytes) -> None:
        start = line[:_COMPARED]
        rank = _rank(line) if _ANY_MARK.search(line) else len(_SEVERITIES)
        if rank < len(_SEVERITIES):
            name = _SEVERITIES[rank][0]
            self.counts[name] = self.counts.get(name, 0) + 1
        shape = _VARIABLE.sub(b"#", start)
        kind = self.kinds.get(shape)
        if kind is not None:
            kind.times += 1
        elif len(self.kinds) < _MOST_KINDS or rank < len(_SEVERITIES):
            text = rawjson.text(line)
            self.kinds[shape] = Kind(self.lines, text[:LINE_CHARS], len(text), rank)

    def pick(self, most: int, chars: int) -> list[dict[str, Any]]:
        """The kinds worth showing, the gravest and rarest first."""
        grave = [kind for kind in self.kinds.values() if kind.rank < len(_SEVERITIES)]
        rare = [kind for kind in self.kinds.values() if kind.rank == len(_SEVERITIES)]
        rare = [kind for kind in rare if kind.times <= _RARE and kind.text.strip()]
        if sum(kind.times for kind in rare) > max(_RARE, _RARE_SHARE * self.lines):
            rare = []  # where nearly every line is its own kind, none of them is rare
        ordered = sorted(grave, key=lambda kind: (kind.rank, kind.times, kind.first)) + rare
        return [_shown(kind, chars) for kind in ordered[:most]]


def _rank(line: bytes) -> int:
    for rank, (_, pattern) in enumerate(_SEVERITIES):
        if pattern.search(line):
            return rank
    return len(_SEVERITIES)


def _shown(kind: Kind, chars: int) -> dict[str, Any]:
    text = cut_text(kind.text, chars, of=kind.chars)
    told: dict[str, Any] = {"line": kind.first + 1, "text": text}
    return {**told, "times": kind.times} if kind.times > 1 else told
