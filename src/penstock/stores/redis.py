"""The stores of many machines: Redis or Valkey, one hash an entry, safe on a cluster.

The capacity is the server's own `maxmemory`; with a `volatile-*` policy it evicts as the other
stores do, with `noeviction` a put fails as `StoreFull`. A quota for each owner would need a second
key in every put, which a cluster cannot change together with the first; so it is kept on a best
effort: it bounds each single record.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from penstock.core.model.store import DEFAULT_QUOTA
from penstock.errors import InvalidSetting
from penstock.stores.redis_steps import Command, Steps, failure, redis_library, removed, tally

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from penstock.core.model.store import Loaded, Record, Stats

T = TypeVar("T")
DEFAULT_PREFIX = "penstock:"
TIMEOUT_SECONDS = 5.0  # a server that hangs is one that is down; the URL can say otherwise
KEYS_PER_BATCH = 500


class RedisStore:
    """`target` is a URL, or a client, which then stays its owner's to close."""

    def __init__(
        self, target: Any, *, prefix: str = DEFAULT_PREFIX, quota: int = DEFAULT_QUOTA
    ) -> None:
        library = redis_library()
        self._errors = (library.exceptions.RedisError, OSError)
        self._owned = isinstance(target, str)
        self._client = _client(library.Redis, target)
        self._steps = Steps(prefix, quota)

    def put(self, key: str, record: Record, *, now: float) -> None:
        self._run(self._steps.put(key, record, now))

    def load(self, key: str, *, now: float, rows: tuple[int, int] | None = None) -> Loaded | None:
        return self._run(self._steps.load(key, now, rows))

    def read(self, key: str, numbers: Sequence[int]) -> list[bytes]:
        return self._run(self._steps.read(key, numbers))

    def touch(self, key: str, *, expires: float) -> None:
        self._run(self._steps.touch(key, expires))

    def delete(self, key: str) -> None:
        self._run(self._steps.delete(key))

    def sweep(self, *, now: float) -> int:
        """A walk over all keys. Redis removes what has expired by itself, so it is rarely needed."""
        return removed(self._all(self._steps.expiries(self._keys(), now)))

    def stats(self) -> Stats:
        """A walk over all keys: for an operator's page, not for every call."""
        return tally(self._all(self._steps.sizes(self._keys())))

    def close(self) -> None:
        if self._owned:
            self._client.close()

    def _run(self, steps: Generator[Command, Any, T]) -> T:
        try:
            command = next(steps)
            while True:
                try:
                    reply = self._client.execute_command(*command)
                except self._errors as error:
                    command = steps.throw(error)
                else:
                    command = steps.send(reply)
        except StopIteration as stop:
            return stop.value  # type: ignore[no-any-return]  # the generator's own return type
        except self._errors as error:
            raise failure(error) from error

    def _keys(self) -> set[bytes]:
        try:
            # A set, because SCAN may name a key twice.
            return set(self._client.scan_iter(match=self._steps.pattern, count=KEYS_PER_BATCH))
        except self._errors as error:
            raise failure(error) from error

    def _all(self, commands: list[Command]) -> list[Any]:
        replies: list[Any] = []
        try:
            for batch in _batches(commands):
                pipeline = self._client.pipeline(transaction=False)
                _queue(pipeline, batch)
                replies += pipeline.execute(raise_on_error=False)
        except self._errors as error:
            raise failure(error) from error
        return replies


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
        # Neither the URL nor the error, which may quote it: there may be a password in it.
        shown = target.partition(":")[0] + "://…"
        raise InvalidSetting("store", shown, "this is not a URL that redis-py can read.") from None


def _batches(commands: Iterable[Command]) -> Iterator[list[Command]]:
    rest = iter(commands)
    while batch := list(islice(rest, KEYS_PER_BATCH)):
        yield batch


def _queue(pipeline: Any, commands: Iterable[Command]) -> None:
    for command in commands:
        pipeline.execute_command(*command)
