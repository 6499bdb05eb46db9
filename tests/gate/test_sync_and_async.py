"""Sync and async agree to the byte, and so do the stores."""

from __future__ import annotations

import asyncio
import itertools
import time

import pytest

from penstock import AsyncGate, Call, Gate, Policy, Principal, open_store
from penstock.stores.memory import MemoryStore

pytest.importorskip("jq")
NOW = time.time()  # the real time, because a Redis server has its own clock
ROWS = [{"id": n, "text": "é" * (n % 40), "in": {"x": [n]}} for n in range(1_500)]
STEPS = [
    {},
    {"page": 3, "page_size": 70},
    {"mode": "summary"},
    {"mode": "filtered", "filter_keys": ["in.x", "no"]},
    {"mode": "search", "query": "149"},
    {"mode": "sql", "query": "SELECT sum(id) AS s FROM result"},
    {"mode": "query", "query": ".[7:9]"},
    {"mode": "full"},
    {"mode": "full", "path": "/7/in"},
    {"path": "/nowhere"},
    {"mode": "magic"},
]
VALUES = [
    ROWS,
    {str(n): row for n, row in enumerate(ROWS)},
    "line\n" * 9_000,
]


def counted():
    """Return a source of secrets that are the same in every run."""
    numbers = itertools.count()
    return lambda size: next(numbers).to_bytes(size, "big")


def calls(token):
    for fields in STEPS:
        yield Call("tool", {"continuation_token": token, **fields}, Principal("ann"))


def run_sync(store, value):
    gate = Gate(Policy(), store, clock=lambda: NOW, random=counted())
    replies = [gate.offer(Call("tool", principal=Principal("ann")), value)]
    token = replies[0].value["continuation_token"]
    replies += [gate.call(call, None) for call in calls(token)]
    gate.close()
    return [reply.wire() for reply in replies]


def run_async(store, value):
    async def scenario():
        gate = AsyncGate(Policy(), store, clock=lambda: NOW, random=counted())
        replies = [await gate.offer(Call("tool", principal=Principal("ann")), value)]
        token = replies[0].value["continuation_token"]
        replies += [await gate.call(call, None) for call in calls(token)]
        await gate.close()
        return [reply.wire() for reply in replies]

    return asyncio.run(scenario())


@pytest.mark.parametrize("value", VALUES, ids=["rows", "map", "text"])
def test_they_agree(value, tmp_path, redis_url):
    redis = pytest.importorskip("redis")
    expected = run_sync(MemoryStore(), value)
    assert run_async(MemoryStore(), value) == expected
    assert run_sync(open_store(f"sqlite:{tmp_path}/a.db"), value) == expected
    assert run_async(open_store(f"sqlite:{tmp_path}/b.db"), value) == expected
    assert run_sync(open_store(redis_url), value) == expected
    redis.Redis.from_url(redis_url).flushall()
    assert run_async(open_store(redis_url), value) == expected
