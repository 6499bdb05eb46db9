"""The names in a directory, as a client reads them.

Spellings: `a, b`; `jira… (63): jira_a, jira_b`; by a common beginning, `jira_(add get)`; by a common
ending, `(listOrders getOrder)V1`; with parameters, `ping(host* count:int)`. Words of prose and of
parameters are read as names too. This does no harm: the agent looks for a name that it knows.
"""

from __future__ import annotations

import json
import re
from typing import Final

_WORD: Final = re.compile(r"[\w\-./:]+")
_QUOTED: Final = re.compile(r'"(?:[^"\\]|\\.)+"')
_READING: Final = re.compile(r"Read-only: (.*?)(?:; others: |$)", re.DOTALL)

Names = dict[str, str | None]  # with the text in parentheses behind each name, if there is one


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
            return {str(json.loads(quoted)): None}
        word = self._take(_WORD)
        if self._sees("("):
            return self._group(word)
        if not word:
            self._at += 1
            return {}
        if self._sees("…"):  # in `jira… (63)`, the word is no name
            return {}
        return dict.fromkeys((word, word.rstrip(".:")))

    def _group(self, beginning: str) -> Names:
        self._at += 1
        start = self._at
        members = self.names(inside=True)
        behind = self._text[start : self._at]
        self._at += 1
        ending = "" if beginning else self._take(_WORD).rstrip(".:")
        grouped = {beginning + name + ending: text for name, text in members.items()}
        return {beginning: behind, **grouped} if beginning else grouped

    def _sees(self, char: str) -> bool:
        return self._text.startswith(char, self._at)

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found[0]
