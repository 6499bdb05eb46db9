"""The sentences that the table and the page share."""

from __future__ import annotations

from penstock.cli.amounts import plural
from penstock.cli.auditing.costs import AUTO, Audit, FormCost
from penstock.cli.terminal import printable
from penstock.errors import how_to_install


def headline(audit: Audit) -> str:
    if not audit.tools:
        return f"{printable(audit.title)} lists no tools, so there is nothing to save."
    tools = plural(len(audit.tools), "tool")
    return f"{printable(audit.title)} lists {tools}: {plural(audit.raw, 'token')}, before any call."


def how_counted(audit: Audit) -> str:
    if audit.is_exact:
        return f"Tokens are counted exactly, in the vocabulary {audit.meter}."
    return (
        "Tokens are estimated, on the high side. The extra tokens counts them exactly. "
        + how_to_install("tokens")
    )


def choice(audit: Audit) -> str:
    """Say which form `auto`, the default, chooses, and what that saves."""
    cost = audit.auto
    change = f"{cost.saved:,} fewer than raw ({cost.percent:.1f}%)"
    if cost.saved <= 0:
        change = f"{-cost.saved:,} more than raw, because of what Penstock adds"
    told = f"At a list budget of {audit.list_budget}, auto chooses {cost.given}: "
    told += f"{plural(cost.tokens, 'token')}, {change}."
    if cost.is_over:
        told += " That is above the budget, because some tools have to stay listed."
    if cost.given == "full" and not cost.has_outputs:
        told += " Output schemas that do not allow a probe are left out; --list full keeps them."
    return told


def form_name(cost: FormCost) -> str:
    """Return the name of a form, with the form of the list in brackets if that differs."""
    if cost.form == AUTO:
        return f"{AUTO} ({cost.given})"
    return cost.form if cost.given == cost.form else f"{cost.form} (gives {cost.given})"


def left_out(audit: Audit) -> str:
    """Say how many entries were not counted. Return an empty text if there are none."""
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
        return "full is raw plus what Penstock adds; no description has to be fetched."
    even = cost.break_even
    if even is None:
        return f"{cost.form} costs no less than raw."
    if even.average is None:
        hidden = len(cost.growth) - 1
        return (
            f"{cost.form} costs less than raw even if all {hidden} full descriptions are fetched."
        )
    some = "full description" if even.average == 1 else "full descriptions"
    most = "the largest" if even.largest == 1 else f"the {even.largest} largest"
    return (
        f"{cost.form} costs as much as raw after {even.average} {some} of average size, "
        f"or after {most}."
    )
