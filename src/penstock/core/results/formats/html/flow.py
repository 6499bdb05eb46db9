"""The flow of readable text in a part of a page: lines, with white space as browsers show it."""

from __future__ import annotations

from typing import Final

from penstock.core.budget.fitting import clip

_MOST_INDENTS: Final = 8
_LONGEST_ADDRESS: Final = 200
_NOT_SHOWN: Final = ("#", "javascript:", "data:")  # starts of addresses that lead to no other page


class _Address(str):
    """The address of a link, among the pieces of a line."""

    __slots__ = ()


class TextFlow:
    """Lines of text. A line is gathered in pieces, and ends with its block."""

    __slots__ = ("_bare", "_link", "_lists", "_marker", "lines", "pieces")

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._bare: list[str] | None = (
            None  # the lines without the addresses of links, if some have one
        )
        self.pieces: list[str] = []  # of the line that is not at its end
        self._marker = ""  # before the next line, such as "- "
        self._lists: list[int] = []  # the number of the last item of each open list, or -1
        self._link: tuple[str, int] | None = None  # the address, and at which piece its text starts

    def text(self) -> str:
        self.end_line()
        return "\n".join(self.lines)

    @property
    def bare_lines(self) -> list[str]:
        """The lines up to the last end of a line, without the addresses of links."""
        return self.lines if self._bare is None else self._bare

    def end_line(self) -> None:
        if not self.pieces:
            return
        pieces, self.pieces = self.pieces, []
        line = " ".join("".join(pieces).split())
        if not line:
            return
        self.lines.append(self._marker + line)
        if self._bare is not None:
            words = "".join(piece for piece in pieces if type(piece) is not _Address).split()
            self._bare += [self._marker + " ".join(words)] if words else []
        self._marker = self._indent()

    def add_lines(self, lines: list[str]) -> None:
        """Add lines as they are."""
        self.end_line()
        self.lines += lines
        if self._bare is not None:
            self._bare += lines

    # -- lists -----------------------------------------------------------------------------------

    def open_list(self, *, is_numbered: bool) -> None:
        self.end_line()
        self._lists.append(0 if is_numbered else -1)

    def close_list(self) -> None:
        self.end_line()
        if self._lists:
            self._lists.pop()
        self._marker = self._indent()

    def open_item(self) -> None:
        self.end_line()
        outer = "  " * min(len(self._lists) - 1, _MOST_INDENTS)
        if not self._lists or self._lists[-1] < 0:
            self._marker = outer + "- "
        else:
            self._lists[-1] += 1
            self._marker = f"{outer}{self._lists[-1]}. "

    def close_item(self) -> None:
        self.end_line()
        self._marker = self._indent()

    def _indent(self) -> str:
        return "  " * min(len(self._lists), _MOST_INDENTS)

    # -- links -----------------------------------------------------------------------------------

    def open_link(self, address: str) -> None:
        self._link = address.strip(), len(self.pieces)

    def close_link(self) -> None:
        """Write the address after the text of a link. A sign that leads to its own place, such as the
        one behind many headings, is left out."""
        if self._link is None:
            return
        address, start = self._link
        self._link = None
        whole = "".join(self.pieces[start:])
        shown = whole.strip()
        if address.startswith("#") and not any(map(str.isalnum, shown)):
            del self.pieces[start:]
        elif address and address != shown and not address.lower().startswith(_NOT_SHOWN):
            if self._bare is None:
                self._bare = [*self.lines]
            self.pieces.append(_Address(f" ({clip(address, _LONGEST_ADDRESS)})"))
            self.pieces.append(" " if whole[-1:].isspace() else "")
