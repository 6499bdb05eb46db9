"""Code in a page: the inside of a `pre` element, with its language."""

from __future__ import annotations

import re
from typing import Final

from penstock.core.results.formats.html.tokens import attributes

_LANGUAGE: Final = re.compile(
    r"(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-)?|brush:\s*)([\w+#.-]++)"
)
_NO_LANGUAGES: Final = frozenset(("default", "none", "text", "plaintext"))


class CodeSample:
    """Code whose end is not reached. White space counts in it."""

    def __init__(self, given: str) -> None:
        self.pieces: list[str] = []
        self.language = ""
        self._sample_end = -1  # the number of pieces at the end of a `code` element
        self._button = -1  # the number of pieces before a button
        self._note_language(given)

    @property
    def text(self) -> str:
        return "".join(self.pieces).removeprefix("\r").removeprefix("\n").rstrip()

    def open_sample(self, given: str) -> None:
        """Begin a line if one sample follows directly on another."""
        if self._sample_end == len(self.pieces):
            self.pieces.append("\n")
        self._note_language(given)

    def close_sample(self) -> None:
        self._sample_end = len(self.pieces)

    def open_button(self) -> None:
        self._button = len(self.pieces)

    def close_button(self) -> None:
        """Leave out the text of a button, which copies the code."""
        if self._button >= 0:
            del self.pieces[self._button :]

    def _note_language(self, given: str) -> None:
        if self.language or not given:
            return
        told = attributes(given)
        found = _LANGUAGE.search(told.get("class", ""))
        language = found[1] if found else told.get("data-lang", "") or told.get("data-language", "")
        self.language = "" if language in _NO_LANGUAGES else language
