"""The files of a store: for their owner alone, and rid of what has expired."""

import logging
import os
import sqlite3
import stat
import sys
import time

import pytest

from penstock.errors import InvalidSetting, StoreError
from penstock.figures.file import FiguresFile
from penstock.stores import open_store
from penstock.stores.private_file import create_private
from penstock.stores.sqlite import SQLiteStore
from penstock.testing import NOW, make_record

SECRET = b"a secret that someone has stored"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and owners are of POSIX")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


@pytest.fixture(params=["", "-wal", "-shm"])
def file(path, request):
    """One of the files of a store that another process has open."""
    store = SQLiteStore(path)
    store.put("key", make_record(b"0"), now=NOW)
    yield path.with_name(path.name + request.param)
    store.close()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666, 0o620])
@pytest.mark.parametrize("opened", [SQLiteStore, FiguresFile], ids=["results", "figures"])
def test_a_file_that_others_may_use_is_refused(path, opened, mode):
    path.touch(0o600)
    path.chmod(mode)
    with pytest.raises(StoreError, match=f"use .*mode {mode:o}.*yours alone") as refused:
        opened(path)
    assert refused.value.next_step == f"chmod 600 {path}"
    assert path.read_bytes() == b""
    path.chmod(0o600)
    opened(path)


def test_so_are_the_files_beside_it(path, file):
    file.chmod(0o644)
    with pytest.raises(StoreError, match=f"Other users may use {file}") as refused:
        SQLiteStore(path)
    assert refused.value.next_step == f"chmod 600 {file}"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can chown")
def test_a_file_of_another_user_is_refused(path, file):
    os.chown(file, 12_345, -1)
    with pytest.raises(StoreError, match=f"{file} belongs to another user .12345; ") as refused:
        SQLiteStore(path)
    assert "Run as that user" in refused.value.next_step


def test_a_file_of_another_user_is_refused_by_its_number(path, file, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 1)
    with pytest.raises(StoreError, match="belongs to another user"):
        SQLiteStore(path)


def test_a_link_that_leads_nowhere_is_refused(path, tmp_path):
    path.symlink_to(tmp_path / "elsewhere.sqlite")
    with pytest.raises(StoreError, match="a link to a file that does not exist") as refused:
        SQLiteStore(path)
    assert "Remove the link" in refused.value.next_step
    assert not (tmp_path / "elsewhere.sqlite").exists()


def test_a_link_to_a_file_of_ours_is_followed(path, tmp_path):
    (tmp_path / "volume").mkdir()
    target = tmp_path / "volume" / "real.sqlite"
    SQLiteStore(target).close()
    path.symlink_to(target)
    SQLiteStore(path).close()
    target.chmod(0o644)
    with pytest.raises(StoreError, match="Other users may use"):
        SQLiteStore(path)


def test_a_link_in_the_place_of_the_log_is_refused(path, tmp_path):
    SQLiteStore(path).close()
    (tmp_path / "stolen").touch(0o600)
    path.with_name(path.name + "-wal").symlink_to(tmp_path / "stolen")
    with pytest.raises(StoreError, match="not a regular file"):
        SQLiteStore(path)


def test_an_open_folder_is_a_volume_and_no_danger_by_itself(tmp_path):
    tmp_path.chmod(0o777)
    SQLiteStore(tmp_path / "results.sqlite").close()
    assert stat.S_IMODE((tmp_path / "results.sqlite").stat().st_mode) == 0o600


def test_a_file_system_without_permissions_is_refused(path, monkeypatch):
    """As on a Windows drive under WSL: whatever is created, everyone may use it."""
    create = os.open
    monkeypatch.setattr(os, "open", lambda name, flags, _mode: _open_to_all(create, name, flags))
    with pytest.raises(StoreError, match="has no permissions"):
        create_private(path)
    assert not path.exists()


def _open_to_all(create, name, flags):
    handle = create(name, flags, 0o600)
    os.fchmod(handle, 0o777)
    return handle


def test_a_second_store_leaves_the_locks_of_the_first(path):
    """Closing any handle of a file ends all locks that its process has on it."""
    first = SQLiteStore(path)
    with first._file.writing() as db:
        db.execute("DELETE FROM entries")
        create_private(path)
        other = sqlite3.connect(path, timeout=0)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.close()
    first.close()


# -- what has expired --------------------------------------------------------------------------


def bytes_of(path):
    return b"".join(file.read_bytes() for file in path.parent.iterdir())


def put(store, key, expires):
    rows = [SECRET + b" %d" % number for number in range(1_000)]
    store.put(key, make_record(b"".join(rows), head=SECRET, expires=expires), now=NOW)


@pytest.mark.parametrize("when", ["start", "exit"])
def test_what_has_expired_cannot_be_read_in_the_file(path, when):
    now = NOW
    store = SQLiteStore(path, clock=lambda: now)
    put(store, "key", NOW + 10)
    kept = make_record(b"kept", expires=NOW + 1_000)
    store.put("kept", kept, now=NOW)
    if when == "start":
        store.close()
        assert SECRET in bytes_of(path)
    now = NOW + 20
    if when == "start":
        store = SQLiteStore(path, clock=lambda: now)
        assert SECRET not in bytes_of(path)
    store.close()
    assert SECRET not in bytes_of(path)
    store = SQLiteStore(path, clock=lambda: now)
    assert store.read("kept", [0]) == [b"kept"]
    store.close()


def test_what_is_deleted_is_overwritten(path):
    """Free pages that the file keeps do not hold it either."""
    store = SQLiteStore(path, clock=lambda: NOW)
    put(store, "key", NOW + 10)
    store.delete("key")
    with store._file.writing() as db:
        assert db.execute("PRAGMA freelist_count").fetchone()[0] > 0
    with store._file._borrowed() as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert SECRET not in bytes_of(path)
    store.close()


def test_a_store_opened_by_url_clears_up_by_the_time_of_day(path):
    open_store(f"sqlite://{path}").put(
        "old", make_record(b"0", expires=time.time() - 1), now=time.time() - 2
    )
    store = open_store(f"sqlite://{path}")
    assert store.stats().entries == 0
    store.close()


def test_a_store_that_cannot_be_cleared_up_is_still_of_use(path, caplog):
    now = NOW
    store = SQLiteStore(path, clock=lambda: now)
    put(store, "key", NOW + 10)
    with store._file.writing() as db:
        db.execute(
            "CREATE TRIGGER stuck BEFORE DELETE ON entries BEGIN SELECT raise(ABORT, 'stuck'); END"
        )
    now = NOW + 20
    with caplog.at_level(logging.WARNING, "penstock"):
        store.close()
    assert f"expired results stay in {path}" in caplog.text
    store = SQLiteStore(path, clock=lambda: NOW)
    assert store.load("key", now=NOW) is not None
    store.close()


@pytest.mark.parametrize(
    "url", ["sqlite:///:memory:", "sqlite::memory:", "sqlite:///%3Amemory%3A", "sqlite:/:memory:"]
)
def test_a_database_in_memory_is_another_store(url):
    with pytest.raises(InvalidSetting, match="memory:"):
        open_store(url)
