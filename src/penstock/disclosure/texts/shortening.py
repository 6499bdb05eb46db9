"""A description cut to its first words, which say what the tool does."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from penstock.disclosure.texts.prose import paragraphs

ELLIPSIS: Final = "…"
# No list or summary has room for more of one description, and a server may send megabytes.
LONGEST: Final = 20_000

# In scripts without spaces, a word is one character with its punctuation and combining signs.
_UNSPACED: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u3098\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff"
)
_STOPS: Final = ("\u3002", "\uff01", "\uff0e", "\uff1f", "\uff61")
_PUNCTUATION: Final = (
    "".join(_STOPS) + "\u3001\u3009\u300b\u300d\u300f\u3011\uff09\uff0c\uff1a\uff1b"
)
_SIGNS: Final = "\u0300-\u036f\u3099\u309a\uff9e\uff9f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_WORD: Final = re.compile(
    rf"[{_UNSPACED}][{_SIGNS}{_PUNCTUATION}.,:;!?)\]\"']*+"
    rf"|[^\s{_UNSPACED}{_PUNCTUATION}]++[{_SIGNS}{_PUNCTUATION}]*+"
    rf"|[{_PUNCTUATION}][{_SIGNS}{_PUNCTUATION}]*+"
)
_OPENING: Final = "\"'([{«“\u2018"
_CLOSING: Final = "\"')]}»”’\u300d\u300f\uff09"
_DANGLING: Final = " ,;:-–—/&([{«“\u2018\u3001\uff0c\u300c\u300e\uff08"

# A full stop after these does not end a sentence. The capitalised ones need their capital.
_SHORT_FORMS: Final = frozenset(
    {"al", "approx", "ca", "cf", "dept", "eq", "esp", "excl", "fig", "incl", "resp", "viz", "vs",
     "Co", "Corp", "Dr", "Inc", "Jr", "Ltd", "Mr", "Mrs", "Ms", "Mt", "Prof", "Sr", "St"}
)  # fmt: skip
_BEFORE_NUMBERS: Final = frozenset(
    {"art", "ch", "chap", "max", "min", "no", "nos", "p", "pp", "sec", "ver", "vol"}
)
_INITIALS: Final = re.compile(r"[A-Z]|[^\W\d_](?:\.[^\W\d_])++")  # J. Smith, U.S., e.g., i.e.

_ITEM: Final = re.compile(r"[-*+•‣–]|\d{1,3}[.)]")  # the first word of a list item

_JOINER: Final = "\u200d"
_SKIN_TONES: Final = ("\U0001f3fb", "\U0001f3ff")


def plain(text: str) -> str:
    """Return the words of a description in one line, without markup."""
    return " ".join(paragraphs(text[:LONGEST]))


def sentences(text: str) -> list[str]:
    """Return the sentences of a description, and its paragraphs that no sentence ends."""
    return Wording(text).sentences


def first_sentence(text: str) -> str:
    """Return the first sentence, or the first paragraph if no sentence ends in it."""
    wording = Wording(text)
    return wording.take(wording.first_words)


class Wording:
    """A description that can be cut after any word, so that it fills a budget to the last word."""

    def __init__(self, text: str, *, is_markup: bool = True) -> None:
        """Read a text. With `is_markup`, its marks are removed. The text of a parameter needs its
        signs: `> 0`, `* for all`."""
        shown = text[:LONGEST]
        lines = paragraphs(shown) if is_markup else _as_written(shown)
        self._plain = (" " if is_markup else "\n").join(lines)
        self._ends = [0]  # the end of no words, of one word, of two words, …
        self._sentence_ends = [0]
        self.sentence_words = [0]  # the number of words in no sentences, in one, in two, …
        start = 0
        for line in lines:
            for end, is_sentence_end in _words(line):
                self._ends.append(start + end)
                if is_sentence_end:
                    self._sentence_ends.append(start + end)
                    self.sentence_words.append(self.words)
            start += len(line) + 1

    @property
    def words(self) -> int:
        return len(self._ends) - 1

    @property
    def first_words(self) -> int:
        """The number of words in the first sentence."""
        return self.sentence_words[min(1, len(self.sentence_words) - 1)]

    @property
    def sentences(self) -> list[str]:
        return [piece.strip() for piece in self.pieces]

    @property
    def pieces(self) -> list[str]:
        """The sentences, each with the space or the line break before it."""
        return [self._plain[start:end] for start, end in pairwise(self._sentence_ends)]

    def take(self, words: int) -> str:
        """Return the first words, with an ellipsis unless a sentence ends there."""
        taken = self._plain[: self._ends[max(0, min(words, self.words))]]
        sentences = self._sentence_ends[bisect_right(self._sentence_ends, len(taken)) - 1]
        # Remove punctuation that leads on to the next words, but no part of a whole sentence.
        bare = taken.rstrip(_DANGLING)
        return taken[:sentences] if len(bare) <= sentences else _cut(bare)


def clipped(text: str, most_chars: int) -> str:
    """Return at most `most_chars` characters, cut between words. Only the first word may be cut."""
    if len(text) <= most_chars:
        return text
    if most_chars < len(ELLIPSIS):
        return ""
    room = most_chars - len(ELLIPSIS)
    # One character beyond the room shows whether the last word is whole.
    ends = [word.end() for word in _WORD.finditer(text[: room + 1]) if word.end() <= room]
    return _cut(text[: _character_end(text, ends[-1] if ends else room)])


def _as_written(text: str) -> list[str]:
    """Return the paragraphs and list items of a text, each as one line with all its signs."""
    parts: list[list[str]] = [[]]
    for line in text.splitlines():
        words = line.split()
        if not words or _ITEM.fullmatch(words[0]):
            parts.append([])
        parts[-1] += words
    return [" ".join(words) for words in parts if words]


def _cut(text: str) -> str:
    return text.rstrip(_DANGLING + "." + ELLIPSIS) + ELLIPSIS


def _character_end(text: str, cut: int) -> int:
    """Return the last position up to `cut` that does not split a visible character."""
    while cut > 0 and _is_one(text[cut - 1], text[cut]):
        cut -= 1
    return cut


def _is_one(left: str, right: str) -> bool:
    is_pair = "\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff"
    is_sign = unicodedata.category(right).startswith("M")
    is_toned = _SKIN_TONES[0] <= right <= _SKIN_TONES[1]
    return is_pair or is_sign or is_toned or _JOINER in (left, right)


def _words(line: str) -> Iterator[tuple[int, bool]]:
    """Yield where each word of a paragraph ends, and whether a sentence ends there too."""
    words = [*_WORD.finditer(line)]
    followings = [*(word[0] for word in words[1:]), ""]
    begins = True
    for word, following in zip(words, followings, strict=True):
        begins = not following or _ends_sentence(word[0], following, begins=begins)
        yield word.end(), begins


def _ends_sentence(word: str, following: str, *, begins: bool) -> bool:
    """Return whether a sentence ends with this word. `begins`: a sentence begins with it."""
    core = word.rstrip(_CLOSING)
    if core.endswith(_STOPS):
        return True
    stem, stop = core[:-1].lstrip(_OPENING), core[-1:]
    next_begins = following.lstrip(_OPENING)[:1]
    if stop not in {".", "!", "?"} or not stem or stem.endswith(".") or next_begins.islower():
        return False
    return stop != "." or not _goes_on(stem, next_begins, begins=begins)


def _goes_on(stem: str, next_begins: str, *, begins: bool) -> bool:
    """Return whether a full stop belongs to an abbreviation, initials or an item's number."""
    if stem.isdigit():
        return begins
    if next_begins.isdigit() and stem.lower() in _BEFORE_NUMBERS:
        return True
    is_short = stem in _SHORT_FORMS or stem.lower() in _SHORT_FORMS
    return is_short or _INITIALS.fullmatch(stem) is not None
