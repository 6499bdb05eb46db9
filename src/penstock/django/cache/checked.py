"""One of Django's caches, made to report its failures.

Any exception of a backend becomes a `StoreError` that names the cache. `write` reads back what it
has written.
"""

from __future__ import annotations

import pickle
import secrets
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from operator import eq
from typing import Final, TypeVar

from django.conf import settings
from django.core.cache import caches
from django.core.cache.backends.base import BaseCache

from penstock.errors import EntryCorrupt, StoreError, StoreFull, StoreUnavailable

# A backend may silently lose a write to another writer, as the database backend does. So one lost
# value proves nothing: the write is tried again after each of these times, in seconds.
PAUSES: Final = (0.0, 0.01, 0.03, 0.1)
# Values of half a megabyte that are in memory at once, and in one command to a cache server.
VALUES_AT_ONCE: Final = 16
# Exceptions of a backend on a damaged value.
DAMAGE: Final = (zlib.error, pickle.UnpicklingError, EOFError)

ANOTHER: Final = (
    'Name another cache in PENSTOCK["STORE"], or use a store of Penstock\'s: "sqlite:".'
)
MORE_ROOM: Final = (
    "Give the cache more room (MAX_ENTRIES in its OPTIONS, its memory, its limit for one value), or"
    ' set PENSTOCK["STORE"] to "sqlite:".'
)

T = TypeVar("T")


class CheckedCache:
    def __init__(self, alias: str, prefix: str) -> None:
        self._alias = alias
        self._prefix = prefix

    def write(
        self,
        values: Iterable[tuple[str, bytes]],
        timeout: int,
        *,
        accepts: Callable[[bytes, object], bool] = eq,
    ) -> None:
        """Write values and read them back. `accepts` gets a value as written and as found."""
        for batch in _batches(values):
            self._write(dict(batch), timeout, accepts)

    def read(self, keys: Iterable[str]) -> dict[str, object]:
        """Return the values of those keys that the cache holds."""
        found: dict[str, object] = {}
        for batch in _batches(keys):
            with self._backend() as cache:
                found.update(cache.get_many([self._prefix + key for key in batch]))
        return {key.removeprefix(self._prefix): value for key, value in found.items()}

    def missing(self, keys: Iterable[str]) -> list[str]:
        """Return the keys that the cache does not hold."""
        with self._backend() as cache:
            return [key for key in keys if not cache.has_key(self._prefix + key)]

    def touch(self, keys: Iterable[str], timeout: int) -> None:
        with self._backend() as cache:
            for key in keys:
                cache.touch(self._prefix + key, timeout)

    def delete(self, keys: Iterable[str]) -> None:
        for batch in _batches(keys):
            with self._backend() as cache:
                cache.delete_many([self._prefix + key for key in batch])

    def _write(
        self, values: Mapping[str, bytes], timeout: int, accepts: Callable[[bytes, object], bool]
    ) -> None:
        self._set(values, timeout)
        for pause in PAUSES:
            found = self.read(values)
            values = {
                key: value for key, value in values.items() if not accepts(value, found.get(key))
            }
            if not values:
                return
            time.sleep(pause)
            self._set(values, timeout)
        raise self._failure(len(values))

    def _set(self, values: Mapping[str, bytes], timeout: int) -> None:
        with self._backend() as cache:
            cache.set_many({self._prefix + key: value for key, value in values.items()}, timeout)

    def _failure(self, lost: int) -> StoreError:
        """Find out why values were lost, by writing a few bytes that no limit refuses."""
        key, value = f"probe:{secrets.token_hex(8)}", bytes(range(256))
        self._set({key: value}, timeout=60)
        found = self.read([key])
        self.delete([key])
        if not found:
            return StoreError(f"{self} keeps nothing that is written to it.", next_step=ANOTHER)
        if found[key] != value:
            return StoreError(f"{self} changes what is written to it.", next_step=ANOTHER)
        return self.is_too_small(lost)

    def is_too_small(self, lost: int) -> StoreFull:
        values = "a value" if lost == 1 else f"{lost} values"
        return StoreFull(f"{self} dropped {values} of a result.", next_step=MORE_ROOM)

    @contextmanager
    def _backend(self) -> Iterator[BaseCache]:
        """Yield the backend, which differs from thread to thread, and translate its errors."""
        try:
            yield caches[self._alias]
        except DAMAGE as error:
            raise EntryCorrupt(f"{self} holds a damaged value: {error!r}.") from error
        except Exception as error:
            raise StoreUnavailable(f"{self} failed: {error!r}.") from error

    def __str__(self) -> str:
        backend = settings.CACHES.get(self._alias, {}).get("BACKEND", "not in CACHES")
        return f'The cache "{self._alias}" ({backend})'


def _batches(keys: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(keys)
    while batch := list(islice(rest, VALUES_AT_ONCE)):
        yield batch
