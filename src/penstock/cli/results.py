"""`penstock results`: the stored results of this user, as a list, and one of them in full."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from penstock.cli.options import UsageError
from penstock.cli.printing import reader_may_leave, replace_what_cannot_be_shown, say, tell
from penstock.cli.store_choice import StoreChoice, add_store_options, chosen_store
from penstock.cli.stored.export import WRITERS
from penstock.cli.stored.found import StoredResult, result_named, results_in
from penstock.cli.stored.listing import as_json, listing
from penstock.cli.stored.part import PartRequest, part_of
from penstock.cli.stored.preview import description, preview
from penstock.cli.whole_files import replacing
from penstock.core.model.values import Refusal
from penstock.gate.gate import Gate
from penstock.stores import open_store

_LINES_AROUND: Final = 8  # of a view: the description, and the prompt after it
_ENDINGS: Final = {".csv": "csv", ".json": "json", ".txt": "text"}
Outcome = TypeVar("Outcome")

_EXAMPLES = """\
examples:
  penstock results                                     list your stored results
  penstock results show 3fa2c1                         show what one of them is
  penstock results show 3fa2c1 --format csv > all.csv  write all of its rows
  penstock results show 3fa2c1 --sql 'SELECT city, count(*) FROM result GROUP BY 1'
"""
_IN_MEMORY = """\
penstock run keeps results in memory by default. They end with its process, and only its agent reads
them. To keep results for this list: penstock run --store sqlite: -- COMMAND, or PENSTOCK_STORE=sqlite:"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "results",
        help="list the stored results, or show one of them",
        usage="penstock results [--json] [--store URL] [--config FILE] [show ID [options]]",
        description="List your results in the store that the settings name, or else in the file in\n"
        "your state folder, the newest first. Results in memory end with their process.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_store_options(parser)
    parser.add_argument("--json", action="store_true", help="Print JSON instead of the table.")
    parser.set_defaults(do=list_results, name="results")
    _add_show(parser.add_subparsers(metavar="show", prog="penstock results"))


def _add_show(commands: Any) -> None:
    parser = commands.add_parser(
        "show",
        help="show a stored result, or write all of it",
        usage="penstock results show ID [options]",
        description="Show what a stored result is, and its first rows. With --format, write all of it.",
    )
    add = parser.add_argument
    add("id", metavar="ID", help="The id in the list, or the start of it.")
    add("--format", choices=(*WRITERS,), help="Write all of it: csv, json or text.")
    add("--output", metavar="FILE", help="Write to a file. Its ending tells the format.")
    add("--path", metavar="POINTER", default="", help="A part, as a JSON Pointer: /items/0.")
    questions = parser.add_mutually_exclusive_group()
    ask = questions.add_argument
    ask("--sql", metavar="SELECT", help="The answer to a SELECT over the table result.")
    ask("--query", metavar="JQ", help="The answer of a jq program (extra query).")
    ask("--search", metavar="TEXT", help="The rows or lines that contain a text, in any case.")
    add_store_options(parser, default=argparse.SUPPRESS)
    parser.set_defaults(do=show)


def list_results(chosen: argparse.Namespace) -> int:
    choice, now = chosen_store(chosen), time.time()
    results = [] if choice.is_missing else _results(choice, now)
    replace_what_cannot_be_shown()
    if chosen.json:
        say(msgspec.json.format(msgspec.json.encode(as_json(results))).decode())
        return 0
    say(listing(results, now) if results else _nothing(choice))
    if choice.is_in_memory and not results:
        print(_IN_MEMORY, file=sys.stderr)
    return 0


def _results(choice: StoreChoice, now: float) -> list[StoredResult]:
    store = open_store(choice.url)
    try:
        return results_in(store, choice, now)
    finally:
        store.close()


def _nothing(choice: StoreChoice) -> str:
    return f"Nothing is stored in {choice.file}." if choice.file else "Nothing of yours is stored."


def show(chosen: argparse.Namespace) -> int:
    choice, form = chosen_store(chosen), _form(chosen)
    if choice.is_missing:
        step = (
            _IN_MEMORY.replace("\n", " ")
            if choice.is_in_memory
            else "Name another store with --store."
        )
        raise UsageError(f"There is no {choice.file}.", next_step=step)
    asked = _asked(chosen)
    with Gate(choice.policy, open_store(choice.url)) as gate:
        now = gate.clock()
        result = result_named(chosen.id, gate.store, choice, now)
        focus = _accepted(gate.finish(part_of(result.key, asked, gate.context())))
        if not form:
            size = shutil.get_terminal_size()
            told = [] if asked != PartRequest() else [*description(result, now, size.columns), ""]
            replace_what_cannot_be_shown()
            say("\n".join([*told, *preview(gate, focus, size.columns, size.lines - _LINES_AROUND)]))
            return 0
        for notice in focus.notices:
            tell(notice)
        _write(_accepted(WRITERS[form](gate, focus)), chosen.output)
    return 0


def _asked(chosen: argparse.Namespace) -> PartRequest:
    if chosen.sql is not None:
        return PartRequest(chosen.path, "sql", chosen.sql)
    if chosen.query is not None:
        return PartRequest(chosen.path, "jq", chosen.query)
    if chosen.search is not None:
        return PartRequest(chosen.path, "search", chosen.search)
    return PartRequest(chosen.path)


def _form(chosen: argparse.Namespace) -> str:
    """Return the format in which to write all of a result, or "" for a view of it."""
    if chosen.format or not chosen.output:
        return chosen.format or ""
    form = _ENDINGS.get(Path(chosen.output).suffix.lower())
    if form is None:
        step = f"Add --format {', '.join(WRITERS)}."
        raise UsageError(f"The name {chosen.output} tells no format.", next_step=step)
    return form


def _accepted(outcome: Outcome | Refusal) -> Outcome:
    if isinstance(outcome, Refusal):
        raise UsageError(outcome.error, next_step=outcome.next_step)
    return outcome


def _write(pieces: Iterable[bytes], output: str | None) -> None:
    if output is None:
        with reader_may_leave():
            sys.stdout.buffer.writelines(pieces)
            sys.stdout.buffer.flush()
        return
    path = Path(output)
    is_special = path.exists() and not path.is_file()  # a pipe, for instance
    try:
        with path.open("wb") if is_special else replacing(path.resolve()) as file:
            file.writelines(pieces)
    except OSError as error:
        step = "Name another file with --output."
        raise UsageError(f"{output} cannot be written: {error.strerror}.", next_step=step) from None
