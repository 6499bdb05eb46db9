"""The store of one machine: one file for several processes and threads, which survives a restart.

A read writes nothing: only `put` and `touch` count as use. So the least recently touched entries
go first, and reading a page does not write to the log.
"""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from penstock.core.model.store import (
    DEFAULT_CAPACITY,
    DEFAULT_QUOTA,
    Loaded,
    Record,
    Stats,
    StoredEntry,
    chunk_numbers,
)
from penstock.errors import EntryCorrupt, InvalidSetting, StoreError
from penstock.log import logger
from penstock.stores.eviction import entries_to_remove
from penstock.stores.limits import StoreLimits
from penstock.stores.sqlite_accounts import SQLiteAccounts
from penstock.stores.sqlite_file import SQLiteFile

if TYPE_CHECKING:
    import os
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

# One put in `PUTS_PER_SWEEP` removes up to `ENTRIES_PER_SWEEP` expired entries: more than are added
# meanwhile, and too few for a caller to notice.
PUTS_PER_SWEEP = 16
ENTRIES_PER_SWEEP = 64
CHUNKS_PER_ENTRY = 1 << 32
# A store that another process keeps locked must not hold up the start or the end of this one.
CLEAR_UP_SECONDS = 0.5

NEXT_USE = "(SELECT coalesce(max(used), 0) + 1 FROM entries)"


