"""The plots of the page: inline SVG, drawn with the colours of the page's style.

Every plot has a title and a description for readers who cannot see it, and the page has the same
numbers in tables. All text from a server is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final

from penstock.cli.auditing import wording
from penstock.cli.auditing.costs import AUTO, PARTS, Audit
from penstock.cli.terminal import cut, printable

WIDTH: Final = 760
_LABELS: Final = 240
_NUMBERS: Final = 80
_BARS: Final = WIDTH - _LABELS - _NUMBERS
_ROW: Final = 24
_BAR: Final = 16
_TEXT_DOWN: Final = 13  # from the top of a row to the baseline of its text
_LINE: Final = 15
_LONGEST_LABEL: Final = 32
MOST_BARS: Final = 40
_GRAPH: Final = 280
_MARGIN: Final = 70

PART_NAMES: Final = dict(
    zip(PARTS, ("description", "input schema", "output schema", "rest"), strict=True)
)


def safe(text: str) -> str:
    return escape(printable(text))


def form_bars(audit: Audit) -> str:
    """Draw raw and each form as bars, and the list budget as a line."""
    rows = [("raw", "raw", audit.raw)]
    rows += [
        (wording.form_name(cost), cost.given if cost.form == AUTO else cost.form, cost.tokens)
        for cost in (audit.auto, *audit.forms)
    ]
    most = max(tokens for *_, tokens in rows)
    drawn = [
        _bar_row(number, label, [(f"f-{colour}", tokens)], tokens, most)
        for number, (label, colour, tokens) in enumerate(rows)
    ]
    height = _ROW * len(rows)
    limit = audit.budget_tokens
    if limit is not None and limit <= most:
        at = _LABELS + _BARS * limit / most
        drawn.append(f'<line class="limit" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{height}"/>')
    told = ", ".join(f"{label} {tokens:,}" for label, _, tokens in rows)
    return _svg("forms", "Tokens of the list in each form", told, height, drawn)


def tool_bars(audit: Audit) -> str:
    """Draw the largest tools as bars that are divided into parts."""
    shown, others = audit.tools[:MOST_BARS], audit.tools[MOST_BARS:]
    most = max((tool.tokens for tool in shown), default=1)
    drawn = [
        _bar_row(
            number,
            tool.name,
            [(f"p-{part}", tool.parts[part]) for part in PARTS],
            tool.tokens,
            most,
        )
        for number, tool in enumerate(shown)
    ]
    told = f"The {len(shown)} largest tools; the table below has all {len(audit.tools)}."
    if others:
        drawn.append(_text(0, _ROW * len(shown), f"and {len(others)} more, see the table", "more"))
    height = _ROW * (len(shown) + bool(others))
    return _svg("tools", "Tokens of each tool, by part", told, height, drawn)


def _bar_row(
    number: int, label: str, pieces: Sequence[tuple[str, int]], tokens: int, most: int
) -> str:
    top = number * _ROW
    shown = cut(label, _LONGEST_LABEL)
    title = f"<title>{safe(label)}: {tokens:,} tokens</title>"
    drawn = "".join(_pieces(pieces, top + (_ROW - _BAR) / 2, most))
    end = _LABELS + _BARS * tokens / most + 6
    return f"<g>{title}{_text(0, top, shown)}{drawn}{_text(end, top, f'{tokens:,}')}</g>"


def _pieces(pieces: Sequence[tuple[str, int]], top: float, most: int) -> Iterator[str]:
    left = float(_LABELS)
    for kind, tokens in pieces:
        wide = _BARS * max(0, tokens) / most
        yield (
            f'<rect class="{kind}" x="{left:.1f}" y="{top:g}" width="{wide:.1f}" height="{_BAR}"/>'
        )
        left += wide


def growth_lines(audit: Audit) -> str:
    """Draw the cost of each form and of raw by the number of full descriptions, largest first."""
    forms = [cost for cost in audit.forms if cost.form != "full" and cost.given == cost.form]
    if not forms:
        return ""
    count = max(1, *(len(cost.growth) - 1 for cost in forms))
    most = max(audit.raw, *(max(cost.growth) for cost in forms))
    drawn = [_axes(count, most), _line("f-raw", [audit.raw] * (count + 1), count, most)]
    drawn += [_line(f"f-{cost.form}", cost.growth, count, most) for cost in forms]
    ends = {"raw": audit.raw, **{cost.form: cost.growth[-1] for cost in forms}}
    drawn += _line_labels(ends, most)
    told = " ".join(wording.break_even(cost) for cost in forms)
    title = "Tokens of a conversation by the number of full descriptions fetched, largest first"
    return _svg("growth", title, told, _GRAPH + 40, drawn)


def _place(number: float, tokens: float, count: int, most: int) -> tuple[float, float]:
    across = _MARGIN + (WIDTH - 2 * _MARGIN) * number / count
    return across, 10 + (_GRAPH - 10) * (1 - tokens / most)


def _line(kind: str, tokens: Sequence[int], count: int, most: int) -> str:
    places = [_place(number, cost, count, most) for number, cost in enumerate(tokens)]
    points = " ".join(f"{across:.1f},{down:.1f}" for across, down in places)
    return f'<polyline class="line {kind}" points="{points}"/>'


def _line_labels(ends: Mapping[str, int], most: int) -> Iterator[str]:
    """Label the right end of each line. Move labels apart that would overlap."""
    lowest = float("-inf")
    for name, tokens in sorted(ends.items(), key=lambda end: -end[1]):
        across, down = _place(1, tokens, 1, most)
        lowest = max(down, lowest + _LINE)
        yield _text(across + 6, lowest - _TEXT_DOWN, name)


def _axes(count: int, most: int) -> str:
    left, bottom = _place(0, 0, count, most)
    right, top = _place(count, most, count, most)
    return (
        f'<path class="axis" d="M{left:g} {top:g}V{bottom:g}H{right:g}"/>'
        + _text(0, top - 8, f"{most:,}")
        + _text(0, bottom - 18, "0")
        + _text(left, bottom + 4, "0 descriptions")
        + _text(right, bottom + 4, f"{count}", "end")
    )


def legend() -> str:
    items = "".join(
        f'<li><svg width="12" height="12" aria-hidden="true"><rect class="p-{part}" width="12" '
        f'height="12"/></svg> {name}</li>'
        for part, name in PART_NAMES.items()
    )
    return f'<ul class="legend">{items}</ul>'


def _text(across: float, top: float, words: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{across:.1f}" y="{top + 4 + _TEXT_DOWN:.1f}">{safe(words)}</text>'


def _svg(name: str, title: str, told: str, height: float, drawn: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">{safe(title)}</title><desc id="{name}-d">{safe(told)}</desc>'
        f"{''.join(drawn)}</svg>"
    )
