"""Readable text from the tags of a page: blocks, lists, links, images and code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from penstock.core.results.formats.html.code import CodeSample
from penstock.core.results.formats.html.elements import BLOCKS, LISTS
from penstock.core.results.formats.html.flow import TextFlow
from penstock.core.results.formats.html.tokens import attributes

# Takes a reader, the name of a tag, and its attributes.
TagAction = Callable[[Any, str, str], None]


class TextReader:
    """A reader of tags that shape text. A class with tables and headings builds on it."""

    def __init__(self) -> None:
        self._flow = TextFlow()  # where text goes now
        self._code: list[dict[str, str]] = []
        self._open_code: CodeSample | None = None
        self._mark = ""  # before the next text: "^" if it is raised

    def _text(self, text: str) -> None:
        if self._open_code is not None:
            self._open_code.pieces.append(text)
            return
        if self._mark and text.strip():
            text = self._mark + text.lstrip()
            self._mark = ""
        self._flow.pieces.append(text)

    def _block(self, _name: str = "", _given: str = "") -> None:
        self._flow.end_line()

    def _line_break(self, _name: str, _given: str) -> None:
        if self._open_code is None:
            self._flow.end_line()
        else:
            self._open_code.pieces.append("\n")

    def _open_raised(self, name: str, _given: str) -> None:
        is_after_word = bool(self._flow.pieces) and self._flow.pieces[-1][-1:].isalnum()
        self._mark = ("^" if name == "sup" else "_") if is_after_word else ""

    def _close_raised(self, _name: str, _given: str) -> None:
        self._mark = ""

    def _open_link(self, _name: str, given: str) -> None:
        self._flow.close_link()
        if given and self._open_code is None:
            self._flow.open_link(attributes(given).get("href", ""))

    def _close_link(self, _name: str, _given: str) -> None:
        if self._open_code is None:
            self._flow.close_link()

    def _image(self, _name: str, given: str) -> None:
        alt = attributes(given).get("alt", "").strip()
        if alt:
            self._text(f"[image: {alt}]")

    def _open_list(self, name: str, _given: str) -> None:
        self._block()
        self._flow.open_list(is_numbered=name == "ol")

    def _close_list(self, _name: str, _given: str) -> None:
        self._flow.close_list()

    def _open_item(self, _name: str, _given: str) -> None:
        self._block()
        self._flow.open_item()

    def _close_item(self, _name: str, _given: str) -> None:
        self._flow.close_item()

    # -- code ------------------------------------------------------------------------------------

    def _open_pre(self, _name: str, given: str) -> None:
        if self._open_code is None:
            self._block()
            self._open_code = CodeSample(given)

    def _close_pre(self, _name: str = "", _given: str = "") -> None:
        """Keep the code."""
        sample, self._open_code = self._open_code, None
        text = sample.text if sample is not None else ""
        if sample is None or not text:
            return
        self._keep_code(text, sample.language)

    def _keep_code(self, text: str, language: str) -> None:
        self._flow.add_lines([f"[code/{len(self._code)}]"])
        self._code.append({"language": language, "text": text})

    def _open_sample(self, _name: str, given: str) -> None:
        if self._open_code is not None:
            self._open_code.open_sample(given)

    def _close_sample(self, _name: str, _given: str) -> None:
        if self._open_code is not None:
            self._open_code.close_sample()

    def _open_button(self, _name: str, _given: str) -> None:
        if self._open_code is not None:
            self._open_code.open_button()

    def _close_button(self, _name: str, _given: str) -> None:
        if self._open_code is not None:
            self._open_code.close_button()

    # -- the actions -----------------------------------------------------------------------------

    OPENING: ClassVar[Mapping[str, TagAction]] = {
        **dict.fromkeys(BLOCKS, _block),
        **dict.fromkeys(LISTS, _open_list),
        **dict.fromkeys(("sup", "sub"), _open_raised),
        "li": _open_item,
        "a": _open_link,
        "br": _line_break,
        "img": _image,
        "pre": _open_pre,
        "code": _open_sample,
        "button": _open_button,
    }
    CLOSING: ClassVar[Mapping[str, TagAction]] = {
        **dict.fromkeys(BLOCKS, _block),
        **dict.fromkeys(LISTS, _close_list),
        **dict.fromkeys(("sup", "sub"), _close_raised),
        "li": _close_item,
        "a": _close_link,
        "pre": _close_pre,
        "code": _close_sample,
        "button": _close_button,
    }
