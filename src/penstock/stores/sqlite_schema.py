"""The schema of an SQLite file: how it is recognised, created and brought up to date."""

from __future__ import annotations

import sqlite3
import time
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.errors import StoreError, StoreTooNew
from penstock.stores.private_file import refuse_shared

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BUSY_SECONDS = 10.0
PAGE_SIZE = 8192
# The default checkpoint, every 1,000 pages, would fall inside every larger put and triple its time.
CHECKPOINT_BYTES = 32 * 1024 * 1024


class FileKind(msgspec.Struct, frozen=True):
    """A kind of file, whose application id tells it from other databases."""

    application_id: int
    version: int  # of the schema
    package: str  # its `schema.sql` creates the tables, `upgrade_N.sql` makes version N of N - 1
    foreign: str = "is a database, but not one of Penstock's"
    other_file: str = "Name another file in the `store` setting."


STORED_RESULTS: Final = FileKind(0x50454E53, 2, "penstock.stores")  # "PENS"


def prepare(connection: sqlite3.Connection, path: Path, kind: FileKind) -> None:
    edition = _edition(connection, path, kind)
    refuse_shared(
        path
    )  # after a file of another program is refused, which the user may want to share
    if edition == 0:
        # Both have an effect only before the first page is written.
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    _enter_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_BYTES // PAGE_SIZE}")
    connection.execute(f"PRAGMA journal_size_limit = {CHECKPOINT_BYTES}")
    # Deleted rows are overwritten, so that they cannot be read in the free pages of the file.
    connection.execute("PRAGMA secure_delete = ON")
    if _edition(connection, path, kind) < kind.version:
        _update_schema(connection, path, kind)


def _edition(connection: sqlite3.Connection, path: Path, kind: FileKind) -> int:
    # Count the tables first. One transaction creates them and the id, so tables without the id are
    # foreign, even if another process creates the schema between these statements.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if application != kind.application_id and (application or tables):
        raise StoreError(f"{path} {kind.foreign}.", next_step=kind.other_file)
    if version > kind.version:
        raise StoreTooNew(
            f"{path} has schema {version}; this version of Penstock knows {kind.version}."
        )
    return version


def _enter_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL. SQLite does not wait for other connections here, so this function does."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if code_of(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _update_schema(connection: sqlite3.Connection, path: Path, kind: FileKind) -> None:
    """Create the schema of a new file, or bring that of an older version up to date. Keep the rows."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        edition = _edition(connection, path, kind)  # another process may have been first
        for name in _scripts(edition, kind):
            script = files(kind.package).joinpath(name).read_text(encoding="utf-8")
            for statement in _statements(script):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {kind.application_id}")
        connection.execute(f"PRAGMA user_version = {kind.version}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _scripts(edition: int, kind: FileKind) -> list[str]:
    if edition == 0:
        return ["schema.sql"]
    return [f"upgrade_{version}.sql" for version in range(edition + 1, kind.version + 1)]


def _statements(script: str) -> Iterator[str]:
    """Yield one statement at a time: `executescript` would commit the transaction around them."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def code_of(error: sqlite3.Error) -> int:
    """Return the primary code, without the detail in the upper bits."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
