"""The words of a piece of Markdown, without the marks of links, code and emphasis."""

from __future__ import annotations

import re
from typing import Final

_CODE: Final = re.compile(r"(?<!`)(`{1,5})(?!`)((?:(?!`)[^\n])*+)\1(?!`)")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>]{0,500}+>|<!--(?:(?!-->)[^<]){0,500}+-->")
_LINK: Final = re.compile(r"!?\[([^\[\]]*+)\](?:\([^()\s]*+(?:[ \t][^()]*+)?\)|\[[^\[\]]*+\])")
_STRONG: Final = re.compile(r"(\*\*|__)(?=\S)([^*_]++)(?<=\S)\1")
_EMPHASIS: Final = re.compile(r"(?<![\w*])([*_])(?=[^\s*_])([^*_]++)(?<=\S)\1(?![\w*])")
_ESCAPE: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
_MOST_NESTED: Final = 2  # an image in a link
_LONGEST: Final = 2_000  # characters; more is no heading


def plain(source: str) -> str:
    """Return the words that a reader of the rendered text would see."""
    if len(source) > _LONGEST or not any(mark in source for mark in "`*_[<\\"):
        return source.strip()
    parts = _CODE.split(source)
    # Each match gives its marks and its content, after the text before it.
    words = [
        part.strip(" ") if number % 3 == 2 else _without_marks(part)  # noqa: PLR2004 (see above)
        for number, part in enumerate(parts)
        if number % 3 != 1
    ]
    return _outside_links("".join(words)).strip() or source.strip()


def _without_marks(text: str) -> str:
    text = _TAG.sub("", text)
    text = _STRONG.sub(r"\2", text)
    text = _EMPHASIS.sub(r"\2", text)
    return _ESCAPE.sub(r"\1", text)


def _outside_links(text: str) -> str:
    for _ in range(_MOST_NESTED):
        text = _LINK.sub(r"\1", text)
    return text
