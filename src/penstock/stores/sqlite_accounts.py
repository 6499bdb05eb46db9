"""The accounts of a store in SQLite, as one transaction sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.core.model.store import Account
from penstock.stores.eviction import Held

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

_ALL: Final = "*"
_KNOWN: Final = "="
_ANONYMOUS: Final = "~"
_FIRST_BATCH: Final = 16
_ACCOUNTS: Final = """
    SELECT scope, bytes, coalesce((
        SELECT used FROM entries WHERE account = substr(scope, 2) AND anonymous = (scope >= '~')
        ORDER BY derived DESC, used LIMIT 1
    ), 0) FROM usage WHERE scope <> '*'
"""
_ENTRIES: Final = (
    "SELECT key, size, used, id FROM entries WHERE account = ? AND anonymous = ? "
    "ORDER BY derived DESC, used LIMIT ? OFFSET ?"
)


class SQLiteAccounts:
    """The `Holdings` of a store in SQLite. Nothing may be removed while they are read."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def total(self) -> int:
        return self._used_bytes(_ALL)

    def of(self, account: Account) -> int:
        return self._used_bytes((_ANONYMOUS if account.is_anonymous else _KNOWN) + account.name)

    def accounts(self) -> Iterable[tuple[Account, int, int]]:
        return [
            (Account(scope[1:], is_anonymous=scope[0] == _ANONYMOUS), size, used)
            for scope, size, used in self._db.execute(_ACCOUNTS).fetchall()
        ]

    def entries(self, account: Account) -> Iterator[Held]:
        # In batches, because a statement that is not read to its end would outlive the transaction.
        start, limit = 0, _FIRST_BATCH
        while batch := self._db.execute(_ENTRIES, (*account, limit, start)).fetchall():
            yield from (Held(*row) for row in batch)
            start, limit = start + limit, 2 * limit

    def replaced(self, key: str) -> tuple[Account, int] | None:
        found = self._db.execute(
            "SELECT account, anonymous, size FROM entries WHERE key = ?", (key,)
        ).fetchone()
        return None if found is None else (Account(found[0], bool(found[1])), found[2])

    def _used_bytes(self, scope: str) -> int:
        row = self._db.execute("SELECT bytes FROM usage WHERE scope = ?", (scope,)).fetchone()
        return row[0] if row else 0
