"""Texts of a site's developers, prepared for an agent: plain, short, and left out if they only
repeat the name they belong to."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from typing import Any, Final

_BREAKS: Final = re.compile(r"\s+")
# HTML tags that are usual in texts. Any other, such as <pk>, is not markup.
_INLINE: Final = re.compile(
    r"</?(?:a|abbr|b|code|em|i|kbd|small|span|strong|tt|u)(?:\s[^<>]*)?>", re.IGNORECASE
)
_BLOCK: Final = re.compile(
    r"</?(?:blockquote|br|dd|div|dl|dt|h[1-6]|hr|li|ol|p|pre|table|td|th|tr|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_NOT_A_WORD: Final = re.compile(r"[\W_]+")
_MOST_LABELS: Final = 30


def plain(text: Any) -> str:
    """Return a text as one line without markup. The text may be lazily translated, or None."""
    if text is None:
        return ""
    return _BREAKS.sub(" ", without_tags(str(text))).strip()


def without_tags(text: str) -> str:
    """Remove HTML tags from a text. A text without tags, such as `a < b`, stays as it is."""
    bare = _BLOCK.sub("\n", _INLINE.sub("", text))
    return html.unescape(bare) if bare != text else text


def says_more(text: Any, name: Any) -> bool:
    """Return whether a label says anything that the name does not."""
    said = _bare(text)
    return bool(said) and said != _bare(name)


def description_of(name: str, *, help_text: Any = None, label: Any = None) -> str:
    """Return the help text, else a label that says more than the name, else an empty text."""
    return plain(help_text) or (plain(label) if says_more(label, name) else "")


def labels_of(choices: Iterable[tuple[Any, Any]]) -> str:
    """Return `1: active, 2: offline`, for labels that say more than the values; not if long."""
    listed = [f"{key}: {plain(label)}" for key, label in choices if says_more(label, key)]
    return ", ".join(listed) if len(listed) <= _MOST_LABELS else ""


def joined(*texts: str) -> str:
    """Join sentences, without the empty ones."""
    said = [text for text in texts if text]
    return " ".join([*map(_ended, said[:-1]), *said[-1:]])


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."


def _bare(text: Any) -> str:
    return _NOT_A_WORD.sub("", str(text)).casefold() if text is not None else ""
