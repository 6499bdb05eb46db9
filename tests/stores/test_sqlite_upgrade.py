"""Files of an older schema: brought up to date in place, with what they hold."""

import sqlite3
from pathlib import Path
from zlib import crc32

import pytest

from penstock.core.model.store import Account
from penstock.stores.sqlite import SQLiteStore
from penstock.testing import LATER, NOW, make_record

OLD_SCHEMA = Path(__file__).with_name("schema_1.sql").read_text("utf-8")
INSERT = (
    "INSERT INTO entries (key, owner, used, expires, size, chunk_count, checksum, head, "
    '"index") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)'
)


def add(db, number, owner="alice"):
    """Add an entry as version 1 of the schema did."""
    record = make_record(b"row " * 5_000, b"end", head=b"head %d" % number)
    values = (f"key {number}", owner, number, LATER, record.size, len(record.chunks))
    checksum = crc32(record.index, crc32(record.head))
    entry = db.execute(INSERT, (*values, checksum, record.head, record.index)).lastrowid
    for place, body in enumerate(record.chunks):
        row = ((entry << 32) + place, crc32(body), body)
        db.execute("INSERT INTO chunks VALUES (?, ?, ?)", row)


@pytest.fixture
def old(tmp_path):
    """An open connection to a file of version 1, with five entries."""
    path = tmp_path / "results.sqlite"
    path.touch(0o600)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA auto_vacuum = INCREMENTAL")
    db.execute("PRAGMA journal_mode = WAL")
    db.executescript(OLD_SCHEMA)
    db.execute("PRAGMA application_id = 0x50454E53")
    db.execute("PRAGMA user_version = 1")
    for number in range(5):
        add(db, number, owner="alice" if number else "bob")
    yield path, db
    db.close()


def opened(path, **limits):
    return SQLiteStore(path, clock=lambda: NOW, **limits)


def schema_of(db):
    """Return the tables with their columns, the indexes and the triggers."""
    names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    tables = {name: db.execute(f"PRAGMA table_xinfo({name})").fetchall() for name in names}
    rest = "SELECT name, sql FROM sqlite_master WHERE type <> 'table' AND sql <> ''"
    return tables, dict(db.execute(rest))


def test_nothing_is_lost(old):
    path, _ = old
    store = opened(path)
    for number in range(5):
        loaded = store.load(f"key {number}", now=NOW, rows=(0, 20))
        assert loaded.head == b"head %d" % number
        assert loaded.chunks == {0: b"row " * 5_000, 1: b"end"}
    assert store.stats().entries == 5
    store.close()


def test_the_schema_is_that_of_a_new_file(old, tmp_path):
    path, db = old
    opened(path).close()
    opened(tmp_path / "new.sqlite").close()
    new = sqlite3.connect(tmp_path / "new.sqlite")
    assert schema_of(db) == schema_of(new)
    for one in (db, new):
        assert one.execute("PRAGMA user_version").fetchone() == (2,)
    new.close()


def test_an_old_entry_counts_against_its_owner(old):
    path, db = old
    size = db.execute("SELECT size FROM entries").fetchone()[0]
    store = opened(path, quota=5 * size)
    store.put("new", make_record(b"x" * (2 * size - 100)), now=NOW)
    there = [entry.key for entry in store.entries(None, now=NOW)]
    assert there == ["key 0", "key 2", "key 3", "key 4", "new"]
    store.put("asked", make_record(account=Account("p", is_anonymous=True)), now=NOW)
    for key in [*there, "asked"]:
        store.delete(key)
    assert db.execute("SELECT count(*) FROM usage").fetchone() == (0,)
    store.close()


def test_a_process_of_the_old_version_that_has_the_file_open_goes_on(old):
    path, db = old
    store = opened(path)
    add(db, 5)
    assert store.read("key 5", [1]) == [b"end"]
    assert store.stats().entries == 6
    db.execute("DELETE FROM entries WHERE owner = 'alice'")
    assert [entry.key for entry in store.entries(None, now=NOW)] == ["key 0"]
    assert db.execute("SELECT count(*) FROM chunks").fetchone() == (2,)
    store.close()


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(old, monkeypatch):
    path, db = old
    before = schema_of(db)
    db.execute("CREATE INDEX entries_by_account ON entries (key)")  # in the way of the upgrade
    with pytest.raises(Exception, match="entries_by_account"):
        opened(path)
    db.execute("DROP INDEX entries_by_account")
    assert schema_of(db) == before
    opened(path).close()
