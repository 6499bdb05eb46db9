"""Text for a terminal: safe to print, in columns, with sizes and times in a few characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from penstock.core.json import rawjson
from penstock.core.results.formats.drawn.display_columns import offsets, shadow

GAP: Final = "  "
_SIZES: Final = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_TIMES: Final = ((86_400, "day"), (3_600, "h"), (60, "min"), (1, "s"))
_EXACT_BELOW: Final = 10


def safe(text: str) -> str:
    """Return a text without control characters, which could change what the terminal shows."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def clipped(text: str, width: int) -> str:
    """Cut a text to a number of columns, with a mark at the cut."""
    if width_of(text) <= width:
        return text
    return text[: offsets(text, [width - 1])[0]] + "…"


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return len(shadow(rawjson.utf8(text), by_width=True))


def table(
    rows: Sequence[Sequence[str]], widest: Sequence[int], to_right: Sequence[bool]
) -> Iterator[str]:
    """Yield the lines of a table. `widest`: the most columns of the terminal for each column."""
    cut = [
        [clipped(safe(cell), most) for cell, most in zip(row, widest, strict=True)] for row in rows
    ]
    widths = [max(map(width_of, column)) for column in zip(*cut, strict=True)]
    for row in cut:
        cells = map(_padded, row, widths, to_right)
        yield GAP.join(cells).rstrip()


def _padded(text: str, width: int, to_right: bool) -> str:
    blanks = " " * (width - width_of(text))
    return blanks + text if to_right else text + blanks


def size(count: int) -> str:
    """Return a number of bytes, such as 1.2 MB."""
    for unit, name in _SIZES:
        if count >= unit:
            amount = count / unit
            return f"{amount:.1f} {name}" if amount < _EXACT_BELOW else f"{amount:.0f} {name}"
    return f"{count} B"


def duration(seconds: float) -> str:
    """Return a time in its largest unit, such as 3 min."""
    for unit, name in _TIMES:
        if seconds >= unit:
            count = int(seconds // unit)
            return f"{count} {name}s" if name == "day" and count > 1 else f"{count} {name}"
    return "0 s"


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
