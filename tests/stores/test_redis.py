import pytest

from penstock.errors import (
    EntryCorrupt,
    InvalidSetting,
    StoreError,
    StoreFull,
    StoreTooNew,
    StoreUnavailable,
)
from penstock.stores import open_store
from penstock.stores.redis import RedisStore
from penstock.stores.redis_entries import SLACK_MS
from penstock.testing import LATER, NOW, StoreContract, make_record

redis = pytest.importorskip("redis")
KEY = "penstock:key"


class TestRedisStore(StoreContract):
    @pytest.fixture
    def store(self, redis_url):
        store = RedisStore(redis_url, quota=self.quota)
        yield store
        store.close()


@pytest.fixture
def client(redis_url):
    with redis.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def store(client):
    return RedisStore(client)


def test_a_page_is_one_round_trip(client, store, redis_url):
    store.put("key", make_record(*[b"x" * 1000] * 100), now=NOW)
    store.load("key", now=NOW, rows=(0, 1))
    with redis.Redis.from_url(redis_url) as other, other.monitor() as monitor:
        loaded = store.load("key", now=NOW, rows=(495, 515))
        store.read("key", [3, 4])
        client.echo("end")
        sent = []
        for event in monitor.listen():
            if event["command"].startswith("ECHO"):
                break
            if event["client_type"] != "lua":
                sent.append(event["command"].split()[0])
    assert list(loaded.chunks) == [49, 50, 51]
    assert sent == ["EVALSHA", "HMGET"]


def test_scripts_come_back_after_the_server_forgot_them(client, store):
    store.put("key", make_record(b"0"), now=NOW)
    client.script_flush()
    assert store.load("key", now=NOW, rows=(0, 1)).chunks == {0: b"0"}


def test_an_entry_is_one_key(client, store):
    store.put("key", make_record(*[b"x"] * 100), now=NOW)
    store.touch("key", expires=LATER + 1)
    store.load("key", now=NOW, rows=(0, 1))
    assert client.keys() == [KEY.encode()]


def test_the_server_clears_up_some_time_after_expiry(client, store):
    store.put("key", make_record(b"0"), now=NOW)
    assert 300_000 < client.pttl(KEY) <= 300_000 + SLACK_MS
    store.touch("key", expires=LATER + 3_000)
    assert 3_300_000 < client.pttl(KEY) <= 3_300_000 + SLACK_MS
    store.touch("key", expires=float("inf"))
    store.touch("key", expires=float("inf"))
    assert client.pttl(KEY) > 10**12
    store.put("late", make_record(b"0"), now=LATER + 10**6)
    assert 0 < client.pttl("penstock:late") <= SLACK_MS + 1


def test_other_keys_are_left_alone(client):
    client.hset("other", "size", 5)
    client.set("a*b:string", "not an entry")
    store = RedisStore(client, prefix="a*b:")
    client.hset("aXb:key", "size", 5)
    store.put("key", make_record(b"0"), now=NOW)
    assert store.stats().entries == 1
    assert store.sweep(now=LATER) == 1
    assert sorted(client.keys()) == [b"a*b:string", b"aXb:key", b"other"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda client: client.hdel(KEY, "v"),
        lambda client: client.hset(KEY, "v", "one"),
        lambda client: client.hdel(KEY, "head"),
        lambda client: client.hdel(KEY, "index"),
        lambda client: client.hset(KEY, "index", "1234567"),
        lambda client: client.hset(KEY, "expires", "soon"),
        lambda client: client.hdel(KEY, "0"),
        lambda client: client.delete(KEY) and client.hset(KEY, "something", "else"),
        lambda client: client.set(KEY, "a string"),
    ],
)
def test_a_hash_of_another_shape_is_not_served(client, store, damage):
    store.put("key", make_record(b"0"), now=NOW)
    damage(client)
    with pytest.raises(EntryCorrupt):
        store.load("key", now=NOW, rows=(0, 1))


