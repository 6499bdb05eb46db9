"""One tool as `find_tools` shows it. What no query changes is worked out once."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final

from penstock.disclosure.described_tool import DescribedTool
from penstock.disclosure.schemas.signature import Parameters, parameters_of
from penstock.disclosure.texts import stems
from penstock.disclosure.texts.shortening import clipped, sentences

_SENTENCE_CHARS: Final = 240


class ToolCard:
    """A tool that may be found. Threads may share it."""

    def __init__(self, tool: DescribedTool) -> None:
        self.tool = tool
        self._parameters: dict[int, Parameters] = {}

    def hit(self, asked: frozenset[str], **more: str) -> dict[str, Any]:
        """Return the tool for a reply, with the sentence that matches the query."""
        server = {"server": self.tool.server} if self.tool.server else {}
        read_only = {"read_only": True} if self.tool.is_read_only else {}
        return {
            "name": self.tool.name,
            **server,
            "description": self._matching(asked),
            **read_only,
            **more,
        }

    def parameters(self, depth: int) -> Parameters:
        found = self._parameters.get(depth)
        if found is None:
            found = self._parameters[depth] = parameters_of(self.tool.schema, depth=depth)
        return found

    def _matching(self, asked: frozenset[str]) -> str:
        """Return the first sentence, and the sentence with the most words of the query that nothing
        else in the hit shows."""
        missing = asked - self._shown_words
        counts = [len(missing & words) for _, words in self._other_sentences] if missing else []
        told = [clipped(self._sentences[0], _SENTENCE_CHARS)]
        if most := max(counts, default=0):
            told.append(clipped(self._other_sentences[counts.index(most)][0], _SENTENCE_CHARS))
        return " ".join(told)

    @cached_property
    def _sentences(self) -> list[str]:
        return sentences(self.tool.description) or [""]

    @cached_property
    def _other_sentences(self) -> list[tuple[str, frozenset[str]]]:
        others = self._sentences[1:]
        return [(each, frozenset(stems.in_text(each))) for each in others]

    @cached_property
    def _shown_words(self) -> frozenset[str]:
        names = (self.tool.name, *self.tool.parameters)
        words = (word for name in names for word in stems.in_name(name))
        return frozenset(map(stems.stem, words)).union(stems.in_text(self._sentences[0]))
