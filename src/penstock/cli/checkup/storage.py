"""The check of the settings, and of the store that they name."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Final

from penstock.cli.checkup.findings import CheckupSection, Finding, broken, fine, warning
from penstock.cli.options import config_file, config_folder
from penstock.errors import PenstockError
from penstock.relay.secret_urls import shown_url
from penstock.settings.policy import Policy
from penstock.settings.table import RUN_DEFAULTS
from penstock.stores import Record, Store, open_store
from penstock.stores.urls import sqlite_file

_A_MINUTE: Final = 60.0
_DATA: Final = b"penstock doctor"


def check_settings(named: str | None, store: str | None) -> tuple[CheckupSection, Policy | None]:
    """Read the settings as `penstock run` does. Return them too, unless they are wrong."""
    file = config_file(named)
    try:
        options = {"store": store}
        policy = Policy.load(options, environment=os.environ, file=file, defaults=RUN_DEFAULTS)
    except PenstockError as error:
        return CheckupSection(
            "Settings", (broken(error.message, error.next_step, file=file),)
        ), None
    told = f"{file} is valid" if file else f"No penstock.toml in {config_folder()}: defaults apply"
    return CheckupSection("Settings", (fine(told, file=file),)), policy


def check_store(policy: Policy) -> CheckupSection:
    return CheckupSection("Store", tuple(_store_findings(policy)))


def _store_findings(policy: Policy) -> Iterator[Finding]:
    try:
        store = open_store(policy.store, capacity=policy.capacity, quota=policy.quota)
    except PenstockError as error:
        yield broken(f"The store does not open: {error.message}", error.next_step)
        return
    try:
        yield _written_and_read(store, policy)
    finally:
        store.close()
    file = sqlite_file(policy.store)
    if file is not None:
        yield _rights(file)
        yield from _rights_of_folder(file.parent)
        yield _space(file, policy.capacity)


def _written_and_read(store: Store, policy: Policy) -> Finding:
    """Write a record, read it, and delete it."""
    name = _shown(policy.store)
    key, now = f"doctor-{secrets.token_hex(16)}", time.time()
    try:
        store.put(key, Record("penstock doctor", now + _A_MINUTE, _DATA), now=now)
        found = store.load(key, now=now)
        store.delete(key)
        is_gone = store.load(key, now=now) is None
        held = store.stats()
    except PenstockError as error:
        return broken(f"The store {name} does not work: {error.message}", error.next_step)
    if found is None or found.head != _DATA or not is_gone:
        return broken(f"The store {name} does not keep what it is given", "Name another store.")
    told = f"{name} keeps, returns and deletes a record"
    if policy.store.startswith("memory:"):
        told += "; results end with their process"
    else:
        told += f"; it holds {held.entries:,} entries, {held.bytes:,} bytes"
    return fine(told, store=name, entries=held.entries, bytes=held.bytes)


def _rights(file: Path) -> Finding:
    """Tell the mode of the file. A store that others may use does not open."""
    mode = stat.S_IMODE(file.stat().st_mode)
    return fine(f"Only you may use {file} (mode {mode:o})", mode=f"{mode:o}")


def _rights_of_folder(folder: Path) -> Iterator[Finding]:
    mode = stat.S_IMODE(folder.stat().st_mode)
    if os.name == "posix" and mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        yield warning(
            f"Every user may delete files in {folder} (mode {mode:o})",
            f"chmod o-w {quote(str(folder))}, unless it is the volume of a container.",
            mode=f"{mode:o}",
        )


def _space(file: Path, capacity: int) -> Finding:
    free = shutil.disk_usage(file.parent).free
    told = f"{free:,} bytes are free for it; it may take {capacity:,}"
    facts = {"free": free, "capacity": capacity}
    if free < capacity:
        step = "Make room, lower `capacity`, or name a store elsewhere."
        return warning(told, step, **facts)
    return fine(told, **facts)


def _shown(url: str) -> str:
    """Return the URL of a store. That of Redis may hold a password."""
    return url if url.startswith(("memory:", "sqlite:")) else shown_url(url)
