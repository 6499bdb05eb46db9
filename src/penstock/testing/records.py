"""Records for a store, a fixed time, and helpers of the store's test cases."""

# ruff: noqa: S101 -- for test cases

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from penstock.core.model.store import Account, Record, Store, pack_index

NOW = 1_000.0
LATER = NOW + 300
ANY_BYTES = bytes(range(256))


def make_record(
    *chunks: bytes,
    owner: str = "alice",
    head: bytes = b"head",
    expires: float = LATER,
    account: Account | None = None,
    parents: tuple[str, ...] = (),
) -> Record:
    """Return a record with ten rows per chunk."""
    index = pack_index(range(0, 10 * len(chunks), 10))
    return Record(owner, expires, head, index, chunks, account, parents)


def chunks_of(store: Store, key: str, rows: tuple[int, int]) -> dict[int, bytes]:
    loaded = store.load(key, now=NOW, rows=rows)
    assert loaded is not None
    return dict(loaded.chunks)


def present(store: Store, *keys: str) -> list[str]:
    return [key for key in keys if store.load(key, now=NOW) is not None]


@contextmanager
def raises(kind: type[Exception]) -> Iterator[None]:
    try:
        yield
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was not raised")


def together(functions: Sequence[Callable[[int], None]], *, times: int) -> None:
    """Run these functions `times` times, each in its own thread."""

    def repeat(function: Callable[[int], None]) -> None:
        for number in range(times):
            function(number)

    with ThreadPoolExecutor(len(functions)) as pool:
        list(pool.map(repeat, functions))
