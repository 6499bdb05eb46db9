"""Caches that drop, change or refuse values: no silent loss, no part for the whole, and an error
that names the cache and says what to do."""

from __future__ import annotations

import pickle

import pytest
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache

from penstock import Call, Gate
from penstock.django.cache.store import CacheStore
from penstock.django.cache.values import sealed
from penstock.errors import EntryCorrupt, StoreError, StoreFull, StoreTooNew, StoreUnavailable
from penstock.testing import LATER, NOW, make_record

HERE = __name__
LARGE = make_record(b"x" * 1_500_000, b"y" * 700_000)
SMALL = make_record(b"0")


class Memcached(LocMemCache):
    """A cache as strict as memcached: it silently drops values above a megabyte."""

    limit = 1_000_000

    def set(self, key, value, timeout=None, version=None):
        if len(key) + len(pickle.dumps(value)) > self.limit:
            self.delete(key, version=version)
        else:
            super().set(key, value, timeout, version)


class SmallMemcached(Memcached):
    limit = 100_000


class Down(LocMemCache):
    def get(self, key, default=None, version=None):
        raise ConnectionRefusedError(111, "Connection refused")

    set = touch = delete = has_key = get


class ReadOnly(LocMemCache):
    def set(self, key, value, timeout=None, version=None):
        raise RuntimeError("this replica is read-only")


class Changing(LocMemCache):
    """A serializer that does not give back what it took."""

    def get(self, key, default=None, version=None):
        found = super().get(key, default, version)
        return found if found is default else found[:-1] + b"?"


class Decoding(LocMemCache):
    """A client that decodes bytes to text."""

    def get(self, key, default=None, version=None):
        found = super().get(key, default, version)
        return found if found is default else found.decode("latin-1")


class Forgetful(LocMemCache):
    """A cache that loses the first writes, as the database backend does with two writers."""

    losses = 0

    def set(self, key, value, timeout=None, version=None):
        if type(self).losses > 0:
            type(self).losses -= 1
        else:
            super().set(key, value, timeout, version)


@pytest.fixture
def cached(settings, request):
    """Return a store on a cache of this class."""

    def cached(backend, **options):
        path = backend if isinstance(backend, str) else f"{HERE}.{backend.__name__}"
        settings.CACHES = {
            "default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"},
            "shared": {"BACKEND": path, "LOCATION": request.node.name, "OPTIONS": options},
        }
        return CacheStore("shared")

    yield cached
    if "shared" in settings.CACHES:
        caches["shared"].clear()


DUMMY = "django.core.cache.backends.dummy.DummyCache"
LOCMEM = "django.core.cache.backends.locmem.LocMemCache"
CULLING = {"MAX_ENTRIES": 2, "CULL_FREQUENCY": 2}


@pytest.mark.parametrize(
    ("backend", "options", "record", "kind", "told"),
    [
        (DUMMY, {}, SMALL, StoreError, "keeps nothing"),
        (DUMMY, {}, LARGE, StoreError, "keeps nothing"),
        (LOCMEM, CULLING, LARGE, StoreFull, "dropped"),
        (LOCMEM, {"MAX_ENTRIES": 3, "CULL_FREQUENCY": 0}, LARGE, StoreFull, "dropped"),
        (SmallMemcached, {}, LARGE, StoreFull, "dropped"),
        (Down, {}, SMALL, StoreUnavailable, "Connection refused"),
        (ReadOnly, {}, SMALL, StoreUnavailable, "read-only"),
        (ReadOnly, {}, LARGE, StoreUnavailable, "read-only"),
        (Changing, {}, SMALL, StoreError, "changes"),
        (Changing, {}, LARGE, StoreError, "changes"),
        (Decoding, {}, LARGE, StoreError, "changes"),
    ],
)
def test_what_a_cache_does_not_keep_is_an_error_that_names_it(
    cached, backend, options, record, kind, told
):
    store = cached(backend, **options)
    with pytest.raises(StoreError, match=told) as caught:
        store.put("key", record, now=NOW)
    assert type(caught.value) is kind
    name = backend if isinstance(backend, str) else f"{HERE}.{backend.__name__}"
    assert f'The cache "shared" ({name})' in caught.value.message
    assert caught.value.next_step
    # An agent must not learn the names of classes or hosts.
    assert "shared" not in caught.value.told
    assert store.stats().entries == 0


