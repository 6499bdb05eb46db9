"""The form of an entry in Redis, and the meaning of Redis's replies and errors.

An entry is one hash: `v` (the schema), `owner`, `size`, `expires`, `head`, `index`, and the chunks
under their numbers. Scripts make each change atomic: a reader sees a whole record or none.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

from penstock.core.model.store import ROW_NUMBER_SIZE, Loaded, Record, Stats, StoredEntry
from penstock.errors import (
    EntryCorrupt,
    MissingExtra,
    StoreError,
    StoreFull,
    StoreTooNew,
    StoreUnavailable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import ModuleType

Argument: TypeAlias = "str | bytes | int | float"

SCHEMA_VERSION = 1
# The caller's `now` decides what has expired. Redis only cleans up, and late enough that a server
# clock that runs ahead never removes a valid entry.
SLACK_MS = 60_000
LONGEST_MS = 100 * 365 * 86_400_000
LISTED_FIELDS = ("v", "owner", "head", "size", "expires")
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


def tally(replies: Iterable[Any]) -> Stats:
    """Add up sizes. An error or nil is the reply for a foreign key, or for an entry that just went."""
    sizes = [int(reply) for reply in replies if isinstance(reply, bytes) and reply.isdigit()]
    return Stats(entries=len(sizes), bytes=sum(sizes))


def removed(replies: Iterable[Any]) -> int:
    return sum(reply for reply in replies if isinstance(reply, int))


def failure(error: Exception) -> StoreError:
    """Translate a client's exception. Errors inside a script carry their code in their text."""
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


def fields(record: Record) -> Iterator[Argument]:
    yield from ("owner", record.owner, "size", record.size, "expires", record.expires)
    yield from ("head", record.head, "index", record.index)
    for number, chunk in enumerate(record.chunks):
        yield number
        yield chunk


def milliseconds(seconds: float) -> int:
    """Return a time to live, so that the clocks of caller and server need not agree."""
    return int(min(max(1.0, seconds * 1000) + SLACK_MS, LONGEST_MS))


def decode(reply: Sequence[Any]) -> Loaded:
    version, expires, head, index, first, *chunks = reply
    _check_version(version)
    if expires is None or head is None or index is None or len(index) % ROW_NUMBER_SIZE:
        raise EntryCorrupt
    try:
        return Loaded(head, index, float(expires), dict(enumerate(complete(chunks), first)))
    except ValueError as error:
        raise EntryCorrupt from error


def listed(key: str, reply: Any) -> StoredEntry | None:
    """Return an entry for a listing, or None for a foreign key or an entry that cannot be read."""
    if not isinstance(reply, list) or None in reply:
        return None
    version, owner, head, size, expires = reply
    try:
        _check_version(version)
        return StoredEntry(key, owner.decode(), head, int(size), float(expires))
    except (StoreError, ValueError):
        return None


def _check_version(version: bytes | None) -> None:
    if version is None or not version.isdigit():
        raise EntryCorrupt
    if int(version) > SCHEMA_VERSION:
        raise StoreTooNew(
            f"An entry has schema {int(version)}; this version of Penstock knows {SCHEMA_VERSION}."
        )


def complete(chunks: Sequence[bytes | None]) -> list[bytes]:
    whole = [chunk for chunk in chunks if chunk is not None]
    if len(whole) < len(chunks):
        raise EntryCorrupt("A chunk of a stored entry is missing.")
    return whole
