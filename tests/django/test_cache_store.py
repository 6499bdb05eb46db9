"""Django's caches as a store: the contract of every store, on each of Django's backends."""

from __future__ import annotations

import subprocess
import sys
from functools import wraps

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.db import connections

import django
from penstock import Call, Gate
from penstock.django.cache.ledger import SPARE_NOTES
from penstock.django.cache.store import SLACK_SECONDS, CacheStore
from penstock.stores import Stats
from penstock.testing import LATER, NOW, StoreContract, make_record

BACKENDS = "django.core.cache.backends"
DATABASE = "results"
IMMEDIATE = (5, 1)
RACES = ("test_a_record_is_never_seen_torn", "test_threads_keep_out_of_each_others_entries")


class CacheRouter:
    """A router that gives Django's cache its own database, so that threads share a file."""

    def db_for_read(self, model, **hints):
        return DATABASE if model._meta.app_label == "django_cache" else None

    db_for_write = db_for_read

    def allow_migrate(self, db, app_label, **hints):
        return (db == DATABASE) == (app_label == "django_cache")


@pytest.fixture
def locmem(settings, request):
    settings.CACHES = {
        "default": {
            "BACKEND": f"{BACKENDS}.locmem.LocMemCache",
            "LOCATION": request.node.name,
            "OPTIONS": {"MAX_ENTRIES": 5_000},
        }
    }
    yield
    caches["default"].clear()


@pytest.fixture
def files(settings, tmp_path):
    settings.CACHES = {
        "default": {
            "BACKEND": f"{BACKENDS}.filebased.FileBasedCache",
            "LOCATION": str(tmp_path / "cache"),
        }
    }


@pytest.fixture
def database(settings, tmp_path, django_db_blocker):
    settings.CACHES = {"default": {"BACKEND": f"{BACKENDS}.db.DatabaseCache", "LOCATION": "cached"}}
    settings.DATABASE_ROUTERS = [CacheRouter()]
    # Without this, SQLite refuses one of two writers that have both read, and Django's cache is
    # silent.
    mode = {"transaction_mode": "IMMEDIATE"} if django.VERSION >= IMMEDIATE else {}
    connections.databases[DATABASE] = {
        **connections.databases["default"],
        "NAME": str(tmp_path / "cache.sqlite"),
        "OPTIONS": {"timeout": 30, **mode},
    }
    with django_db_blocker.unblock():
        call_command("createcachetable", database=DATABASE)
        yield
        connections[DATABASE].close()
    del connections[DATABASE]
    del connections.databases[DATABASE]


@pytest.fixture
def redis(settings, redis_url):
    settings.CACHES = {
        "default": {"BACKEND": f"{BACKENDS}.redis.RedisCache", "LOCATION": redis_url}
    }


@pytest.mark.parametrize("backend", ["locmem", "files", "redis"])
class TestCacheStore(StoreContract):
    can_list = False

    @pytest.fixture
    def store(self, backend, request):
        request.getfixturevalue(backend)
        return CacheStore(quota=self.quota)


def as_in_a_request(method):
    """Close a thread's connections, as Django does when a request is over."""

    @wraps(method)
    def call(*args, **kwargs):
        try:
            return method(*args, **kwargs)
        finally:
            connections[DATABASE].close()

    return call


class DatabaseCacheStore(CacheStore):
    put = as_in_a_request(CacheStore.put)
    load = as_in_a_request(CacheStore.load)
    read = as_in_a_request(CacheStore.read)
    touch = as_in_a_request(CacheStore.touch)
    delete = as_in_a_request(CacheStore.delete)


class TestCacheStoreInADatabase(StoreContract):
    can_list = False

    @pytest.fixture
    def store(self, database, request):
        if django.VERSION < IMMEDIATE and request.function.__name__ in RACES:
            pytest.skip("before Django 5.1, SQLite refuses one of two writers that have both read")
        return DatabaseCacheStore(quota=self.quota)


@pytest.mark.parametrize("backend", ["locmem", "redis"])
class TestCacheStoreInBlocks(StoreContract):
    """The same contract, with values so small that nearly every entry has several blocks."""

    can_list = False

    @pytest.fixture
    def store(self, backend, request):
        request.getfixturevalue(backend)
        return CacheStore(quota=self.quota, value_bytes=100)


@pytest.fixture
def client(redis, redis_url):
    library = pytest.importorskip("redis")
    with library.Redis.from_url(redis_url) as client:
        yield client


def test_a_small_entry_is_one_value(client):
    CacheStore().put("key", make_record(*[b"x" * 100] * 100), now=NOW)
    assert len(client.keys()) == 1


