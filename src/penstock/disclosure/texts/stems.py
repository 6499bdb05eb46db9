"""Words as the search compares them: split, lower-cased and stemmed, in tools and in queries."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from string import ascii_lowercase
from typing import Final

_LONGEST_WORD: Final = 64
# The time to normalise a run of combining marks grows with its square, so texts are cut in pieces.
_PIECE: Final = 1_000

# Scripts that write without spaces, and Korean, which joins particles to words: cut in pairs.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30fa\u30fc-\u30ff\u3400-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# Signs inside a word of Latin, Hebrew, Arabic and Indic script that `\w` does not match.
_MARKS: Final = "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
_LETTERS: Final = rf"[^\W_{_UNSPACED}]"
_RUN = re.compile(rf"([{_UNSPACED}]+)|{_LETTERS}+(?:[{_MARKS}]+{_LETTERS}*)*")
# The seams in createIssue, HTTPServer and s3.
_HUMP: Final = r"(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
_SEAM = re.compile(rf"{_HUMP}|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[a-z])")
_IDENTIFIER = re.compile(r"\b[a-z][a-z\d]*[A-Z]\w*")

_COMMON_WORDS: Final = """
a about all also am an and another any are as at be been between but by can could did do does each
for from had has have how i if in into is it its just let may me more my need of on one only or other
our out over please should so some such than that the their them then there these they this those to
two under up us use used uses using via want was we were what when where which who will with would
you your
"""
_COMMON: Final = frozenset(_COMMON_WORDS.split())

# Each line holds words that can mean the same. Only everyday words: a wrong relation does more harm
# than a missing one.
_RELATED: Final = """
create add new make insert generate open
delete remove drop erase clear cancel destroy
list show get fetch read view display retrieve see open
list get what which
update edit modify change set replace
search find query lookup look locate grep
send post submit deliver
run execute invoke launch start trigger
stop cancel abort kill end terminate
write save store
copy duplicate clone
move rename
upload push
download fetch pull
compare diff difference
schedule book arrange create
reply answer respond
merge combine join
close resolve finish complete
email mail message
folder directory
repo repository
doc document
db database
picture image photo
issue ticket bug
meeting event appointment
user person member people
task todo
site website page webpage
pr pull
log history
"""


def in_text(text: str) -> list[str]:
    """Return the stems of a text's words in order, without common words."""
    return [stem(word) for word in _text_words(text) if word not in _COMMON]


def in_name(name: str) -> list[str]:
    """Return the words of an identifier in order, not stemmed."""
    return list(_runs(_SEAM.sub(" ", _compatible(name))))


def in_question(text: str) -> dict[str, str]:
    """Return each stem in a query with its word, without common words. `what` and `which` stay,
    because they ask for a list. A query of common words only (`who am i`) keeps all of them."""
    given = {stem(word): word for word in _text_words(text)}
    telling = {
        base: word for base, word in given.items() if word not in _COMMON or base in relations()
    }
    return telling or given


def joined(parts: Iterable[str]) -> str:
    """Return the words of a name or a query, joined into one."""
    return stem("".join(parts)[:_LONGEST_WORD])


@cache
def relations() -> dict[str, frozenset[str]]:
    """Return the words that are related to each word, all of them stemmed."""
    groups = [frozenset(map(stem, line.split())) for line in _RELATED.strip().splitlines()]
    return {
        word: frozenset().union(*(group for group in groups if word in group)) - {word}
        for group in groups
        for word in group
    }


def one_typo_away(word: str) -> Iterator[str]:
    """Yield the word with one letter removed, swapped, replaced or added. New letters are Latin."""
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        if tail:
            yield head + tail[1:]
            yield head + tail[1:2] + tail[:1] + tail[2:]
        for letter in ascii_lowercase:
            yield head + letter + tail[1:]
            yield head + letter + tail


def _text_words(text: str) -> Iterator[str]:
    """Yield the words of a text. An identifier (createIssue) counts as a whole and in parts. Other
    words with capitals are not split: GitHub is not about git."""
    both = _IDENTIFIER.sub(
        lambda found: f"{found[0]} {_SEAM.sub(' ', found[0])}", _compatible(text)
    )
    return _runs(both)


def _compatible(text: str) -> str:
    if text.isascii():
        return text
    pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
    return "".join(unicodedata.normalize("NFKC", piece) for piece in pieces)


def _runs(text: str) -> Iterator[str]:
    for run in _RUN.finditer(text.lower()):
        word = run[0]
        if run[1]:
            yield from (word[start : start + 2] for start in range(len(word)))
        else:
            yield word[:_LONGEST_WORD]


# -- stems: the first and last steps of Porter's algorithm, which do not turn a word into another --

# Words that only look like a plural, a participle or a gerund.
_AS_IT_IS: Final = frozenset({"news", "alias", "canvas", "setting", "building", "embed"})
_SHORTEST_STEM: Final = 3
_VOWEL = re.compile("[aeiouy]")
_SYLLABLE = re.compile("[aeiouy]+[^aeiouy]+")
_SHORT_SYLLABLE = re.compile("[^aeiouy][aeiouy][^aeiouywx]$")


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    if not (word.isascii() and word.isalpha()) or len(word) < _SHORTEST_STEM:
        return word
    singular = _singular(word)
    return singular if singular in _AS_IT_IS else _bare(_present(singular))


def _singular(word: str) -> str:
    if word in _AS_IT_IS or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word.removesuffix("s")


def _present(word: str) -> str:
    """Return the base of a participle or gerund: `create` for created and creating."""
    base = re.sub("(?<!e)ed$|ing$", "", word)
    if base == word or len(base) < _SHORTEST_STEM or not _VOWEL.search(base):
        return word
    if base[-1] == base[-2] and base[-1] not in "lsz" and len(base) > _SHORTEST_STEM:
        return base[:-1]
    return base + "e" if _is_short(base) else base


def _bare(word: str) -> str:
    """Remove the letters that change with an ending: delete, deleting; query, queries."""
    if word.endswith("e"):
        base = word[:-1]
        keeps = len(base) < _SHORTEST_STEM or not _SYLLABLE.search(base) or _is_short(base)
        return word if keeps else base
    if word.endswith("y") and not _VOWEL.match(word[-2]):
        return word[:-1] + "i"
    return word[:-1] if word.endswith("ll") and len(_SYLLABLE.findall(word)) > 1 else word


def _is_short(base: str) -> bool:
    """Return whether a base is one short syllable, which takes an e: mov(e), not edit(e)."""
    return len(_SYLLABLE.findall(base)) == 1 and bool(_SHORT_SYLLABLE.search(base))