class SQLiteStore:
    """A store in one file. A missing file is created with mode 0600, its folders with 0700.

    `clock` only says what has expired when the store is opened and closed.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        capacity: int = DEFAULT_CAPACITY,
        quota: int = DEFAULT_QUOTA,
        clock: Callable[[], float] = time.time,
    ) -> None:
        if str(path) in ("", ":memory:"):
            why = "a file is needed; for a store in memory, use `memory:`."
            raise InvalidSetting("store path", path, why)
        self._limits = StoreLimits(capacity, quota)
        self._file = SQLiteFile(Path(path).absolute())
        self._clock = clock
        self._puts = count()
        self._now = float("-inf")
        self._clear_up()

    def put(self, key: str, record: Record, *, now: float) -> None:
        self._limits.refuse_oversized(record.size)
        self._now = now
        with self._file.writing() as db:
            if next(self._puts) % PUTS_PER_SWEEP == 0:
                _remove_expired(db, now, at_most=ENTRIES_PER_SWEEP)
            self._make_room(db, key, record, now)
            db.execute("DELETE FROM entries WHERE key = ?", (key,))
            _insert(db, key, record)

    def load(self, key: str, *, now: float, rows: tuple[int, int] | None = None) -> Loaded | None:
        self._now = now
        with self._file.reading() as db:
            row = db.execute(
                'SELECT id, expires, checksum, head, "index" FROM entries WHERE key = ?', (key,)
            ).fetchone()
            if row is None or row[1] <= now:
                return None
            entry, expires, checksum, head, index = row
            if crc32(index, crc32(head)) != checksum:
                raise EntryCorrupt("The head of a stored entry is damaged.")
            numbers = chunk_numbers(index, *rows) if rows else range(0)
            return Loaded(head, index, expires, _chunks(db, entry, numbers))

    def read(self, key: str, numbers: Sequence[int]) -> list[bytes]:
        if not numbers:
            return []
        with self._file.reading() as db:
            row = db.execute("SELECT id FROM entries WHERE key = ?", (key,)).fetchone()
            if row is None:
                raise EntryCorrupt("A stored entry is no longer there.")
            chunks = _chunks(db, row[0], numbers)
        return [chunks[number] for number in numbers]

    def touch(self, key: str, *, expires: float) -> None:
        with self._file.writing() as db:
            db.execute(
                f"UPDATE entries SET expires = ?, used = {NEXT_USE} WHERE key = ? AND expires > ?",  # noqa: S608 -- a constant
                (expires, key, self._now),
            )

    def delete(self, key: str) -> None:
        with self._file.writing() as db:
            db.execute("DELETE FROM entries WHERE key = ?", (key,))

    def sweep(self, *, now: float) -> int:
        self._now = now
        with self._file.writing() as db:
            gone = _remove_expired(db, now, at_most=-1)
        self._file.shrink()
        return gone

    def entries(self, owner: str | None, *, now: float) -> list[StoredEntry]:
        which = "expires > ?" if owner is None else "expires > ? AND owner = ?"
        given = (now,) if owner is None else (now, owner)
        with self._file.reading() as db:
            rows = db.execute(
                f'SELECT checksum, "index", key, owner, head, size, expires FROM entries WHERE {which}',  # noqa: S608 -- a constant
                given,
            )
            return [
                StoredEntry(key, of, head, size, expires)
                for checksum, index, key, of, head, size, expires in rows
                if crc32(index, crc32(head)) == checksum
            ]

    def stats(self) -> Stats:
        with self._file.reading() as db:
            row = db.execute("SELECT entries, bytes FROM usage WHERE scope = '*'").fetchone()
        return Stats(*(row or (0, 0)))

    def close(self) -> None:
        if not self._file.is_closed:
            self._clear_up()
        self._file.close()

    def _clear_up(self) -> None:
        """Remove what has expired, at the start and the end of a process: between, it may be idle. The
        store is of use even if that fails."""
        try:
            with self._file.impatient(CLEAR_UP_SECONDS):
                with self._file.writing() as db:
                    _remove_expired(db, self._clock(), at_most=-1)
                self._file.shrink()
        except StoreError as error:
            logger().warning("expired results stay in %s: %s", self._file.path, error)

    def _make_room(self, db: sqlite3.Connection, key: str, record: Record, now: float) -> None:
        accounts = SQLiteAccounts(db)
        if (
            accounts.of(record.payer) + record.size <= self._limits.quota
            and accounts.total() + record.size <= self._limits.capacity
        ):
            return
        _remove_expired(db, now, at_most=-1)
        gone = entries_to_remove(key, record, accounts, self._limits)
        db.executemany("DELETE FROM entries WHERE id = ?", [(entry.id,) for entry in gone])


def _remove_expired(db: sqlite3.Connection, now: float, *, at_most: int) -> int:
    expired = "SELECT id FROM entries WHERE expires <= ? LIMIT ?"
    return db.execute(f"DELETE FROM entries WHERE id IN ({expired})", (now, at_most)).rowcount  # noqa: S608 -- a constant


def _insert(db: sqlite3.Connection, key: str, record: Record) -> None:
    entry = db.execute(
        f'INSERT INTO entries (key, owner, used, expires, size, chunk_count, checksum, head, "index", '  # noqa: S608 -- a constant
        f"account, anonymous, derived) VALUES (?, ?, {NEXT_USE}, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            key,
            record.owner,
            record.expires,
            record.size,
            len(record.chunks),
            crc32(record.index, crc32(record.head)),
            record.head,
            record.index,
            *record.payer,
            bool(record.parents),
        ),
    ).lastrowid
    assert entry is not None  # noqa: S101 -- an INSERT always has one; the stubs cannot say so
    first = entry * CHUNKS_PER_ENTRY
    db.executemany(
        "INSERT INTO chunks VALUES (?, ?, ?)",
        ((first + number, crc32(body), body) for number, body in enumerate(record.chunks)),
    )


def _chunks(db: sqlite3.Connection, entry: int, numbers: Iterable[int]) -> dict[int, bytes]:
    return {number: _chunk(db, entry, number) for number in numbers}


def _chunk(db: sqlite3.Connection, entry: int, number: int) -> bytes:
    # A number out of range would find a chunk of another entry.
    if not 0 <= number < CHUNKS_PER_ENTRY:
        raise EntryCorrupt(f"There is no chunk {number}.")
    row = db.execute(
        "SELECT checksum, body FROM chunks WHERE id = ?", (entry * CHUNKS_PER_ENTRY + number,)
    ).fetchone()
    if row is None:
        raise EntryCorrupt(f"Chunk {number} of a stored entry is missing.")
    checksum, body = row
    if crc32(body) != checksum:
        raise EntryCorrupt(f"Chunk {number} of a stored entry is damaged.")
    return bytes(body)
