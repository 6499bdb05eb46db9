"""What the two Redis stores have in common, which is everything but the awaiting.

Each operation is a generator that yields commands and is sent their replies; the stores only carry
them to a client. Every command names one key, so any of this works on a cluster.

An entry is one hash: `v` (the schema), `owner`, `size`, `expires`, `head`, `index`, and the chunks
under their numbers. Scripts make each change atomic: a reader sees a whole record or none.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

from penstock.core.model.store import ROW_NUMBER_SIZE, Loaded, Record, Stats
from penstock.errors import (
    EntryCorrupt,
    MissingExtra,
    StoreError,
    StoreFull,
    StoreTooNew,
    StoreUnavailable,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from types import ModuleType

Argument: TypeAlias = "str | bytes | int | float"
Command: TypeAlias = "tuple[Argument, ...]"

SCHEMA_VERSION = 1
# The caller's `now` decides what has expired. Redis only clears up, and late enough that a clock
# that runs ahead never takes away what is still good.
SLACK_MS = 60_000
LONGEST_MS = 100 * 365 * 86_400_000
UNAVAILABLE = ("LOADING", "READONLY", "CLUSTERDOWN", "MASTERDOWN", "TRYAGAIN", "NOAUTH", "NOPERM")


def redis_library() -> ModuleType:
    try:
        import redis
    except ImportError as error:
        raise MissingExtra("redis", "A store in Redis or Valkey") from error
    return redis


@dataclass(frozen=True, slots=True)
class Script:
    source: str
    sha: str


@cache
def script(name: str) -> Script:
    source = files("penstock.stores").joinpath("lua", f"{name}.lua").read_text(encoding="utf-8")
    return Script(source, hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest())


class Steps:
    def __init__(self, prefix: str, quota: int) -> None:
        self._prefix = prefix
        self._quota = quota
        self._now = float("-inf")

    @property
    def pattern(self) -> str:
        special = {ord(char): f"\\{char}" for char in "\\*?[]"}
        return self._prefix.translate(special) + "*"

    def put(self, key: str, record: Record, now: float) -> Generator[Command, Any, None]:
        if record.size > self._quota:
            raise StoreFull(
                f"A result of {record.size:,} bytes is over the quota of {self._quota:,}."
            )
        self._now = now
        life = _milliseconds(record.expires - now)
        yield from self._scripted("put", key, life, *_fields(record))

    def load(
        self, key: str, now: float, rows: tuple[int, int] | None
    ) -> Generator[Command, Any, Loaded | None]:
        self._now = now
        reply = yield from self._scripted("load", key, *(rows or ()))
        loaded = None if reply is None else _decode(reply)
        return loaded if loaded and now < loaded.expires else None

    def read(self, key: str, numbers: Sequence[int]) -> Generator[Command, Any, list[bytes]]:
        if not numbers:
            return []
        return _complete((yield ("HMGET", self._key(key), *numbers)))

    def touch(self, key: str, expires: float) -> Generator[Command, Any, None]:
        yield from self._scripted("touch", key, expires, self._now, LONGEST_MS)

    def delete(self, key: str) -> Generator[Command, Any, None]:
        yield ("UNLINK", self._key(key))

    def sizes(self, keys: Iterable[bytes]) -> list[Command]:
        return [("HGET", key, "size") for key in keys]

    def expiries(self, keys: Iterable[bytes], now: float) -> list[Command]:
        self._now = now
        source = script("expire").source
        return [("EVAL", source, 1, key, SCHEMA_VERSION, now) for key in keys]

    def _key(self, key: str) -> str:
        return self._prefix + key

    def _scripted(self, name: str, key: str, *arguments: Argument) -> Generator[Command, Any, Any]:
        """By digest, which costs one round trip; with its text only where the server lacks it."""
        code = script(name)
        rest = (1, self._key(key), SCHEMA_VERSION, *arguments)
        try:
            return (yield ("EVALSHA", code.sha, *rest))
        except redis_library().exceptions.NoScriptError:
            return (yield ("EVAL", code.source, *rest))


def tally(replies: Iterable[Any]) -> Stats:
    """Replies that are errors or nil stand for foreign keys, or for entries that have just gone."""
    sizes = [int(reply) for reply in replies if isinstance(reply, bytes) and reply.isdigit()]
    return Stats(entries=len(sizes), bytes=sum(sizes))


def removed(replies: Iterable[Any]) -> int:
    return sum(reply for reply in replies if isinstance(reply, int))


def failure(error: Exception) -> StoreError:
    """What a client's exception means. Errors inside a script carry their code in their text."""
    names = redis_library().exceptions
    text = str(error)
    if isinstance(error, names.OutOfMemoryError) or "OOM command not allowed" in text:
        return StoreFull("Redis has reached its maxmemory.")
    if "WRONGTYPE" in text:
        return EntryCorrupt("The key of a stored entry holds something else.")
    lost = (names.ConnectionError, names.TimeoutError, names.ReadOnlyError, OSError)
    if isinstance(error, lost) or text.startswith(UNAVAILABLE):
        return StoreUnavailable(f"Redis cannot be reached: {text}")
    return StoreError(f"Redis refused a command: {text}")


def _fields(record: Record) -> Iterator[Argument]:
    yield from ("owner", record.owner, "size", record.size, "expires", record.expires)
    yield from ("head", record.head, "index", record.index)
    for number, chunk in enumerate(record.chunks):
        yield number
        yield chunk


def _milliseconds(seconds: float) -> int:
    """Relative, so that the clocks of caller and server need not agree."""
    return int(min(max(1.0, seconds * 1000) + SLACK_MS, LONGEST_MS))


def _decode(reply: Sequence[Any]) -> Loaded:
    version, expires, head, index, first, *chunks = reply
    _check_version(version)
    if expires is None or head is None or index is None or len(index) % ROW_NUMBER_SIZE:
        raise EntryCorrupt
    try:
        return Loaded(head, index, float(expires), dict(enumerate(_complete(chunks), first)))
    except ValueError as error:
        raise EntryCorrupt from error


def _check_version(version: bytes | None) -> None:
    if version is None or not version.isdigit():
        raise EntryCorrupt
    if int(version) > SCHEMA_VERSION:
        raise StoreTooNew(
            f"An entry has schema {int(version)}; this version of Penstock knows {SCHEMA_VERSION}."
        )


def _complete(chunks: Sequence[bytes | None]) -> list[bytes]:
    whole = [chunk for chunk in chunks if chunk is not None]
    if len(whole) < len(chunks):
        raise EntryCorrupt("A chunk of a stored entry is missing.")
    return whole
