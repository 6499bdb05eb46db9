"""The first sentences of descriptions: as many as tell the tools of a list apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.texts.shortening import Wording, clipped

# A description that is cut inside its first sentence keeps this many words: fewer say nothing.
# A word is at least one token.
LEAST_WORDS: Final = 12
_MOST_WORDS: Final = 40
_MOST_SENTENCES: Final = 3
_MOST_CHARS: Final = 600  # a word may be as long as its author likes


class Leads:
    """The beginnings of tools' descriptions, of which a list shows so many words as it has room."""

    def __init__(self, tools: Iterable[DescribedTool]) -> None:
        self._wordings = {tool.name: Wording(tool.description) for tool in tools}
        self._words = {name: _first(wording) for name, wording in self._wordings.items()}
        for sentences in range(2, _MOST_SENTENCES + 1):
            self._tell_apart(sentences)

    @property
    def longest(self) -> int:
        return max(self._words.values(), default=0)

    def of(self, tool: DescribedTool, most: int = _MOST_WORDS) -> str:
        """Return the lead of a tool in at most `most` words, but in `LEAST_WORDS` if it has them."""
        words = min(self._words[tool.name], max(most, LEAST_WORDS))
        return clipped(self._wordings[tool.name].take(words), _MOST_CHARS)

    def _tell_apart(self, sentences: int) -> None:
        """Give more sentences to tools whose leads are the same."""
        leads = {name: self._lead(name) for name in self._words}
        counts = Counter(leads.values())
        for name, lead in leads.items():
            ends = self._wordings[name].sentence_words
            if lead and counts[lead] > 1 and sentences < len(ends):
                self._words[name] = min(ends[sentences], self._words[name] + _MOST_WORDS)

    def _lead(self, name: str) -> str:
        return self._wordings[name].take(self._words[name]).casefold()


def _first(wording: Wording) -> int:
    return min(wording.first_words, _MOST_WORDS)
