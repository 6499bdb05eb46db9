"""The names in a directory, as a client reads them.

Spellings: one name, `ping`; by a common beginning, `jira_(add get)`; by a common ending,
`(listOrders getOrder)V1`; with parameters, `ping[host* count:int]`; a name that could be misread, as
a JSON text. Words of prose before the directory are read as names too. This does no harm: the agent
looks for a name that it knows.
"""

from __future__ import annotations

import json
import re
from typing import Final

_WORD: Final = re.compile(r"[\w\-./:]+")
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)+"')
_BRACKETS: Final = re.compile(r"\[(?:[^\[\]\"]|\[\]|\"(?:[^\"\\]|\\.)*\")*\]")  # `str[]` is a type
_READING: Final = re.compile(r"Read-only: (.*?)(?:; others: |$)", re.DOTALL)

Names = dict[str, str | None]  # with the parameters behind each name, if they are shown


def names_in(text: str) -> Names:
    """Return every name that the text spells, whole or in groups."""
    return _DirectoryText(text).names()


def reading_in(text: str) -> Names:
    """Return the names that a directory has under its heading for tools that only read."""
    found = _READING.search(text)
    return names_in(found[1]) if found else {}


class _DirectoryText:
    """A text, and the place up to which it is read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def names(self, *, inside: bool = False) -> Names:
        """Return the names up to the end, or up to the parenthesis that closes a group."""
        names: Names = {}
        while self._at < len(self._text):
            if self._sees(")") and inside:
                break
            for name, behind in self._next().items():
                names.setdefault(name, behind)
        return names

    def _next(self) -> Names:
        """Return the names of one word or group."""
        if quoted := self._take(_QUOTED):
            return {str(json.loads(quoted)): self._parameters()}
        word = self._take(_WORD)
        if self._sees("("):
            return self._group(word)
        if not word:
            self._at += 1
            return {}
        if self._sees("…"):  # in `jira… (63)`, the word is no name
            return {}
        return dict.fromkeys((word, word.rstrip(".:")), self._parameters())

    def _parameters(self) -> str | None:
        """Return the text in the brackets that follow a name, or None if there are none."""
        if not self._sees("["):
            return None
        found = self._take(_BRACKETS)
        return found[1:-1]

    def _group(self, beginning: str) -> Names:
        self._at += 1
        members = self.names(inside=True)
        self._at += 1
        ending = "" if beginning else self._take(_WORD).rstrip(".:")
        return {beginning + name + ending: behind for name, behind in members.items()}

    def _sees(self, char: str) -> bool:
        return self._text.startswith(char, self._at)

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found[0]
