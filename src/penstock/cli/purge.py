"""`penstock purge`: delete every stored result."""

from __future__ import annotations

import argparse
from typing import Any

from penstock.cli.store_choice import add_store_options, chosen_store
from penstock.stores import open_store

# Every result has expired by then.
_END_OF_TIME = 1e15

_EXAMPLES = """\
examples:
  penstock purge                              delete your results on this machine
  penstock purge --store sqlite:///tmp/r.db   delete the results in that file
  penstock purge --store redis://localhost    delete the results of all users of that store
"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "purge",
        help="delete the stored results on this machine",
        description="Delete every result in the store that the settings name, or else in the file\n"
        "in your state folder. Tokens that agents still hold no longer work. Results in memory\n"
        "end with their process. Figures stay, and what is known of servers from earlier runs.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_store_options(parser)
    parser.set_defaults(do=purge, name="purge")


def purge(chosen: argparse.Namespace) -> int:
    choice = chosen_store(chosen)
    if choice.is_missing:
        print(f"Nothing is stored: there is no {choice.file}.")
        return 0
    store = open_store(choice.url)
    try:
        size = store.stats().bytes
        gone = store.sweep(now=_END_OF_TIME)
    finally:
        store.close()
    print(f"Deleted {gone} stored {'result' if gone == 1 else 'results'}, {size:,} bytes.")
    return 0
