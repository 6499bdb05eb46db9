"""One SQLite file: how it is created, opened, recognised, and shared by threads.

Connections are pooled, not bound to threads: a thread that ends leaves no connection behind, and
there are never more connections than there were operations at one time.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.errors import EntryCorrupt, StoreError, StoreFull, StoreTooNew, StoreUnavailable

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
    package: str  # its `schema.sql` creates the tables
    foreign: str = "is a database, but not one of Penstock's"
    other_file: str = "Name another file in the `store` setting."


STORED_RESULTS: Final = FileKind(0x50454E53, 1, "penstock.stores")  # "PENS"


class SQLiteFile:
    def __init__(self, path: Path, kind: FileKind = STORED_RESULTS) -> None:
        self.path = path
        self._kind = kind
        self._idle: list[sqlite3.Connection] = []
        # Connections from before a fork. Using or even closing them in the child would harm the
        # parent's locks, so they are only kept from garbage collection.
        self._inherited: list[sqlite3.Connection] = []
        self._write_lock = threading.Lock()
        self._pid = os.getpid()
        self._closed = False
        with self._translated():
            _create(path)
            self._idle.append(self._connect())

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that sees one state of the file throughout."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction that is the only writer from its start, so no later upgrade can fail."""
        self._after_fork()
        # Threads wait here; SQLite itself would make them poll.
        with self._write_lock, self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    def shrink(self) -> None:
        """Give free pages back to the file system."""
        with self._translated(), self._borrowed() as connection:
            # Each step of the first statement frees one page. `execute` stops after one step,
            # which gives a row without columns; `executescript` makes all steps.
            connection.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")

    def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._translated(), self._borrowed() as connection:
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # SQLite has already rolled back after some errors, a full disk among them.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        self._after_fork()
        if self._closed:
            raise StoreUnavailable("The store is closed.")
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connect()
        try:
            yield connection
        finally:
            self._give_back(connection)

    def _give_back(self, connection: sqlite3.Connection) -> None:
        self._idle.append(connection)
        if self._closed:  # by another thread, meanwhile
            self.close()

    def _after_fork(self) -> None:
        if self._pid == os.getpid():
            return
        self._inherited, self._idle = self._inherited + self._idle, []
        self._write_lock = threading.Lock()
        self._pid = os.getpid()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare(connection, self.path, self._kind)
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise _failure(error, self.path, self._kind) from error


def _create(path: Path) -> None:
    """Create the file with its mode before SQLite opens it. The -wal and -shm get the same mode."""
    for folder in reversed(path.parents):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _prepare(connection: sqlite3.Connection, path: Path, kind: FileKind) -> None:
    if _edition(connection, path, kind) == 0:
        # Both have an effect only before the first page is written.
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    _enter_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_BYTES // PAGE_SIZE}")
    connection.execute(f"PRAGMA journal_size_limit = {CHECKPOINT_BYTES}")
    if _edition(connection, path, kind) == 0:
        _create_schema(connection, path, kind)


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
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _create_schema(connection: sqlite3.Connection, path: Path, kind: FileKind) -> None:
    schema = files(kind.package).joinpath("schema.sql").read_text(encoding="utf-8")
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _edition(connection, path, kind) == 0:  # another process may have been first
            for statement in _statements(schema):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {kind.application_id}")
            connection.execute(f"PRAGMA user_version = {kind.version}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """Yield one statement at a time: `executescript` would commit the transaction around them."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _code(error: sqlite3.Error) -> int:
    """Return the primary code, without the detail in the upper bits."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _failure(error: sqlite3.Error | OSError, path: Path, kind: FileKind) -> StoreError:
    if isinstance(error, OSError):
        return StoreUnavailable(f"{path} cannot be opened: {error.strerror or error}.")
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(f"There is no space left for {path}.")
    if code == sqlite3.SQLITE_NOTADB:
        return StoreError(f"{path} is not an SQLite database.", next_step=kind.other_file)
    if code == sqlite3.SQLITE_CORRUPT:
        return EntryCorrupt(f"{path} is damaged.", next_step="Move it away; a new file is made.")
    return StoreUnavailable(f"{path} cannot be used: {error}.")
