"""Tools found by what they are for: a full-text index, made once for a catalogue.

The ranking is BM25F: a word counts the more the fewer tools have it, and the more telling the field
is that it stands in. A word of the question finds a tool by its best match: the word itself, a
related one, a longer one that begins with it, or, where there is none of these, one with a typo
less. A tool that all words find comes before one that a single word finds well. Neighbours in a
tool's name count once more together, and the whole name most.
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

from penstock.disclosure import search_words

# The numbers were tried on 100 requests to 150 tools. None is a knife's edge: a step aside, one
# request in a hundred finds another tool first.
_WEIGHTS: Final[Mapping[str, float]] = {
    "name": 5.0,
    "title": 2.5,
    "first sentence": 2.5,
    "other sentences": 0.6,
    "parameter names": 0.8,
    "parameter descriptions": 0.4,
    "choices": 0.5,
}
_HALF_EFFECT: Final = 3.0  # the weight of a word, over all fields, that has half the effect it can
_LENGTH_COUNTS: Final = (
    0.5  # 0: a word is worth the same in a long field; 1: as much less as it is longer
)

# What a match is worth beside the word itself.
_RELATED: Final = 0.5
_RELATED_ONLY: Final = 0.9  # where no tool has the word itself
_LONGER: Final = 0.3
_TYPO: Final = 0.7
_TOGETHER: Final = 0.6

# A question of any length takes a bounded time.
_QUESTION_CHARS: Final = 4_000
_MOST_TERMS: Final = 32
_MOST_LONGER: Final = 20
_SHORTEST_BEGINNING: Final = 3
_TYPO_LENGTHS: Final = range(6, 21)

_SENTENCE_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)[.!?](?=\s)|[\u3002\uff01\uff1f]|\n\s*\n")

# Positions of tools, each with how well it matches.
_Scores = dict[int, float]


class Parameter(msgspec.Struct, frozen=True):
    """What a tool takes."""

    name: str
    description: str = ""
    choices: tuple[str, ...] = ()


class Searchable(msgspec.Struct, frozen=True):
    """What a tool is found by."""

    name: str
    title: str = ""
    description: str = ""
    parameters: tuple[Parameter, ...] = ()


class Hit(NamedTuple):
    """A tool that was found, by its position in the catalogue."""

    position: int
    name: str
    score: float


class SearchIndex:
    """Nothing in it changes once it is made, so that threads may share it."""

    def __init__(self, tools: Sequence[Searchable]) -> None:
        self._names = [tool.name for tool in tools]
        shares = _word_shares([_fields(tool) for tool in tools])
        self._sorted = sorted(shares)
        _add_names(shares, self._names)
        self._found = _scored(shares, len(tools))

    def find(self, query: str, most: int = 10) -> list[Hit]:
        """The best first; of equals, the first in the catalogue."""
        asked = list(search_words.in_question(query[:_QUESTION_CHARS]).items())[:_MOST_TERMS]
        scores = _summed([self._matches(stem, last=stem == asked[-1][0]) for stem, _ in asked])
        for together in _joined([word for _, word in asked]):
            for position, score in self._found.get(together, {}).items():
                scores[position] = scores.get(position, 0.0) + _TOGETHER * score
        best = nsmallest(most, [(-score, position) for position, score in scores.items()])
        return [Hit(position, self._names[position], -score) for score, position in best]

    def _matches(self, term: str, *, last: bool) -> _Scores:
        own = self._found.get(term, {})
        longer = self._longer(term) if last else []
        if longer:
            return _best([(own, 1.0), *((self._found[word], _LONGER) for word in longer)])
        if own or len(term) not in _TYPO_LENGTHS:
            return own
        meant = self._found.keys() & search_words.one_typo_away(term)
        return _best((self._found[word], _TYPO) for word in meant)

    def _longer(self, term: str) -> list[str]:
        """Words that begin with the last one of a question, which may not be at its end yet."""
        if term.isascii() and len(term) < _SHORTEST_BEGINNING:
            return []
        start = bisect_right(self._sorted, term)
        following = self._sorted[start : start + _MOST_LONGER]
        return [word for word in following if word.startswith(term)]


def _summed(matches: Sequence[_Scores]) -> _Scores:
    """What the words add up to for each tool, and less of it the fewer of them found that tool."""
    finding = sum(map(bool, matches)) or 1
    shares = [math.sqrt(count / finding) for count in range(finding + 1)]
    counts = Counter(chain.from_iterable(matches))
    scores: _Scores = {}
    for found in matches:
        for position, score in found.items():
            scores[position] = scores.get(position, 0.0) + score * shares[counts[position]]
    return scores


def _best(alternatives: Iterable[tuple[_Scores, float]]) -> _Scores:
    """The best score of each tool, where every kind of match has its worth."""
    best: _Scores = {}
    for found, worth in alternatives:
        for position, score in found.items():
            if worth * score > best.get(position, 0.0):
                best[position] = worth * score
    return best


# -- the making of an index ------------------------------------------------------------------------


def _fields(tool: Searchable) -> dict[str, list[str]]:
    """The words of a tool by where they stand, under the names that the weights have."""
    description = tool.description.strip()
    end = _SENTENCE_END.search(description)
    first = end.end() if end else len(description)
    taken = tool.parameters
    return {
        "name": [search_words.stem(word) for word in search_words.in_name(tool.name)],
        "title": search_words.in_text(tool.title),
        "first sentence": search_words.in_text(description[:first]),
        "other sentences": search_words.in_text(description[first:]),
        "parameter names": [
            search_words.stem(word) for each in taken for word in search_words.in_name(each.name)
        ],
        "parameter descriptions": search_words.in_text(
            "\n".join(each.description for each in taken)
        ),
        "choices": search_words.in_text(
            "\n".join(choice for each in taken for choice in each.choices)
        ),
    }


def _word_shares(tools: Sequence[Mapping[str, Sequence[str]]]) -> dict[str, _Scores]:
    """How much each word tells about each tool, from 0 to 1."""
    usual = {field: _usual_length([tool[field] for tool in tools]) for field in _WEIGHTS}
    shares: dict[str, _Scores] = defaultdict(dict)
    for position, tool in enumerate(tools):
        for word, weight in _weighed(tool, usual).items():
            shares[word][position] = weight / (weight + _HALF_EFFECT)
    return shares


def _usual_length(fields: Sequence[Sequence[str]]) -> float:
    """The median of those that say anything: beside one of 100 kB no other becomes short."""
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
        for together, share in _joined(search_words.in_name(name)).items():
            found = shares.setdefault(together, {})
            found[position] = max(share, found.get(position, 0.0))


def _joined(parts: Sequence[str]) -> dict[str, float]:
    """Neighbours, and all in one, with their share of the whole: `pull request`, `pull_request` and
    `pullRequest` are the same."""
    pairs = {search_words.joined(pair): 2 / len(parts) for pair in pairwise(parts)}
    return {**pairs, search_words.joined(parts): 1.0} if pairs else {}


def _scored(shares: Mapping[str, _Scores], tools: int) -> dict[str, _Scores]:
    """What each word finds, by itself and by related words."""
    rarities = {word: _rarity(len(found), tools) for word, found in shares.items()}
    scores = {word: _best([(found, rarities[word])]) for word, found in shares.items()}
    for word, related in search_words.relations().items():
        known = [other for other in related if other in shares]
        # That few tools say `erase` where others say `delete` makes it no more telling.
        rarity = min((rarities[each] for each in (word, *known) if each in shares), default=0.0)
        worth = rarity * (_RELATED if word in shares else _RELATED_ONLY)
        others = [(shares[other], worth) for other in known]
        scores[word] = _best([(scores.get(word, {}), 1.0), *others])
    return scores


def _rarity(having: int, tools: int) -> float:
    return math.log1p((tools - having + 0.5) / (having + 0.5))
