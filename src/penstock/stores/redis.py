"""The store of many machines: Redis or Valkey, with one hash for each entry, safe on a cluster.

The capacity is the server's own `maxmemory`. With a `volatile-*` policy the server evicts as the
other stores do; with `noeviction`, a put raises `StoreFull`. A quota for each account would need
a second key in every put, and a cluster cannot change two keys together. So the quota only limits
the size of each record, and neither the account nor the parents are kept.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from penstock.core.model.store import DEFAULT_QUOTA
from penstock.errors import InvalidSetting, StoreFull, StoreUnavailable
from penstock.stores.pause import Pause
from penstock.stores.redis_entries import (
    LISTED_FIELDS,
    LONGEST_MS,
    SCHEMA_VERSION,
    complete,
    decode,
    failure,
    fields,
    listed,
    milliseconds,
    redis_library,
    removed,
    script,
    tally,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.core.model.store import Loaded, Record, Stats, StoredEntry
    from penstock.stores.redis_entries import Argument

DEFAULT_PREFIX = "penstock:"
TIMEOUT_SECONDS = 5.0  # a server that hangs counts as down; the URL can set another timeout
KEYS_PER_BATCH = 500
_HANGS = "Redis did not answer in time. It will be asked again in a few seconds."


class RedisStore:
    """A store in Redis or Valkey. Every command names one key, so it works on a cluster.

    `target` is a URL, or a client, which `close` leaves open.
    """

    def __init__(
        self, target: Any, *, prefix: str = DEFAULT_PREFIX, quota: int = DEFAULT_QUOTA
    ) -> None:
        self._redis = redis_library()
        self._owned = isinstance(target, str)
        self._client = _client(self._redis.Redis, target)
        self._prefix = prefix
        self._quota = quota
        self._now = float("-inf")
        self._pause = Pause()

    def put(self, key: str, record: Record, *, now: float) -> None:
        if record.size > self._quota:
            raise StoreFull(
                f"A result of {record.size:,} bytes is over the quota of {self._quota:,}."
            )
        self._now = now
        self._scripted("put", key, milliseconds(record.expires - now), *fields(record))

    def load(self, key: str, *, now: float, rows: tuple[int, int] | None = None) -> Loaded | None:
        self._now = now
        reply = self._scripted("load", key, *(rows or ()))
        loaded = None if reply is None else decode(reply)
        return loaded if loaded and now < loaded.expires else None

    def read(self, key: str, numbers: Sequence[int]) -> list[bytes]:
        return complete(self._done("HMGET", self._prefix + key, *numbers)) if numbers else []

    def touch(self, key: str, *, expires: float) -> None:
        self._scripted("touch", key, expires, self._now, LONGEST_MS)

    def delete(self, key: str) -> None:
        self._done("UNLINK", self._prefix + key)

    def sweep(self, *, now: float) -> int:
        """Walk over all keys. This is rarely needed: Redis itself removes expired entries."""
        self._now = now
        source = script("expire").source
        return removed(
            self._all(("EVAL", source, 1, key, SCHEMA_VERSION, now) for key in self._keys())
        )

    def entries(self, owner: str | None, *, now: float) -> list[StoredEntry]:
        """Walk over all keys by SCAN, which lets other clients in between. An index for each owner
        would need a second key in every put. Heads are read only of the entries that are meant."""
        keys = list(self._keys())
        if owner is not None:
            owners = self._all(("HGET", key, "owner") for key in keys)
            meant = owner.encode()
            keys = [key for key, found in zip(keys, owners, strict=True) if found == meant]
        replies = self._all(("HMGET", key, *LISTED_FIELDS) for key in keys)
        names = (key[len(self._prefix.encode()) :].decode("utf-8", "replace") for key in keys)
        found = map(listed, names, replies)
        return [entry for entry in found if entry is not None and entry.expires > now]

    def stats(self) -> Stats:
        """Walk over all keys. This is for an operator's page, not for every call."""
        return tally(self._all(("HGET", key, "size") for key in self._keys()))

    def close(self) -> None:
        if self._owned:
            self._client.close()

    def _scripted(self, name: str, key: str, *arguments: Argument) -> Any:
        """Run a script by its digest, in one round trip. Send its text if the server lacks it."""
        code = script(name)
        rest = (1, self._prefix + key, SCHEMA_VERSION, *arguments)
        with self._failures():
            try:
                return self._client.execute_command("EVALSHA", code.sha, *rest)
            except self._redis.exceptions.NoScriptError:
                return self._client.execute_command("EVAL", code.source, *rest)

    def _done(self, *command: Argument) -> Any:
        with self._failures():
            return self._client.execute_command(*command)

    def _keys(self) -> set[bytes]:
        special = {ord(char): f"\\{char}" for char in "\\*?[]"}
        pattern = self._prefix.translate(special) + "*"
        with self._failures():
            # A set, because SCAN may name a key twice.
            return set(self._client.scan_iter(match=pattern, count=KEYS_PER_BATCH))

    def _all(self, commands: Iterable[tuple[Argument, ...]]) -> list[Any]:
        replies: list[Any] = []
        rest = iter(commands)
        while batch := list(islice(rest, KEYS_PER_BATCH)):
            with self._failures():
                pipeline = self._client.pipeline(transaction=False)
                for command in batch:
                    pipeline.execute_command(*command)
                replies += pipeline.execute(raise_on_error=False)
        return replies

    @contextmanager
    def _failures(self) -> Iterator[None]:
        if not self._pause.admits():
            raise StoreUnavailable(_HANGS)
        timed_out = False
        try:
            yield
        except (self._redis.exceptions.RedisError, OSError) as error:
            timed_out = isinstance(error, self._redis.exceptions.TimeoutError)
            raise failure(error) from error
        finally:
            self._pause.note(timed_out=timed_out)


def _client(kind: Any, target: Any) -> Any:
    if not isinstance(target, str):
        if target.get_encoder().decode_responses:
            why = "chunks are bytes, so the client must not decode."
            raise InvalidSetting("store client", target, why)
        return target
    try:
        return kind.from_url(
            target, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS
        )
    except ValueError:
        # Show neither the URL, which may hold a password, nor the error, which may quote the URL.
        shown = target.partition(":")[0] + "://…"
        raise InvalidSetting("store", shown, "this is not a URL that redis-py can read.") from None
