"""Removal of the marks inside a paragraph: emphasis, code, links, tags, entities.

Text that only looks like a mark stays, as a model acts on it: *.py, **kwargs, snake_case, <owner>.

Descriptions come from anywhere, so the time must be linear in their length. If you edit an
expression: it must look no further than the next mark of its own kind, and never backtrack (`*+`).
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from typing import Final

_MARK: Final = re.compile(
    r"""(?P<code>`++)
    | (?P<escape>\\[!-/:-@\[-`{-~])
    | <(?P<address>https?://[^<>\s]++)>
    | </?(?P<tag>[A-Za-z][\w-]*+)(?:\s[^<>]*+)?/?>
    | (?P<bracket>!?\[)
    | (?P<target>\]\([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+(?:\s++"[^"]*+")?\s*+\))
    | (?P<emphasis>\*++|_++|~~++)
    | (?P<entity>&(?:\#\d{1,7}|\#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});)
    """,
    re.VERBOSE,
)
_BACKTICKS: Final = re.compile("`++")
_CLOSING_TAG: Final = re.compile(r"</([A-Za-z][\w-]*+)\s*+>")
_NEVER_CLOSED: Final = frozenset({"br", "hr", "img", "p", "li", "dt", "dd", "tr", "td", "th"})
_INSIDE_A_LINE: Final = frozenset(
    {"a", "abbr", "b", "big", "cite", "code", "del", "em", "font", "i", "img", "ins", "kbd", "mark",
     "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var"}
)  # fmt: skip

_LONGEST_EMPHASIS: Final = 3
_NO_BEGINNING: Final = frozenset("./-,;:!?)]}|=>")  # *.py, **/a, */5
_NO_END: Final = frozenset("([{/")
_AROUND: Final = frozenset("\"'()[]{}")  # "*", (*)
_FIRST_UNSPACED: Final = "\u2e80"  # the first of the scripts without spaces between words


def without_comments(text: str) -> str:
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + len("-->")
    return "".join([*kept, text[at:]])


def closed_tags(text: str) -> frozenset[str]:
    return frozenset(name.lower() for name in _CLOSING_TAG.findall(text))


def unmarked(text: str, closed: Collection[str]) -> str:
    """Return a paragraph without its marks, and with a line break where a tag makes one. `closed`
    names the tags that the text closes somewhere. Any other tag is a placeholder."""
    return _Unmarked(text, closed).text


class _Unmarked:
    """A paragraph in pieces. An opening mark's piece is emptied when its closing mark is found."""

    def __init__(self, marked: str, closed: Collection[str]) -> None:
        self._marked = marked
        self._closed = closed
        self._pieces: list[str] = []
        self._brackets: list[int] = []  # pieces that may begin a link
        self._emphases: dict[str, list[int]] = {
            "*": [],
            "_": [],
            "~": [],
        }  # pieces that may begin emphasis
        self.text = self._read()

    def _read(self) -> str:
        at, ends_of_code = 0, _ends_of_code(self._marked)
        while mark := _MARK.search(self._marked, at):
            self._pieces.append(self._marked[at : mark.start()])
            if end := ends_of_code.get(mark.start()):
                self._pieces.append(self._marked[mark.end() : end])
                at = end + len(mark[0])
            else:
                self._pieces.append(self._piece(mark))
                at = mark.end()
        return "".join([*self._pieces, self._marked[at:]])

    def _piece(self, mark: re.Match[str]) -> str:
        """Return the text that replaces a mark."""
        match mark.lastgroup:
            case "escape":
                return mark[0][1]
            case "address":
                return mark["address"]
            case "entity":
                return html.unescape(mark[0])
            case "tag":
                return self._tag(mark)
            case "bracket":
                self._brackets.append(len(self._pieces))
            case "target" if self._brackets:
                self._pieces[self._brackets.pop()] = ""
                return ""
            case "emphasis" if len(mark[0]) <= _LONGEST_EMPHASIS:
                return self._emphasis(mark)
        return mark[0]

    def _tag(self, mark: re.Match[str]) -> str:
        name = mark["tag"].lower()
        if name not in self._closed and name not in _NEVER_CLOSED:
            return mark[0]
        return "" if name in _INSIDE_A_LINE else "\n"

    def _emphasis(self, mark: re.Match[str]) -> str:
        before = self._marked[max(0, mark.start() - 1) : mark.start()]
        after = self._marked[mark.end() : mark.end() + 2]
        left = self._closed_by(mark[0]) if _can_close(mark[0][0], before, after) else mark[0]
        if left and _can_open(before, after):
            self._emphases[left[0]].append(len(self._pieces))
        return left

    def _closed_by(self, run: str) -> str:
        """Return the rest of a closing run. Each of its marks cancels one opening mark."""
        waiting = self._emphases[run[0]]
        while run and waiting:
            opened = self._pieces[waiting[-1]]
            met = min(len(run), len(opened))
            run, self._pieces[waiting[-1]] = run[met:], opened[met:]
            if met == len(opened):
                waiting.pop()
        return run


def _ends_of_code(text: str) -> dict[int, int]:
    """Return where each code span begins and ends. The next run of as many backticks closes it."""
    ends: dict[int, int] = {}
    next_of_length: dict[int, int] = {}
    for run in reversed([*_BACKTICKS.finditer(text)]):
        length = len(run[0])
        if length in next_of_length:
            ends[run.start()] = next_of_length[length]
        next_of_length[length] = run.start()
    return ends


def _can_open(before: str, after: str) -> bool:
    begins_a_word = after[:1].strip() and after[0] not in _NO_BEGINNING
    return bool(begins_a_word) and not _joins(before) and not _is_enclosed(before, after)


def _can_close(mark: str, before: str, after: str) -> bool:
    ends_a_word = before.strip() and before not in _NO_END and not _joins(after[:1])
    is_name = mark == "_" and (after[:1] == "(" or (after[:1] == "." and _joins(after[1:])))
    return bool(ends_a_word) and not is_name and not _is_enclosed(before, after)


def _is_enclosed(before: str, after: str) -> bool:
    return before in _AROUND and after[:1] in _AROUND


def _joins(character: str) -> bool:
    return character.isalnum() and character < _FIRST_UNSPACED
