"""The command `manage.py penstock_doctor`: tools, who sees them, and what they cost in tokens."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

from django.contrib.auth import get_user_model
from django.core.checks import run_checks
from django.core.management.base import BaseCommand, CommandError

from penstock.django import registry
from penstock.django.advice import Advice, advice_on, counted, strangers
from penstock.django.conf import Site, site
from penstock.django.doctor import Diagnosis, Examined, as_json, examine, example_callers
from penstock.django.gateway import gateway
from penstock.errors import PenstockError

_FEW: Final = 5


class Command(BaseCommand):
    help = "Shows which tools this site exposes over MCP, to whom, and what they cost in tokens."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "pattern", nargs="?", default="*", help='Only tools with names like "device_*".'
        )
        parser.add_argument(
            "--user", action="append", default=[], metavar="NAME", help="Add what this user sees."
        )
        parser.add_argument("--json", action="store_true", help="Print JSON, for programs.")
        parser.add_argument(
            "--all", action="store_true", help="Name every tool and endpoint that advice is about."
        )

    def handle(self, *_: Any, **options: Any) -> None:
        known = get_user_model()._default_manager  # noqa: SLF001 (documented by Django)
        field = str(get_user_model().USERNAME_FIELD)
        missing = [name for name in options["user"] if not known.filter(**{field: name}).exists()]
        if missing:
            raise CommandError(f"There is no such user: {', '.join(missing)}.")
        callers = example_callers(options["user"])
        try:
            found = examine(gateway(), callers)
        except PenstockError as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(as_json(found, options["pattern"]))
            return
        for line in report(found, site(), options["pattern"]):
            self.stdout.write(line)
        for line in _advice(found, names_all=options["all"]):
            self.stdout.write(line)


def report(found: Diagnosis, of: Site, pattern: str) -> Iterator[str]:
    yield from _settings(of)
    yield from _warnings()
    yield ""
    yield from _callers(found)
    yield from _strangers(of)
    yield ""
    shown = [one for one in found.tools if fnmatchcase(one.tool.name, pattern)]
    yield from _tools(shown, [sight.caller for sight in found.sights])
    if not found.tools:
        yield "No tools: see ALLOW, DENY and MAX_TIER, or declare some with @mcp_tool."
    elif not shown:
        yield f"No tool is called {pattern}; there are {len(found.tools)}."


def _advice(found: Diagnosis, *, names_all: bool) -> Iterator[str]:
    for one in (*advice_on(registry.found()), *_undecided(found.undecided)):
        yield ""
        yield f"{one.told} {one.hint}".rstrip()
        shown = one.about if names_all else one.about[:_FEW]
        yield from (f"  - {name}" for name in shown)
        if len(shown) < len(one.about):
            yield f"  and {len(one.about) - len(shown)} more: see --all"


def _undecided(names: Sequence[str]) -> Iterator[Advice]:
    if names:
        told = f"{counted(names, 'tool is', 'tools are')} listed to callers that a call may refuse:"
        yield Advice(f"{told} their permissions depend on arguments.", "", names)


def _settings(of: Site) -> Iterator[str]:
    policy = of.policy
    yield f"Server {of.server_name}: tools up to the tier {of.max_tier.label}."
    yield (
        f"Replies up to {policy.budget}, results whole up to {policy.inline_budget}, "
        f"pages of {policy.page_size} rows, lists up to {policy.list_budget}."
    )
    yield f"Stored in {policy.store.partition('@')[2] or policy.store} for {policy.ttl:g} s."


def _warnings() -> Iterator[str]:
    for message in run_checks():
        if str(message.id).startswith("penstock."):
            yield f"{message.id}: {message.msg} {message.hint or ''}".rstrip()


def _callers(found: Diagnosis) -> Iterator[str]:
    rows = [("caller", "tier", "tools", "tokens of the list", "in full")]
    rows += [
        (one.caller, one.tier, str(one.tools), f"{one.listed_tokens:,}", f"{one.raw_tokens:,}")
        for one in found.sights
    ]
    yield from _columns(rows, numbers={2, 3, 4})
    yield f"(Tokens by {found.meter}.)"


def _strangers(of: Site) -> Iterator[str]:
    """Yield what the table of callers does not show: it takes them as known everywhere."""
    for one in strangers(registry.found(), of):
        yield (
            "The table holds for callers that the endpoint and the views authenticate;"
            f" {counted(one.about, 'tool knows', 'tools know')} others, see penstock.W007."
        )


def _tools(shown: Sequence[Examined], callers: Sequence[str]) -> Iterator[str]:
    if not shown:
        return
    rows = [("tool", "tier", "", "tokens", "seen by", "leads to")]
    for one in sorted(shown, key=lambda one: one.tool.name):
        everybody = len(one.callers) == len(callers)
        seen_by = "all" if everybody else ", ".join(one.callers) or "none of these"
        heavy = "heavy" if one.tool.heavy is not None else ""
        rows.append(
            (one.tool.name, one.tool.tier.label, heavy, f"{one.tokens:,}", seen_by, one.tool.where)
        )
    yield from _columns(rows, numbers={3})


def _columns(rows: Sequence[tuple[str, ...]], numbers: set[int]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if number in numbers else cell.ljust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()