@pytest.mark.parametrize("backend", [DUMMY, SmallMemcached])
def test_what_was_refused_is_not_there(cached, backend):
    store = cached(backend)
    with pytest.raises(StoreError):
        store.put("key", LARGE, now=NOW)
    assert store.load("key", now=NOW) is None
    with pytest.raises(EntryCorrupt):
        store.read("key", [0])


def test_a_megabyte_a_value_is_enough(cached):
    store = cached(Memcached)
    store.put("key", LARGE, now=NOW)
    assert store.read("key", [1, 0]) == [LARGE.chunks[1], LARGE.chunks[0]]


def test_a_small_entry_lives_in_a_cache_of_two(cached):
    store = cached(LOCMEM, **CULLING)
    store.put("key", SMALL, now=NOW)
    assert store.read("key", [0]) == [b"0"]


@pytest.mark.parametrize("culled", range(5), ids="block {}".format)
def test_an_entry_that_was_culled_in_part_is_not_served(cached, culled):
    store = cached(LOCMEM)
    store.put("key", LARGE, now=NOW)
    cache = caches["shared"]
    keys = [key.removeprefix(":1:") for key in cache._cache]
    assert len(keys) == 6
    cache.delete(next(key for key in keys if key.endswith(f":{culled}")))
    with pytest.raises(EntryCorrupt):
        store.read("key", [0, 1])
    with pytest.raises(EntryCorrupt):
        store.load("key", now=NOW, rows=(0, 20))
    assert store.load("key", now=NOW).head == LARGE.head


def test_an_entry_whose_stub_was_culled_is_gone(cached):
    store = cached(LOCMEM)
    store.put("key", LARGE, now=NOW)
    cache = caches["shared"]
    stub = min((key.removeprefix(":1:") for key in cache._cache), key=len)
    cache.delete(stub)
    assert store.load("key", now=NOW) is None
    assert store.stats().entries == 0


@pytest.mark.parametrize("failing", ["block", "stub"])
def test_a_put_that_fails_leaves_the_old_entry(cached, monkeypatch, failing):
    store = cached(LOCMEM)
    old = make_record(b"a" * 100_000, b"b", head=b"old")
    store.put("key", old, now=NOW)
    store.touch("key", expires=NOW + 1_000)
    before = dict(caches["shared"]._cache)
    plain = LocMemCache.set

    def drop(self, key, value, timeout=None, version=None):
        is_block = key.count(":") == 3
        if is_block == (failing == "block") and b"old" not in value and "probe" not in key:
            self.delete(key)
        else:
            plain(self, key, value, timeout, version)

    monkeypatch.setattr(LocMemCache, "set", drop)
    with pytest.raises(StoreFull):
        store.put("key", LARGE, now=NOW)
    loaded = store.load("key", now=NOW, rows=(0, 20))
    assert (loaded.head, loaded.chunks) == (b"old", {0: b"a" * 100_000, 1: b"b"})
    assert loaded.expires == NOW + 1_000
    assert dict(caches["shared"]._cache) == before
    assert store.stats().entries == 1


def test_a_write_that_is_lost_once_is_made_again(cached, monkeypatch):
    store = cached(Forgetful)
    monkeypatch.setattr(Forgetful, "losses", 3)
    store.put("key", LARGE, now=NOW)
    assert store.read("key", [0, 1]) == list(LARGE.chunks)
    assert Forgetful.losses == 0


