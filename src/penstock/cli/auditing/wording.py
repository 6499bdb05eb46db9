"""The sentences that the table and the page share, and text of a server made fit to be shown."""

from __future__ import annotations

import unicodedata
from typing import Final

from penstock.cli.auditing.costs import AUTO, Audit, FormCost

ELLIPSIS: Final = "…"
_STRANGE: Final = "\ufffd"


def printable(text: str) -> str:
    """What a terminal would obey, or a reader would not see, is marked instead of shown."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else _STRANGE for letter in text)


def width(text: str) -> int:
    """In columns of a terminal."""
    return sum(map(_columns, text))


def _columns(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def fitted(text: str, columns: int) -> str:
    """Exactly so many columns: filled up, or cut and marked as cut."""
    shown = printable(text)
    if width(shown) > columns:
        while width(shown) > columns - 1:
            shown = shown[: -max(1, (width(shown) - columns) // 2)]
        shown += ELLIPSIS
    return shown + " " * (columns - width(shown))


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def headline(audit: Audit) -> str:
    if not audit.tools:
        return f"{printable(audit.title)} lists no tools, so there is nothing to save."
    tools = plural(len(audit.tools), "tool")
    return f"{printable(audit.title)} lists {tools}: {plural(audit.raw, 'token')}, before any call."


def how_counted(audit: Audit) -> str:
    if audit.is_exact:
        return f"Tokens of {audit.meter}, counted exactly."
    return (
        "Tokens are estimated, on the high side. "
        'To count them exactly: pip install "penstock[tokens]"'
    )


def choice(audit: Audit) -> str:
    """What the default does."""
    cost = audit.auto
    change = f"{cost.saved:,} less than raw ({cost.percent:.1f}%)"
    if cost.saved <= 0:
        change = f"{-cost.saved:,} more than raw, for what Penstock adds"
    told = f"At a list budget of {audit.list_budget}, auto gives {cost.given}: "
    told += f"{plural(cost.tokens, 'token')}, {change}."
    if cost.is_over:
        told += " That is above the budget: tools that have to stay listed leave no room."
    if cost.given == "full" and not cost.has_outputs:
        told += (
            " Output schemas that would have to be widened are left out; --list full keeps them."
        )
    return told


def form_name(cost: FormCost) -> str:
    """With the form that it gives, where that is another."""
    if cost.form == AUTO:
        return f"{AUTO} ({cost.given})"
    return cost.form if cost.given == cost.form else f"{cost.form} (gives {cost.given})"


def left_out(audit: Audit) -> str:
    """Empty where everything was taken."""
    if not audit.left_out:
        return ""
    entries = "entry has" if audit.left_out == 1 else "entries have"
    return f"Not counted: {audit.left_out} {entries} no name, or the name of another tool."


def description_sizes(audit: Audit) -> str:
    largest = audit.largest_description
    if largest is None:
        return ""
    return (
        f"A full description has {audit.mean_description:,.0f} tokens on average, "
        f"{largest.full_description:,} at most ({printable(largest.name)})."
    )


def break_even(cost: FormCost) -> str:
    if cost.given != cost.form:
        return f"{cost.form} would save nothing here, so the list is given in full."
    if cost.form == "full":
        return "full is raw and what Penstock adds; nothing has to be fetched."
    even = cost.break_even
    if even is None:
        return f"{cost.form} costs no less than raw."
    if even.average is None:
        hidden = len(cost.growth) - 1
        return (
            f"{cost.form} costs less than raw even if all {hidden} full descriptions are fetched."
        )
    return (
        f"{cost.form} costs as much as raw once {even.average} full descriptions of average size "
        f"were fetched, or the {even.largest} largest."
    )
