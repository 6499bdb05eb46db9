"""Text for a terminal: escaped, measured in columns, cut and aligned.

Names and texts of servers may hold characters that a terminal obeys, such as those that clear it or
forge a line. Every function here escapes them first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from penstock.core.json import rawjson
from penstock.core.results.formats.drawn.display_columns import offsets, shadow

GAP: Final = "  "
_ELLIPSIS: Final = "…"


def printable(text: str) -> str:
    """Escape characters that a terminal would obey or a reader would not see, line ends too."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return len(shadow(rawjson.utf8(printable(text)), by_width=True))


def cut(text: str, columns: int) -> str:
    """Cut a text to so many columns. Mark a cut with an ellipsis."""
    shown = printable(text)
    if width_of(shown) <= columns:
        return shown
    end = offsets(shown, [columns - 1])[0]
    while width_of(shown[:end]) >= columns:  # a wide character stands across the cut
        end -= 1
    return shown[:end] + _ELLIPSIS


def fitted(text: str, columns: int) -> str:
    """Cut a text to so many columns, or fill it with blanks."""
    return _padded(cut(text, columns), columns, to_right=False)


def table(
    rows: Sequence[Sequence[str]], widest: Sequence[int], to_right: Sequence[bool]
) -> Iterator[str]:
    """Yield the lines of a table. `widest`: the most columns of the terminal for each column."""
    shown = [[cut(cell, most) for cell, most in zip(row, widest, strict=True)] for row in rows]
    widths = [max(map(width_of, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        cells = [
            _padded(cell, columns, to_right=is_right)
            for cell, columns, is_right in zip(row, widths, to_right, strict=True)
        ]
        yield GAP.join(cells).rstrip()


def _padded(text: str, columns: int, *, to_right: bool) -> str:
    blanks = " " * (columns - width_of(text))
    return blanks + text if to_right else text + blanks
