"""An audit as a table for a terminal, 80 to 120 columns wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Final

import msgspec

from penstock.cli.auditing import wording
from penstock.cli.auditing.costs import PARTS, Audit, FormCost, ToolCost
from penstock.cli.terminal import fitted, width_of

NARROWEST: Final = 80
WIDEST: Final = 120
SHOWN_TOOLS: Final = 20
_LONGEST_NAME: Final = 48
_SHORTEST_NAME: Final = 12
_SHORTEST_BAR: Final = 10
_LONGEST_BAR: Final = 32
_HEADS: Final = ("tokens", "share", "descr.", "input", "output", "rest")
_MORE: Final = "(--all shows them)"
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"


class TableStyle(msgspec.Struct, frozen=True):
    """The width and the characters of the table, and whether it shows every tool."""

    columns: int = 100
    is_plain: bool = False  # only ASCII, for a terminal that cannot show more
    shows_all: bool = False

    @property
    def width(self) -> int:
        return min(max(NARROWEST, self.columns), WIDEST)


class TableLayout(msgspec.Struct, frozen=True):
    """The widths of the parts of a row, in columns."""

    name: int
    cells: tuple[int, ...]  # each number, with the space before it
    bar: int


def table(audit: Audit, look: TableStyle) -> str:
    lines = [*_opening(audit)]
    if audit.tools:
        lines += ["", *_tools(audit, look), "", *_forms(audit), "", *_closing(audit, look)]
    text = "\n".join(line.rstrip() for line in lines)
    return _in_ascii(text) if look.is_plain else text


def _opening(audit: Audit) -> Iterator[str]:
    yield wording.headline(audit)
    if audit.tools:
        yield wording.how_counted(audit)
    if audit.left_out:
        yield wording.left_out(audit)


# -- tools -------------------------------------------------------------------------------------


def _tools(audit: Audit, look: TableStyle) -> Iterator[str]:
    shown = audit.tools if look.shows_all else audit.tools[:SHOWN_TOOLS]
    others = audit.tools[len(shown) :]
    rows = [("tool", _HEADS), *((tool.name, _cells([tool], audit)) for tool in shown)]
    rows += [(f"and {len(others)} more", _cells(others, audit))] if others else []
    rows += [("whole list", (f"{audit.raw:,}", "100%", *_cells(audit.tools, audit)[2:]))]
    layout = _laid_out(rows, look.width)
    bars = [_bar(tool.tokens, shown[0].tokens, layout.bar) for tool in shown]
    way = _MORE if layout.bar >= len(_MORE) else "(--all)"
    beside = ["", *bars, *([way] if others else []), ""]
    for (name, cells), end in zip(rows, beside, strict=True):
        yield f"{_row(name, cells, layout)}  {end}"


def _laid_out(rows: Sequence[tuple[str, Sequence[str]]], columns: int) -> TableLayout:
    """Give the numbers all the columns that they need. Names and bars share the rest."""
    cells = tuple(
        2 + max(map(len, column)) for column in zip(*(cells for _, cells in rows), strict=True)
    )
    left = columns - sum(cells) - 2
    longest = max(width_of(name) for name, _ in rows)
    name = min(longest, _LONGEST_NAME, max(_SHORTEST_NAME, left - _SHORTEST_BAR))
    return TableLayout(name, cells, max(1, min(left - name, _LONGEST_BAR)))


def _row(name: str, cells: Sequence[str], layout: TableLayout) -> str:
    aligned = (cell.rjust(columns) for cell, columns in zip(cells, layout.cells, strict=True))
    return fitted(name, layout.name) + "".join(aligned)


def _cells(tools: Sequence[ToolCost], audit: Audit) -> tuple[str, ...]:
    tokens = sum(tool.tokens for tool in tools)
    parts = (sum(tool.parts[part] for tool in tools) for part in PARTS)
    share = f"{100 * tokens / audit.raw:.1f}%"
    return (f"{tokens:,}", share, *(f"{part:,}" if part else "–" for part in parts))


def _bar(tokens: int, largest: int, columns: int) -> str:
    eighths = max(1, round(8 * columns * tokens / largest))
    whole, part = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[part] if part else "")


# -- forms -------------------------------------------------------------------------------------


def _forms(audit: Audit) -> Iterator[str]:
    yield _form_row("form", "tools", "tokens", "of raw", "saved")
    yield _form_row("raw", str(len(audit.tools)), f"{audit.raw:,}", "100%", "")
    for cost in (audit.auto, *audit.forms):
        yield _form_row(wording.form_name(cost), *_form_cells(cost, audit))


def _form_row(*cells: str) -> str:
    first, *others = cells
    return fitted(first, 24) + "".join(cell.rjust(11) for cell in others)


def _form_cells(cost: FormCost, audit: Audit) -> tuple[str, ...]:
    return (
        str(cost.tools),
        f"{cost.tokens:,}",
        f"{100 * cost.tokens / audit.raw:.1f}%",
        f"{cost.saved:,}".replace("-", "−"),  # noqa: RUF001 (a minus sign)
        "" if cost.saved <= 0 else f"{cost.percent:.1f}%",
    )


def _closing(audit: Audit, look: TableStyle) -> Iterator[str]:
    sentences = [wording.choice(audit), wording.description_sizes(audit)]
    sentences += [f"- {wording.break_even(cost)}" for cost in audit.forms if cost.form != "full"]
    for sentence in sentences:
        hanging = "  " if sentence.startswith("-") else ""
        yield from wrap(sentence, look.width, subsequent_indent=hanging)


_ASCII: Final = str.maketrans(
    {"█": "#", "–": "-", "−": "-", "…": "~", **dict.fromkeys(_EIGHTHS[1:4], "."),  # noqa: RUF001 (signs)
     **dict.fromkeys(_EIGHTHS[4:8], "#")}
)  # fmt: skip


def _in_ascii(text: str) -> str:
    return text.translate(_ASCII).encode("ascii", "backslashreplace").decode()
