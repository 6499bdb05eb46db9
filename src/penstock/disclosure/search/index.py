"""A full-text index that finds tools by their purpose, made once for a catalogue.

The ranking is BM25F: a word counts more if few tools have it, and if its field says much about a
tool. Each word of a query counts by its best match in a tool: the word itself, a related word, a
longer word that begins with it, or, if there are none, a word that differs by one typo. A tool that
all words of the query match ranks above a tool that one word matches well. Adjacent words of a
tool's name count again as a pair, and the whole name counts most. A tool whose effect the query does
not ask for ranks lower (`search_effects`).
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import chain, pairwise
from statistics import median
from typing import Final, NamedTuple

import msgspec

from penstock.disclosure.search.effects import QueryIntent, ToolEffect
from penstock.disclosure.texts import stems

# The numbers were tuned with 100 requests to 150 tools. None is critical: a small change of one
# changes the first tool for about one request in a hundred.
_WEIGHTS: Final[Mapping[str, float]] = {
    "name": 5.0,
    "title": 2.5,
    "first sentence": 2.5,
    "other sentences": 0.6,
    "parameter names": 0.8,
    "parameter descriptions": 0.4,
    "choices": 0.5,
}
_HALF_EFFECT: Final = 3.0  # the weight of a word, over all fields, that gives half the top score
_LENGTH_COUNTS: Final = 0.5  # 0: a field's length has no effect; 1: it divides a word's weight

# The score of other matches, relative to a match of the word itself.
_RELATED: Final = 0.5
_RELATED_ONLY: Final = 0.9  # if no tool has the word itself
_LONGER: Final = 0.3
_TYPO: Final = 0.7
_TOGETHER: Final = 0.6

# Limits that bound the time for a query of any length.
_QUESTION_CHARS: Final = 4_000
_MOST_TERMS: Final = 32
_MOST_LONGER: Final = 20
_SHORTEST_BEGINNING: Final = 3
_TYPO_LENGTHS: Final = range(6, 21)

_SENTENCE_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)[.!?](?=\s)|[\u3002\uff01\uff1f]|\n\s*\n")

# The score of each tool, by its position in the catalogue.
_Scores = dict[int, float]


class Parameter(msgspec.Struct, frozen=True):
    """A parameter of a tool."""

    name: str
    description: str = ""
    choices: tuple[str, ...] = ()


class Searchable(msgspec.Struct, frozen=True):
    """The texts by which a tool is found."""

    name: str
    title: str = ""
    description: str = ""
    parameters: tuple[Parameter, ...] = ()
    effect: ToolEffect = ToolEffect.UNKNOWN


class Hit(NamedTuple):
    """A tool that was found, by its position in the catalogue."""

    position: int
    name: str
    score: float


class SearchIndex:
    """A full-text index of tools. It never changes, so that threads may share it."""

    def __init__(self, tools: Sequence[Searchable]) -> None:
        self._names = [tool.name for tool in tools]
        self._effects = [tool.effect for tool in tools]
        shares = _word_shares([_fields(tool) for tool in tools])
        self._sorted = sorted(shares)
        _add_names(shares, self._names)
        self._found = _scored(shares, len(tools))

    def find(self, query: str, most: int = 10) -> list[Hit]:
        """Return the best tools, best first. Equal tools keep the order of the catalogue."""
        asked = list(stems.in_question(query[:_QUESTION_CHARS]).items())[:_MOST_TERMS]
        scores = _summed([self._matches(stem, last=stem == asked[-1][0]) for stem, _ in asked])
        for together in _joined([word for _, word in asked]):
            for position, score in self._found.get(together, {}).items():
                scores[position] = scores.get(position, 0.0) + _TOGETHER * score
        intent = QueryIntent([stem for stem, _ in asked])
        worths = {effect: intent.worth_of(effect) for effect in ToolEffect}
        best = nsmallest(
            most,
            [
                (-score * worths[self._effects[position]], position)
                for position, score in scores.items()
            ],
        )
        return [Hit(position, self._names[position], -score) for score, position in best]

    def _matches(self, term: str, *, last: bool) -> _Scores:
        own = self._found.get(term, {})
        longer = self._longer(term) if last else []
        if longer:
            return _best([(own, 1.0), *((self._found[word], _LONGER) for word in longer)])
        if own or len(term) not in _TYPO_LENGTHS:
            return own
        meant = self._found.keys() & stems.one_typo_away(term)
        return _best((self._found[word], _TYPO) for word in meant)

    def _longer(self, term: str) -> list[str]:
        """Return words that begin with the last word of a query, which may be incomplete."""
        if term.isascii() and len(term) < _SHORTEST_BEGINNING:
            return []
        start = bisect_right(self._sorted, term)
        following = self._sorted[start : start + _MOST_LONGER]
        return [word for word in following if word.startswith(term)]


def _summed(matches: Sequence[_Scores]) -> _Scores:
    """Return the sum of each tool's scores, reduced for each word that did not find the tool."""
    finding = sum(map(bool, matches)) or 1
    shares = [math.sqrt(count / finding) for count in range(finding + 1)]
    counts = Counter(chain.from_iterable(matches))
    scores: _Scores = {}
    for found in matches:
        for position, score in found.items():
            scores[position] = scores.get(position, 0.0) + score * shares[counts[position]]
    return scores


