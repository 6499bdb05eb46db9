"""The bars of pytest: `==== FAILURES ====`. Each fills the width of the terminal, so that a bar which a
test prints itself is told from them if its width is another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from penstock.core.json import rawjson

START: Final = "test session starts"
REPORTS: Final = ("ERRORS", "FAILURES")
SUMMARY: Final = "short test summary info"
_SECTIONS: Final = re.compile(
    r"ERRORS|FAILURES|PASSES|XFAILURES|XPASSES|warnings summary.*|slowest (?:\d+ )?(?:test )?durations|"
    r"short test summary info|tests coverage|rerun test summary info|Hypothesis Statistics"
)
# The last line of a run.
_COUNT: Final = r"\d+ (?:subtests )?[a-z]+"
FINAL: Final = re.compile(
    rf"(?P<counts>no tests ran|{_COUNT}(?:, {_COUNT})*) in (?P<seconds>\d+\.\d+)s(?: \([^()\n]*\))?"
)
_LINE: Final = rb"(?P<bar>(?P<mark>[=_!])(?=[=_! ])[^\n]*?(?P=mark))\r?(?=\n|\Z)"
_FIRST: Final = re.compile(_LINE)
_FURTHER: Final = re.compile(rb"\n" + _LINE)  # much faster than a search for starts of lines
_LONGEST: Final = 10_000


class Bar(NamedTuple):
    """A bar: its mark, its title, and where its line and the next one start."""

    mark: str
    title: str
    start: int
    stop: int

    @property
    def is_section(self) -> bool:
        return self.mark == "=" and _SECTIONS.fullmatch(self.title) is not None

    @property
    def is_final(self) -> bool:
        return self.mark == "=" and FINAL.fullmatch(self.title) is not None


def drawn(title: str, mark: str, width: int) -> str:
    """Return a bar as pytest draws it."""
    fill = mark * max((width - len(title) - 2) // 2, 1)
    line = f"{fill} {title} {fill}"
    return line + mark if len(line) + 1 <= width else line


def bars_in(text: bytes) -> Iterator[Bar]:
    """Yield the bars of a text that are as wide as the first of a known title."""
    width = 0
    for found in _lines(text):
        line = rawjson.text(found["bar"])
        mark = line[0]
        title = line.strip(mark).strip(" ")
        bar = Bar(mark, title, found.start("bar"), min(found.end() + 1, len(text)))
        if not width and (title == START or bar.is_section):
            width = len(line)
        if width and title and drawn(title, mark, width) == line and title.strip("_ "):
            yield bar


def _lines(text: bytes) -> Iterator[re.Match[bytes]]:
    first = _FIRST.match(text)
    if first is not None:
        yield first
    for found in _FURTHER.finditer(text):
        if found.end() - found.start() <= _LONGEST:
            yield found