def test_a_newer_entry_is_refused(client, store):
    store.put("key", make_record(b"0"), now=NOW)
    client.hset(KEY, "v", 99)
    with pytest.raises(StoreTooNew, match="schema 99"):
        store.load("key", now=NOW)


def test_a_full_server_keeps_the_old_entry(client, store):
    old = make_record(b"old")
    store.put("key", old, now=NOW)
    store.load("key", now=NOW, rows=(0, 1))
    client.config_set("maxmemory", 1_000_000)
    try:
        with pytest.raises(StoreFull, match="maxmemory"):
            store.put("key", make_record(b"x" * 5_000_000), now=NOW)
        assert store.load("key", now=NOW, rows=(0, 1)).chunks == {0: b"old"}
        assert client.pttl(KEY) > 0
    finally:
        client.config_set("maxmemory", 0)


def test_a_server_that_is_not_there(tmp_path):
    for url in ("redis://127.0.0.1:1", f"unix://{tmp_path}/none"):
        store = RedisStore(url)
        operations = [
            lambda store=store: store.put("key", make_record(b"0"), now=NOW),
            lambda store=store: store.load("key", now=NOW),
            store.stats,
        ]
        for operation in operations:
            with pytest.raises(StoreUnavailable):
                operation()
        store.close()


def test_any_other_refusal_is_a_store_error(client, store):
    client.acl_setuser("ann", enabled=True, nopass=True, keys=["~other:*"], commands=["+@all"])
    url = "unix://ann@" + client.connection_pool.connection_kwargs["path"]
    limited = open_store(url)
    with pytest.raises(StoreError):
        limited.put("key", make_record(b"0"), now=NOW)
    limited.close()


def test_a_client_that_decodes_is_refused(redis_url):
    with (
        redis.Redis.from_url(redis_url, decode_responses=True) as client,
        pytest.raises(InvalidSetting, match="must not decode"),
    ):
        RedisStore(client)


def test_a_client_that_was_given_stays_open(client, store):
    store.close()
    assert client.ping()


def test_by_url(redis_url):
    store = open_store(redis_url, quota=50)
    with pytest.raises(StoreFull):
        store.put("key", make_record(b"x" * 50), now=NOW)
    store.close()


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("redis://host", "Connection"),
        ("valkey://host", "Connection"),
        ("rediss://host", "SSLConnection"),
        ("valkeys://host", "SSLConnection"),
        ("unix:///socket", "UnixDomainSocketConnection"),
    ],
)
def test_schemes(url, kind):
    assert open_store(url)._client.connection_pool.connection_class.__name__ == kind


def test_a_list_shows_only_entries_that_can_be_read(client, store):
    store.put("key", make_record(b"0"), now=NOW)
    for key in ("newer", "half", "odd"):
        store.put(key, make_record(b"0"), now=NOW)
    client.hset("penstock:newer", "v", 99)
    client.hdel("penstock:half", "head")
    client.hset("penstock:odd", "expires", "soon")
    client.set("penstock:foreign", "text")
    client.hset(b"penstock:\xff", "name", "also foreign")
    client.hset("other:key", mapping=client.hgetall(KEY))
    assert [entry.key for entry in store.entries(None, now=NOW)] == ["key"]
    assert [entry.key for entry in store.entries("alice", now=NOW)] == ["key"]


def test_a_list_reads_the_heads_of_one_owner_and_no_chunks(client, store, redis_url):
    for number in range(20):
        owner = "alice" if number < 3 else "bob"
        store.put(str(number), make_record(b"x" * 1000, owner=owner), now=NOW)
    with redis.Redis.from_url(redis_url) as other, other.monitor() as monitor:
        assert len(store.entries("alice", now=NOW)) == 3
        client.echo("end")
        sent = []
        for event in monitor.listen():
            if event["command"].startswith("ECHO"):
                break
            sent.append(event["command"])
    assert not [command for command in sent if command.startswith(("KEYS", "HGETALL"))]
    heads = [command for command in sent if command.startswith("HMGET")]
    assert [command.split()[2:] for command in heads] == [
        ["v", "owner", "head", "size", "expires"]
    ] * 3
