"""`penstock purge`: delete every stored result."""

from __future__ import annotations

import argparse
import os
from typing import Any

from penstock.cli.options import config_file
from penstock.settings.policy import Policy
from penstock.settings.table import RUN_DEFAULTS
from penstock.stores import open_store
from penstock.stores.urls import sqlite_file

# Every result has expired by then.
_END_OF_TIME = 1e15
_ON_DISK = "sqlite:"

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
        "end with their process.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--store", metavar="URL", help="The store to use in place of the one in the settings."
    )
    parser.add_argument("--config", metavar="FILE", help="The settings file.")
    parser.set_defaults(do=purge, name="purge")


def purge(chosen: argparse.Namespace) -> int:
    settings = Policy.load(
        {"store": chosen.store},
        environment=os.environ,
        file=config_file(chosen.config),
        defaults=RUN_DEFAULTS,
    )
    url = _ON_DISK if settings.store.startswith("memory:") else settings.store
    file = sqlite_file(url)
    if file is not None and not file.exists():
        print(f"Nothing is stored: there is no {file}.")
        return 0
    store = open_store(url)
    try:
        size = store.stats().bytes
        gone = store.sweep(now=_END_OF_TIME)
    finally:
        store.close()
    print(f"Deleted {gone} stored {'result' if gone == 1 else 'results'}, {size:,} bytes.")
    return 0