def _best(alternatives: Iterable[tuple[_Scores, float]]) -> _Scores:
    """Return the best score of each tool, after each kind of match is weighted by its worth."""
    best: _Scores = {}
    for found, worth in alternatives:
        for position, score in found.items():
            if worth * score > best.get(position, 0.0):
                best[position] = worth * score
    return best


# -- the making of an index ------------------------------------------------------------------------


def _fields(tool: Searchable) -> dict[str, list[str]]:
    """Return the words of a tool by field. The fields have the names in `_WEIGHTS`."""
    description = tool.description.strip()
    end = _SENTENCE_END.search(description)
    first = end.end() if end else len(description)
    taken = tool.parameters
    return {
        "name": [stems.stem(word) for word in stems.in_name(tool.name)],
        "title": stems.in_text(tool.title),
        "first sentence": stems.in_text(description[:first]),
        "other sentences": stems.in_text(description[first:]),
        "parameter names": [
            stems.stem(word) for each in taken for word in stems.in_name(each.name)
        ],
        "parameter descriptions": stems.in_text("\n".join(each.description for each in taken)),
        "choices": stems.in_text("\n".join(choice for each in taken for choice in each.choices)),
    }


def _word_shares(tools: Sequence[Mapping[str, Sequence[str]]]) -> dict[str, _Scores]:
    """Return how much each word says about each tool, from 0 to 1."""
    usual = {field: _usual_length([tool[field] for tool in tools]) for field in _WEIGHTS}
    shares: dict[str, _Scores] = defaultdict(dict)
    for position, tool in enumerate(tools):
        for word, weight in _weighed(tool, usual).items():
            shares[word][position] = weight / (weight + _HALF_EFFECT)
    return shares


def _usual_length(fields: Sequence[Sequence[str]]) -> float:
    """Return the median length of non-empty fields. One of 100 kB would distort a mean."""
    return median([len(field) for field in fields if field] or [1])


def _weighed(
    tool: Mapping[str, Sequence[str]], usual: Mapping[str, float]
) -> defaultdict[str, float]:
    weights: defaultdict[str, float] = defaultdict(float)
    for field, weight in _WEIGHTS.items():
        longer = len(tool[field]) / usual[field]
        each = weight / (1 - _LENGTH_COUNTS + _LENGTH_COUNTS * longer)
        for word in tool[field]:
            weights[word] += each
    return weights


def _add_names(shares: dict[str, _Scores], names: Sequence[str]) -> None:
    for position, name in enumerate(names):
        for together, share in _joined(stems.in_name(name)).items():
            found = shares.setdefault(together, {})
            found[position] = max(share, found.get(position, 0.0))


def _joined(parts: Sequence[str]) -> dict[str, float]:
    """Return each adjacent pair of words and all words, joined, with their share of the whole. So
    `pull request`, `pull_request` and `pullRequest` are the same."""
    pairs = {stems.joined(pair): 2 / len(parts) for pair in pairwise(parts)}
    return {**pairs, stems.joined(parts): 1.0} if pairs else {}


def _scored(shares: Mapping[str, _Scores], tools: int) -> dict[str, _Scores]:
    """Return the scores of the tools that each word finds, itself or through related words."""
    rarities = {word: _rarity(len(found), tools) for word, found in shares.items()}
    scores = {word: _best([(found, rarities[word])]) for word, found in shares.items()}
    for word, related in stems.relations().items():
        known = [other for other in related if other in shares]
        # If few tools say `erase` and many say `delete`, `erase` is not more significant.
        rarity = min((rarities[each] for each in (word, *known) if each in shares), default=0.0)
        worth = rarity * (_RELATED if word in shares else _RELATED_ONLY)
        others = [(shares[other], worth) for other in known]
        scores[word] = _best([(scores.get(word, {}), 1.0), *others])
    return scores


def _rarity(having: int, tools: int) -> float:
    return math.log1p((tools - having + 0.5) / (having + 0.5))
