"""The store whose results a command lists, shows or deletes."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any, Final

import msgspec

from penstock.cli.options import config_file
from penstock.settings.policy import Policy
from penstock.settings.table import RUN_DEFAULTS
from penstock.stores.urls import sqlite_file

_ON_DISK: Final = "sqlite:"


class StoreChoice(msgspec.Struct, frozen=True):
    """The settings, and the store that they name. For results in memory, which end with their
    process, that is the file in the user's state folder."""

    policy: Policy
    url: str
    file: Path | None  # of a store in SQLite

    @property
    def is_missing(self) -> bool:
        return self.file is not None and not self.file.exists()

    @property
    def is_in_memory(self) -> bool:
        """Whether `penstock run` keeps results in memory with these settings."""
        return self.url != self.policy.store


def add_store_options(parser: argparse.ArgumentParser, default: Any = None) -> None:
    """Add the options that name a store. `default` is their value if they are not given."""
    add = parser.add_argument
    told = "The store to use in place of the one in the settings."
    add("--store", metavar="URL", default=default, help=told)
    add("--config", metavar="FILE", default=default, help="The settings file.")


def chosen_store(chosen: argparse.Namespace) -> StoreChoice:
    policy = Policy.load(
        {"store": chosen.store},
        environment=os.environ,
        file=config_file(chosen.config),
        defaults=RUN_DEFAULTS,
    )
    url = _ON_DISK if policy.store.startswith("memory:") else policy.store
    return StoreChoice(policy, url, sqlite_file(url))
