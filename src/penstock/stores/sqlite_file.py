"""One SQLite file: how it is created, opened, recognised, and shared by threads.

Connections are pooled, not bound to threads: a thread that ends leaves no connection behind, and
there are never more connections than there were operations at one time.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.errors import EntryCorrupt, StoreError, StoreFull, StoreUnavailable
from penstock.stores.private_file import create_private, refuse_foreign, refuse_shared
from penstock.stores.sqlite_schema import (
    BUSY_SECONDS,
    STORED_RESULTS,
    FileKind,
    code_of,
    prepare,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


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
        self._patience = BUSY_SECONDS  # for which an operation waits while another process writes
        self.is_closed = False
        with self._translated():
            create_private(path)
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

    @contextmanager
    def impatient(self, seconds: float) -> Iterator[None]:
        """Let operations wait only so long while another process writes: nobody needs their effect,
        and a user waits for this process to start or to end."""
        with self._translated():
            self._set_patience(seconds)
        try:
            yield
        finally:
            with self._translated():
                self._set_patience(BUSY_SECONDS)

    def _set_patience(self, seconds: float) -> None:
        self._patience = seconds
        for connection in list(self._idle):
            connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1_000)}")

    def shrink(self) -> None:
        """Give free pages back to the file system."""
        with self._translated(), self._borrowed() as connection:
            # Each step of the first statement frees one page. `execute` stops after one step,
            # which gives a row without columns; `executescript` makes all steps.
            connection.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")

    def close(self) -> None:
        self.is_closed = True
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
        if self.is_closed:
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
        if self.is_closed:  # by another thread, meanwhile
            self.close()

    def _after_fork(self) -> None:
        if self._pid == os.getpid():
            return
        self._inherited, self._idle = self._inherited + self._idle, []
        self._write_lock = threading.Lock()
        self._pid = os.getpid()

    def _connect(self) -> sqlite3.Connection:
        refuse_foreign(self.path)
        connection = sqlite3.connect(
            self.path, timeout=self._patience, isolation_level=None, check_same_thread=False
        )
        try:
            prepare(connection, self.path, self._kind)
            # Once more: by now the log exists, and nobody has put another file in its place.
            refuse_foreign(self.path)
            refuse_shared(self.path)
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


def _failure(error: sqlite3.Error | OSError, path: Path, kind: FileKind) -> StoreError:
    if isinstance(error, OSError):
        return StoreUnavailable(f"{path} cannot be opened: {error.strerror or error}.")
    code = code_of(error)
    if code == sqlite3.SQLITE_FULL:
        return StoreFull(f"There is no space left for {path}.")
    if code == sqlite3.SQLITE_NOTADB:
        return StoreError(f"{path} is not an SQLite database.", next_step=kind.other_file)
    if code == sqlite3.SQLITE_CORRUPT:
        return EntryCorrupt(f"{path} is damaged.", next_step="Move it away; a new file is made.")
    return StoreUnavailable(f"{path} cannot be used: {error}.")