@pytest.mark.parametrize("operation", ["load", "read", "touch", "delete", "sweep"])
def test_a_cache_that_goes_down_later_is_an_error_each_time(cached, monkeypatch, operation):
    store = cached(LOCMEM)
    store.put("key", SMALL, now=NOW)
    for name in ("get", "set", "touch", "delete"):
        monkeypatch.setattr(LocMemCache, name, getattr(Down, name))
    calls = {
        "load": lambda: store.load("key", now=NOW),
        "read": lambda: store.read("key", [0]),
        "touch": lambda: store.touch("key", expires=NOW + 1_000),
        "delete": lambda: store.delete("key"),
        "sweep": lambda: store.sweep(now=NOW + 1_000),
    }
    with pytest.raises(StoreUnavailable, match='cache "shared"'):
        calls[operation]()
    monkeypatch.undo()
    assert store.read("key", [0]) == [b"0"]


def test_a_cache_that_the_site_does_not_have(settings):
    with pytest.raises(StoreUnavailable, match=r'"none" \(not in CACHES\)'):
        CacheStore("none").load("key", now=NOW)


def stub_key():
    return min((key.removeprefix(":1:") for key in caches["shared"]._cache), key=len)


def life_key():
    return f"{stub_key()}:life"


def block_key():
    return next(key.removeprefix(":1:") for key in caches["shared"]._cache if key[-2:] == ":3")


DAMAGES = [
    lambda value: "text",
    lambda value: b"",
    lambda value: value[:5],
    lambda value: value[:-1],
    lambda value: value + b"?",
    lambda value: b"?" + value[1:],
    lambda value: value[:4] + b"????" + value[8:],
    lambda value: sealed(b"\x93\x01\x02\x03"),
    bytearray,
    lambda value: {"expires": 1e99},
    lambda value: 7,
]
damaged = pytest.mark.parametrize("damage", DAMAGES, ids=range(len(DAMAGES)))


@damaged
@pytest.mark.parametrize("which", [stub_key, block_key])
def test_a_damaged_value_is_never_served(cached, which, damage):
    store = cached(LOCMEM)
    store.put("key", LARGE, now=NOW)
    cache, key = caches["shared"], which()
    cache.set(key, damage(cache.get(key)))
    with pytest.raises(EntryCorrupt):
        store.load("key", now=NOW, rows=(0, 20))
    store.put("key", SMALL, now=NOW)
    assert store.load("key", now=NOW, rows=(0, 10)).chunks == {0: b"0"}
    store.delete("key")
    assert store.load("key", now=NOW) is None


@damaged
def test_an_entry_whose_touch_is_damaged_lives_as_long_as_it_was_put_for(cached, damage):
    store = cached(LOCMEM)
    store.put("key", SMALL, now=NOW)
    store.touch("key", expires=LATER + 1_000)
    cache, key = caches["shared"], life_key()
    cache.set(key, damage(cache.get(key)))
    assert store.load("key", now=NOW, rows=(0, 10)).chunks == {0: b"0"}
    assert store.load("key", now=LATER) is None


def test_an_entry_of_a_newer_version_is_refused(cached):
    store = cached(LOCMEM)
    store.put("key", SMALL, now=NOW)
    value = caches["shared"].get(stub_key())
    caches["shared"].set(stub_key(), value[:3] + bytes([99]) + value[4:])
    with pytest.raises(StoreTooNew, match="schema 99"):
        store.load("key", now=NOW)


def test_a_file_that_the_backend_cannot_read_is_a_damaged_entry(settings, tmp_path):
    backend = "django.core.cache.backends.filebased.FileBasedCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": str(tmp_path)}}
    store = CacheStore()
    store.put("key", SMALL, now=NOW)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-5] + b"?????")
    with pytest.raises(EntryCorrupt, match="FileBasedCache"):
        store.load("key", now=NOW)


def test_the_agent_gets_its_first_rows_and_is_told_when_the_cache_keeps_nothing(cached):
    rows = [{"id": number, "name": f"name {number}"} for number in range(5_000)]
    with Gate(store=cached(DUMMY)) as gate:
        reply = gate.offer(Call("list"), rows)
    assert "continuation_token" not in reply.text
    assert reply.value["stored"] is False
    assert '"name 0"' in reply.text
    assert "DummyCache" not in reply.text