def test_no_value_is_larger_than_memcached_takes(client):
    chunks = [b"a" * 3_000_000, *[b"b" * 40_000] * 100, b"", b"c" * 512_000]
    store = CacheStore()
    store.put("key", make_record(*chunks), now=NOW)
    assert store.read("key", range(len(chunks))) == chunks
    sizes = [client.strlen(key) for key in client.scan_iter()]
    assert max(sizes) < 600_000
    # 7.5 MB; caches limit the number of values too.
    assert len(sizes) == 16


def test_the_cache_clears_up_some_time_after_expiry(client):
    def lives():
        return [client.ttl(key) for key in client.scan_iter()]

    store = CacheStore(value_bytes=1_000)
    store.put("key", make_record(b"x" * 5_000), now=NOW)
    assert 300 < min(lives()) <= max(lives()) <= 300 + SLACK_SECONDS
    store.touch("key", expires=LATER + 3_000)
    assert 3_300 < min(lives()) <= max(lives()) <= 3_300 + SLACK_SECONDS
    store.touch("key", expires=float("inf"))
    assert min(lives()) > 10**8


def test_nothing_stays_behind(client):
    store = CacheStore(value_bytes=1_000)
    store.put("key", make_record(b"x" * 50_000), now=NOW)
    store.put("key", make_record(b"y" * 5_000), now=NOW)
    store.touch("key", expires=LATER + 1)
    store.put("expired", make_record(b"y" * 5_000), now=NOW)
    assert len(client.keys()) == 6 + 1 + 6
    store.delete("key")
    store.sweep(now=LATER)
    assert client.keys() == []


def test_keys_have_the_prefixes_of_the_site_and_of_the_store(settings, client, redis_url):
    backend = {"BACKEND": f"{BACKENDS}.redis.RedisCache", "LOCATION": redis_url}
    settings.CACHES = {"default": backend, "large": {**backend, "KEY_PREFIX": "site"}}
    CacheStore("large", prefix="mine:").put("key", make_record(b"0"), now=NOW)
    (key,) = client.keys()
    assert key.startswith(b"site:1:mine:")
    assert CacheStore("default", prefix="mine:").load("key", now=NOW) is None


def test_a_later_put_is_not_bound_by_an_earlier_touch(locmem):
    store = CacheStore()
    store.put("key", make_record(b"0"), now=NOW)
    store.touch("key", expires=LATER + 1_000)
    store.put("key", make_record(b"1"), now=NOW)
    assert store.load("key", now=NOW).expires == LATER
    assert store.load("key", now=LATER) is None


def test_stores_of_two_processes_share_entries_but_not_their_counts(files):
    one, other = CacheStore(), CacheStore()
    one.put("key", make_record(b"0"), now=NOW)
    assert other.load("key", now=NOW, rows=(0, 1)).chunks == {0: b"0"}
    assert (one.stats().entries, other.stats().entries) == (1, 0)
    other.touch("key", expires=LATER + 100)
    assert one.sweep(now=LATER) == 0
    assert one.load("key", now=LATER) is not None
    other.delete("key")
    assert one.load("key", now=LATER) is None
    assert one.stats() == Stats(entries=0, bytes=0)


def test_another_process_finds_the_entry(files, settings):
    record = make_record(b"x" * 100_000, b"y")
    CacheStore().put("key", record, now=NOW)
    program = (
        "from django.conf import settings\n"
        f"settings.configure(CACHES={settings.CACHES!r})\n"
        "from penstock.django.cache.store import CacheStore\n"
        f"print(CacheStore().load('key', now={NOW}, rows=(10, 11)).chunks)\n"
    )
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "{1: b'y'}", done.stderr


def test_what_is_long_gone_is_not_counted_for_ever(locmem):
    store = CacheStore()
    for number in range(2_000):
        store.put(str(number), make_record(b"0", expires=NOW + number + 1), now=NOW + number)
    assert store.stats().entries <= 2 * SPARE_NOTES


def test_a_result_goes_through_the_cache_and_comes_back_whole(files):
    rows = [{"id": number, "name": f"name {number}" * 9} for number in range(20_000)]
    with Gate(store=CacheStore()) as gate:
        probe = gate.offer(Call("list"), rows).value
        token, seen = probe["continuation_token"], []
        while token:
            page = gate.read(Call("read_result", {"continuation_token": token, "page_size": 500}))
            seen += page.value["items"]
            token = page.value["next"]
        assert seen == rows
        assert gate.store.stats().entries == 1
