"""`penstock stats`: what Penstock has saved on this machine."""

from __future__ import annotations

import argparse
import json
import shutil
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

from penstock.cli.options import UsageError
from penstock.cli.printing import replace_what_cannot_be_shown, say
from penstock.cli.stats_table import stats_table
from penstock.cli.terminal import printable
from penstock.errors import StoreError, StoreUnavailable
from penstock.figures.balance import ServerBalance, balances, sums
from penstock.figures.file import DAYS_KEPT, FiguresFile
from penstock.figures.place import figures_file
from penstock.figures.unfinished import wait_for_clerks

_WIDTH_OF_A_PIPE: Final = 100
_HOLDS: Final = "It holds counts by day, server and tool, and neither contents nor arguments."
_EXAMPLES: Final = """\
examples:
  penstock stats                       all servers, in the last 90 days
  penstock stats --days 7 --server git
  penstock stats --json | jq .saved
  penstock stats --reset               delete all figures

Columns: held, results that were stored and described instead; reads, reads of stored results; raw,
the tokens that a model would have read without Penstock; sent, the tokens that it read, those of
reads too; saved, the difference, which is negative where Penstock costs more than it saves. The row
(unknown) has calls that named no tool of the server. Of several servers behind one Penstock, each has
its own figures; their one list counts under the name of their file.
"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "stats",
        help="show what Penstock has saved on this machine, by server and tool",
        description="Show what Penstock has saved on this machine. Each penstock run and penstock\n"
        "serve adds to the figures, unless it was started with --no-stats.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--server", metavar="NAME", help="Only servers whose names contain this text.")
    add(
        "--days",
        type=_days,
        default=DAYS_KEPT,
        metavar="N",
        help=f"The last N days, of which today is one. Default: {DAYS_KEPT}, which is all.",
    )
    add("--json", action="store_true", help="Print JSON instead of the table.")
    add("--reset", action="store_true", help="Delete all figures.")
    parser.set_defaults(do=stats, name="stats")


def stats(chosen: argparse.Namespace) -> int:
    replace_what_cannot_be_shown()
    file = figures_file()
    wait_for_clerks(file)
    if chosen.reset:
        say(_reset(file))
        return 0
    found = _chosen(_balances(file, chosen.days), chosen.server)
    if chosen.json:
        say(_as_json(file, chosen.days, found))
    elif found:
        columns = shutil.get_terminal_size((_WIDTH_OF_A_PIPE, 0)).columns
        say(f"{stats_table(found, chosen.days, columns)}\n\nFigures: {file}\n{_HOLDS}")
    else:
        say(_nothing(file, chosen.days))
    return 0


def _balances(file: Path, days: int) -> list[ServerBalance]:
    if not file.exists():
        return []
    first = date.today() - timedelta(days - 1)  # noqa: DTZ011 (the user's own day)
    with FiguresFile(file) as figures:
        return balances(figures.calls(first), figures.lists(first), figures.members(first))


def _chosen(servers: list[ServerBalance], text: str | None) -> list[ServerBalance]:
    found = [one for one in servers if text is None or text.lower() in one.name.lower()]
    if servers and not found:
        known = ", ".join(printable(one.name) for one in servers)
        raise UsageError(f"No server's name contains {text!r}.", next_step=f"There are: {known}.")
    return found


def _as_json(file: Path, days: int, servers: list[ServerBalance]) -> str:
    told = {
        "file": str(file),
        "days": days,
        "exact": not any(server.has_estimates for server in servers),
        **sums(servers),
        "servers": [server.as_json() for server in servers],
    }
    return json.dumps(told, indent=2)


def _nothing(file: Path, days: int) -> str:
    when = "" if days == DAYS_KEPT else f" in the last {days} days"
    return (
        f"There are no figures{when}: no server has run behind Penstock, or only with --no-stats.\n"
        "Start one with penstock run, or put the servers of a host behind Penstock: penstock wrap.\n"
        f"Figures will be in {file}. {_HOLDS}"
    )


def _reset(file: Path) -> str:
    """Delete all figures. The file stays, because a running Penstock may have it open."""
    if not file.exists():
        return f"There are no figures: there is no {file}."
    try:
        with FiguresFile(file) as figures:
            figures.clear()
    except StoreUnavailable:
        raise
    except StoreError:
        _delete(file)
    return f"Deleted all figures: {file}."


def _delete(file: Path) -> None:
    """Delete a file that cannot be used. It goes last: a new file must not find an old `-wal`."""
    try:
        for end in ("-wal", "-shm", ""):
            file.with_name(file.name + end).unlink(missing_ok=True)
    except OSError as error:
        step = "End every penstock run and penstock serve, and try again."
        raise UsageError(f"{file} cannot be deleted: {error.strerror}.", next_step=step) from None


def _days(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= DAYS_KEPT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days, 1 to {DAYS_KEPT}")
    return int(text)
