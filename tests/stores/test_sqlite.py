import multiprocessing
import os
import sqlite3
import stat
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing

import pytest

from penstock.errors import (
    EntryCorrupt,
    InvalidSetting,
    StoreError,
    StoreFull,
    StoreTooNew,
    StoreUnavailable,
)
from penstock.stores.sqlite import SQLiteStore
from penstock.stores.sqlite_file import SQLiteFile
from penstock.testing import LATER, NOW, EvictingStoreContract, make_record

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and fork are of POSIX")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


@pytest.fixture
def store(path):
    store = SQLiteStore(path)
    yield store
    store.close()


class TestSQLiteStore(EvictingStoreContract):
    @pytest.fixture
    def store(self, path):
        store = SQLiteStore(path, capacity=self.capacity, quota=self.quota)
        yield store
        store.close()


def test_survives_a_restart(path):
    for number in range(3):
        store = SQLiteStore(path, clock=lambda: NOW)
        assert store.stats().entries == number
        for old in range(number):
            assert store.read(f"key {old}", [0]) == [b"0"]
        store.put(f"key {number}", make_record(b"0"), now=NOW)
        store.close()


def now():
    return NOW


def _work(path, worker):
    """Do the work of one of several processes: write its own entries, and one that all write."""
    store = SQLiteStore(path, clock=now)
    for number in range(20):
        mark = b"%d" % (worker * 100 + number)
        store.put("shared", make_record(*[mark] * 5, head=mark), now=NOW)
        store.put(mark.decode(), make_record(mark), now=NOW)
        shared = store.load("shared", now=NOW, rows=(0, 50))
        assert set(shared.chunks.values()) == {shared.head}
        assert len(shared.chunks) == 5
    store.close()


def test_several_processes_on_one_file(path):
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(4, mp_context=spawn) as pool:
        for done in [pool.submit(_work, path, worker) for worker in range(4)]:
            done.result()
    store = SQLiteStore(path, clock=now)
    assert store.stats().entries == 81
    store.close()


def test_many_threads_open_one_new_file(path):
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: SQLiteStore(path), range(8)))
    stores[0].put("key", make_record(b"0"), now=NOW)
    assert all(store.read("key", [0]) == [b"0"] for store in stores)
    for store in stores:
        store.close()


@posix
# Python 3.12 and newer warn about a fork in a process with threads; these threads run nothing.
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_opens_connections_of_its_own(store):
    store.put("key", make_record(b"0"), now=NOW)
    child = os.fork()
    if child == 0:
        try:
            store.put("child", make_record(b"1"), now=NOW)
            fine = store.read("key", [0]) == [b"0"] and len(store._file._inherited) == 1
        except BaseException:  # noqa: BLE001 -- the child must not run the rest of the tests
            fine = False
        os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.read("child", [0]) == [b"1"]


@posix
def test_files_are_for_their_owner_only(tmp_path):
    path = tmp_path / "a" / "b" / "results.sqlite"
    old = os.umask(0)
    try:
        store = SQLiteStore(path)
        store.put("key", make_record(b"0"), now=NOW)
    finally:
        os.umask(old)
    files = sorted(path.parent.iterdir())
    assert [file.name.removeprefix(path.name) for file in files] == ["", "-shm", "-wal"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    for folder in (path.parent, path.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    store.close()


def test_a_newer_schema_is_refused(path, store):
    with store._file.writing() as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreTooNew, match="schema 99"):
        SQLiteStore(path)


def test_a_file_that_is_no_database_is_refused_and_left_alone(path):
    path.write_bytes(b"something else " * 1000)
    with pytest.raises(StoreError, match="is not an SQLite database"):
        SQLiteStore(path)
    assert path.read_bytes() == b"something else " * 1000


def test_a_database_of_another_program_is_refused_and_left_alone(path):
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE users (name)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not one of Penstock's"):
        SQLiteStore(path)
    assert path.read_bytes() == before


def test_a_path_that_cannot_be_opened(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "results.sqlite", tmp_path):
        with pytest.raises(StoreUnavailable, match="cannot be opened"):
            SQLiteStore(path)


def test_memory_is_another_store():
    with pytest.raises(InvalidSetting, match="memory:"):
        SQLiteStore(":memory:")


def test_a_full_disk_leaves_nothing_half_written(store):
    old = make_record(b"old")
    store.put("key", old, now=NOW)
    with store._file.writing() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages + 20}")
    with pytest.raises(StoreFull, match="no space left"):
        store.put("key", make_record(*[os.urandom(64_000)] * 20), now=NOW)
    assert store.stats().bytes == old.size
    assert store.load("key", now=NOW, rows=(0, 10)).chunks == {0: b"old"}
    store.put("small", make_record(b"fits"), now=NOW)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE chunks SET body = zeroblob(length(body))",
        "DELETE FROM chunks",
        "UPDATE entries SET head = x'00'",
        "UPDATE entries SET \"index\" = x'0000'",
    ],
)
def test_damage_is_found_and_not_served(store, damage):
    store.put("key", make_record(b"body"), now=NOW)
    with store._file.writing() as db:
        db.execute(damage)
    with pytest.raises(EntryCorrupt):
        store.load("key", now=NOW, rows=(0, 10))


def test_a_list_leaves_out_a_damaged_entry(store):
    for key in ("good", "damaged"):
        store.put(key, make_record(b"body"), now=NOW)
    with store._file.writing() as db:
        db.execute("UPDATE entries SET head = x'00' WHERE key = 'damaged'")
    assert [entry.key for entry in store.entries(None, now=NOW)] == ["good"]


def test_a_damaged_page_of_the_file_is_found(path, store):
    store.put("key", make_record(*[b"x" * 60_000] * 9), now=NOW)
    store.close()
    content = bytearray(path.read_bytes())
    content[16384:] = os.urandom(len(content) - 16384)
    path.write_bytes(content)
    with pytest.raises(EntryCorrupt), closing(SQLiteStore(path)) as damaged:
        damaged.load("key", now=NOW, rows=(0, 90))


def test_a_sweep_gives_the_space_back(path, store):
    store.put("kept", make_record(b"0", expires=LATER + 100), now=NOW)
    for number in range(20):
        store.put(str(number), make_record(os.urandom(500_000)), now=NOW)
    assert store.sweep(now=LATER) == 20
    assert sum(file.stat().st_size for file in path.parent.iterdir()) < 300_000
    assert store.read("kept", [0]) == [b"0"]


def test_puts_remove_what_has_expired_now_and_then(store):
    for number in range(40):
        store.put(str(number), make_record(b"0"), now=NOW)
    for number in range(20):
        store.put(f"new{number}", make_record(b"0", expires=LATER + 300), now=LATER)
    assert store.stats().entries == 20


def test_a_closed_store_says_so(store):
    store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        store.load("key", now=NOW)


def test_a_clear_up_does_not_wait_long_for_another_process(path, store):
    """Old connections and new ones lose their patience, and get it back."""
    file = SQLiteFile(path)
    with file.impatient(0.5), file.reading() as first, file.reading() as second:
        assert [patience(db) for db in (first, second)] == [500, 500]
    with file.reading() as db:
        assert patience(db) == 10_000
    file.close()


def patience(db):
    return db.execute("PRAGMA busy_timeout").fetchone()[0]


def test_a_locked_file_opens_and_closes_with_a_warning(path, store, caplog):
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        SQLiteStore(path).close()
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 2
    assert all("expired results stay" in line for line in told)
