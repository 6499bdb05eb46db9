"""The tokens of HTML: tags with their attributes, comments, and elements whose inside is no markup.

Every pattern takes each byte at most a few times, on any input: a tag that does not end goes on to the
end of the text, and so does a comment. A quote without its partner is a character like any other, so
that one lost quote does not hide the rest of a page.
"""

from __future__ import annotations

import html
import re
from functools import cache
from typing import Final

WHITE: Final = r" \t\n\r\f"
_NAME_END: Final = rf"(?=[{WHITE}/>]|\Z)"
_ATTRIBUTE: Final = (
    rf"[^{WHITE}/>][^{WHITE}/>=]*+"
    rf"(?:[{WHITE}]*+=[{WHITE}]*+(?:\"[^\"]*+\"|'[^']*+'|(?=>)|[^{WHITE}>\"'][^{WHITE}>]*+))?+"
)
_ATTRIBUTES: Final = rf"(?:[{WHITE}/]++|{_ATTRIBUTE})*+"
_COMMENT: Final = r"!--(?:-?+>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?+>|\Z))"
# Markup has no meaning inside of these.
_RAW: Final = (
    r"(?P<raw>script|style|textarea|title|xmp|iframe|noembed)" + _NAME_END + _ATTRIBUTES +
    r"(?:>(?P<inside>[^<]*+(?:<(?!/(?P=raw)" + _NAME_END + r")[^<]*+)*+)"
    r"(?:</(?P=raw)" + _ATTRIBUTES + r"(?:>|\Z)|\Z)|\Z)"
)  # fmt: skip
_TAG: Final = rf"(?P<close>/?)(?P<name>[a-z][^{WHITE}/>]*+)(?P<attributes>{_ATTRIBUTES})(?:>|\Z)"
_OTHER: Final = r"[!?/][^>]*+(?:>|\Z)"
_CDATA: Final = r"!\[CDATA\[(?P<cdata>[^\]]*+(?:\](?!\]>)[^\]]*+)*+)(?:\]\]>|\Z)"
# The tags that decide where sections start. All other tags are only skipped.
_BORDER: Final = (
    r"(?P<border>/?(?:h[1-6]|table|pre|template))" + _NAME_END + _ATTRIBUTES + r"(?:>|\Z)"
)
_SKIPPED: Final = rf"/?[a-z][^{WHITE}/>]*+{_ATTRIBUTES}(?:>|\Z)"
# Attributes without anything that could be taken for the end of the tag.
_PLAIN: Final = rf"(?:[{WHITE}](?:[^<>\"']++|\"[^<>\"]*+\"|'[^<>']*+')*+)?+>"
_FLAGS: Final = re.IGNORECASE | re.DOTALL | re.ASCII

_LONG_NUMBER: Final = re.compile(r"&#[0-9]{1000,}+;?+")
_WHOLE_NUMBER: Final = re.compile(rf"[{WHITE}]*+\+?+([0-9]{{1,9}})")


@cache
def tokens() -> re.Pattern[str]:
    """Return the pattern of all tokens."""
    return re.compile(f"<(?:{_COMMENT}|{_RAW}|{_TAG}|{_CDATA}|{_OTHER})", _FLAGS)


@cache
def borders() -> re.Pattern[bytes]:
    """Return the pattern of all tokens, of which few are told apart."""
    pattern = f"<(?:{_COMMENT}|{_RAW}|{_BORDER}|{_SKIPPED}|{_CDATA}|{_OTHER})"
    return re.compile(pattern.encode(), _FLAGS & ~re.ASCII)


@cache
def template_marks() -> re.Pattern[bytes]:
    """Return the pattern of all tokens, and of marks in texts and tags that servers replace."""
    sample = rf"(?P<sample>/?(?:pre|code|samp|kbd|tt)){_NAME_END}{_ATTRIBUTES}(?:>|\Z)"
    server = r"(?P<server>\?(?:php|=)|%)"
    mark = (
        rf"(?P<mark>\{{%[-+]?+[{WHITE}]*+[a-z]|(?<![\\\w}}^_{{$])\{{\{{[^{{}}\n]{{1,100}}+\}}\}})"
    )
    others = f"{_COMMENT}|{_RAW}|{server}|{sample}|(?P<tag>{_SKIPPED})|{_CDATA}|{_OTHER}"
    return re.compile(f"<(?:{others})|{mark}".encode(), _FLAGS & ~re.ASCII)


@cache
def plain_row() -> re.Pattern[str]:
    """Return the pattern of a row of a table without markup in its cells. Large tables consist of these,
    and token by token they would take several times as long."""
    white = rf"[{WHITE}]*+"
    cells = rf"(?:<t[dh]{_PLAIN}[^<]*+</t[dh]>{white})++"
    return re.compile(rf"{white}(<tr{_PLAIN}{white}{cells}</tr>)", _FLAGS)


@cache
def plain_cells() -> re.Pattern[str]:
    """Return the pattern of the cells in such a row: `d` or `h`, and the text."""
    return re.compile(rf"<t([dh]){_PLAIN}([^<]*+)</t[dh]>", _FLAGS)


@cache
def _attribute() -> re.Pattern[str]:
    value = rf"\"([^\"]*+)\"|'([^']*+)'|(?=>)|([^{WHITE}>\"'][^{WHITE}>]*+)"
    pattern = rf"([^{WHITE}/>][^{WHITE}/>=]*+)(?:[{WHITE}]*+=[{WHITE}]*+(?:{value}))?+"
    return re.compile(pattern, _FLAGS)


def attributes(text: str) -> dict[str, str]:
    """Return the attributes of a tag. The first of several with one name counts."""
    found: dict[str, str] = {}
    for name, double, single, bare in _attribute().findall(text):
        found.setdefault(name.lower(), unescaped(double or single or bare))
    return found


def unescaped(text: str) -> str:
    """Return a text with characters in place of entities."""
    if "&" not in text:
        return text
    try:
        return html.unescape(text)
    except ValueError:  # Python reads no number of over 4,300 digits
        return html.unescape(_LONG_NUMBER.sub("\ufffd", text))


def whole_number(text: str, *, most: int) -> int:
    """Return the number that an attribute starts with, at most `most`, or 1 if there is none."""
    found = _WHOLE_NUMBER.match(text)
    return min(int(found[1]), most) if found else 1
