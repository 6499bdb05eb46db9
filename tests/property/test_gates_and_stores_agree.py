"""The same calls give the same bytes with every gate and every store."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from agent import Clock, Counted, told
from hypothesis import given
from hypothesis import strategies as st
from strategies import HALF, Given, Scene, given_results, scenes

from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Principal
from penstock.gate.async_gate import AsyncGate
from penstock.gate.gate import Gate
from penstock.settings.policy import Policy
from penstock.stores import open_store

SIZES = {"capacity": 2**28, "quota": 2**28}
LOOKS: tuple[dict[str, Any], ...] = (
    {},
    {"mode": "paginated", "page": 2, "page_size": 3},
    {"mode": "paginated", "path": "/0"},
    {"mode": "summary"},
    {"mode": "full"},
    {"mode": "search", "query": "a"},
    {"mode": "filtered", "filter_keys": ["a", "id"]},
    {"mode": "no such mode"},
    {"page": 10**6},
)
looks = st.lists(st.sampled_from(LOOKS), min_size=1, max_size=5)


def _call(scene: Scene, **arguments: Any) -> Call:
    return Call("tool", arguments, Principal("someone"), "server", scene.frame)


def _next_token(reply: Reply, token: str) -> str:
    following = told(reply).get("next")
    return following if isinstance(following, str) and following.startswith("pen_") else token


def _conversation(
    scene: Scene, given: Given, asked: list[dict[str, Any]], store: Any
) -> list[bytes]:
    policy = Policy(budget=scene.budget, heavy=True)
    gate = Gate(policy, store, meter=scene.meter, clock=Clock(), random=Counted())
    replies = [gate.call(_call(scene), lambda _: given.result)]
    token = str(told(replies[0]).get("continuation_token", "pen_none"))
    for fields in asked:
        replies.append(gate.read(_call(scene, continuation_token=token, **fields)))
        token = _next_token(replies[-1], token)
    return [reply.wire() for reply in replies]


async def _async_conversation(
    scene: Scene, given: Given, asked: list[dict[str, Any]], store: Any
) -> list[bytes]:
    policy = Policy(budget=scene.budget, heavy=True)
    gate = AsyncGate(policy, store, meter=scene.meter, clock=Clock(), random=Counted())
    replies = [await gate.call(_call(scene), lambda _: given.result)]
    token = str(told(replies[0]).get("continuation_token", "pen_none"))
    for fields in asked:
        replies.append(await gate.read(_call(scene, continuation_token=token, **fields)))
        token = _next_token(replies[-1], token)
    return [reply.wire() for reply in replies]


@given(given_results(), scenes(), looks)
def test_sync_and_async_agree(given: Given, scene: Scene, asked):
    once = _conversation(scene, given, asked, open_store("memory:", **SIZES))
    store = open_store("memory:", **SIZES)
    assert asyncio.run(_async_conversation(scene, given, asked, store)) == once


@pytest.fixture(scope="module")
def sqlite_store():
    with TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{Path(folder) / 'results.db'}", **SIZES)
        yield store
        store.close()


@pytest.fixture(scope="module")
def redis_store(redis_server):
    store = open_store(redis_server, **SIZES)
    yield store
    store.close()


@given(given_results(), scenes(), looks)
@HALF
@pytest.mark.parametrize("kind", ["sqlite_store", "redis_store"])
def test_stores_agree(kind: str, request, given: Given, scene: Scene, asked):
    store = request.getfixturevalue(kind)
    once = _conversation(scene, given, asked, open_store("memory:", **SIZES))
    assert _conversation(scene, given, asked, store) == once
