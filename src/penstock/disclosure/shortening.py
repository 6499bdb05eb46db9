"""A long description made short: what a tool does, in its author's own first words."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from penstock.disclosure.prose import paragraphs

ELLIPSIS: Final = "…"
# No list and no summary has room for more of one description, and a server may send megabytes.
LONGEST: Final = 20_000

# Where there are no spaces, a word is a character, with the punctuation and the signs that belong to it.
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

# These end in a full stop and go on; the capitalised ones only where they are.
_SHORT_FORMS: Final = frozenset(
    {"al", "approx", "ca", "cf", "dept", "eq", "esp", "excl", "fig", "incl", "resp", "viz", "vs",
     "Co", "Corp", "Dr", "Inc", "Jr", "Ltd", "Mr", "Mrs", "Ms", "Mt", "Prof", "Sr", "St"}
)  # fmt: skip
_BEFORE_NUMBERS: Final = frozenset(
    {"art", "ch", "chap", "max", "min", "no", "nos", "p", "pp", "sec", "ver", "vol"}
)
_INITIALS: Final = re.compile(r"[A-Z]|[^\W\d_](?:\.[^\W\d_])++")  # J. Smith, U.S., e.g., i.e.

_JOINER: Final = "\u200d"
_SKIN_TONES: Final = ("\U0001f3fb", "\U0001f3ff")


def plain(text: str) -> str:
    """The words alone, in one line."""
    return " ".join(paragraphs(text[:LONGEST]))


def first_sentence(text: str) -> str:
    """The first sentence, whole; where none ends, the first paragraph."""
    wording = Wording(text)
    return wording.take(wording.first_words)


class Wording:
    """A description in ever more of its words, so that a budget can be filled to the last one.

    `words` is how many there are, `first_words` how many the first sentence has.
    """

    def __init__(self, text: str) -> None:
        lines = paragraphs(text[:LONGEST])
        self._plain = " ".join(lines)
        self._ends = [0]  # of no words, of one, of two ...
        self._sentence_ends = [0]
        self.first_words = 0
        start = 0
        for line in lines:
            for end, is_sentence_end in _words(line):
                self._ends.append(start + end)
                if is_sentence_end:
                    self._sentence_ends.append(start + end)
                    self.first_words = self.first_words or self.words
            start += len(line) + 1

    @property
    def words(self) -> int:
        return len(self._ends) - 1

    def take(self, words: int) -> str:
        """The first so many words, marked as cut unless a sentence ends there."""
        taken = self._plain[: self._ends[max(0, min(words, self.words))]]
        sentences = self._sentence_ends[bisect_right(self._sentence_ends, len(taken)) - 1]
        # What stands at the cut and only leads on to more goes with it, but not whole sentences.
        bare = taken.rstrip(_DANGLING)
        return taken[:sentences] if len(bare) <= sentences else _cut(bare)


def clipped(text: str, most_chars: int) -> str:
    """At most so many characters, cut between words; inside one only where it is the first."""
    if len(text) <= most_chars:
        return text
    if most_chars < len(ELLIPSIS):
        return ""
    room = most_chars - len(ELLIPSIS)
    # One character more than there is room for tells whether the last word is whole.
    ends = [word.end() for word in _WORD.finditer(text[: room + 1]) if word.end() <= room]
    return _cut(text[: _character_end(text, ends[-1] if ends else room)])


def _cut(text: str) -> str:
    return text.rstrip(_DANGLING + "." + ELLIPSIS) + ELLIPSIS


def _character_end(text: str, cut: int) -> int:
    """The last place up to `cut` that is not inside of what is seen as one character."""
    while cut > 0 and _is_one(text[cut - 1], text[cut]):
        cut -= 1
    return cut


def _is_one(left: str, right: str) -> bool:
    is_pair = "\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff"
    is_sign = unicodedata.category(right).startswith("M")
    is_toned = _SKIN_TONES[0] <= right <= _SKIN_TONES[1]
    return is_pair or is_sign or is_toned or _JOINER in (left, right)


def _words(line: str) -> Iterator[tuple[int, bool]]:
    """Where each word of a paragraph ends, and whether a sentence does."""
    words = [*_WORD.finditer(line)]
    followings = [*(word[0] for word in words[1:]), ""]
    begins = True
    for word, following in zip(words, followings, strict=True):
        begins = not following or _ends_sentence(word[0], following, begins=begins)
        yield word.end(), begins


def _ends_sentence(word: str, following: str, *, begins: bool) -> bool:
    """Whether a sentence ends with a word; `begins` is whether one begins with it."""
    core = word.rstrip(_CLOSING)
    if core.endswith(_STOPS):
        return True
    stem, stop = core[:-1].lstrip(_OPENING), core[-1:]
    next_begins = following.lstrip(_OPENING)[:1]
    if stop not in {".", "!", "?"} or not stem or stem.endswith(".") or next_begins.islower():
        return False
    return stop != "." or not _goes_on(stem, next_begins, begins=begins)


def _goes_on(stem: str, next_begins: str, *, begins: bool) -> bool:
    """Whether a full stop belongs to a short form, to initials, or to the number of an item."""
    if stem.isdigit():
        return begins
    if next_begins.isdigit() and stem.lower() in _BEFORE_NUMBERS:
        return True
    is_short = stem in _SHORT_FORMS or stem.lower() in _SHORT_FORMS
    return is_short or _INITIALS.fullmatch(stem) is not None
