"""No reply is over its budget, in any unit, by one byte."""

import json
from dataclasses import replace

from agent import agent_in, over, told
from hypothesis import given
from hypothesis import strategies as st
from strategies import EXACT, Given, Scene, given_results, scenes, texts

from penstock.budget import Budget
from penstock.fitting import PROBE_BYTES, SUMMARY_TOKENS
from penstock.model import Frame, Result

VIEWS = ("paginated", "summary", "full", "search", "filtered")
anything = st.one_of(
    st.none(), st.booleans(), st.integers(), texts(12_000), st.floats(),
    st.lists(texts(400), max_size=300), st.dictionaries(texts(300), texts(50), max_size=3),
)  # fmt: skip


def paths() -> st.SearchStrategy[str]:
    steps = st.one_of(
        st.sampled_from(("0", "1", "a", "items", "~#0", "~#1", "value", "")), texts(300)
    )
    escaped = steps.map(lambda step: step if step.startswith("~#") else step.replace("~", "~0"))
    return st.lists(escaped, max_size=5).map(lambda steps: "".join("/" + step for step in steps))


@given(given_results(), scenes(), st.booleans())
def test_first_replies(given: Given, scene: Scene, heavy: bool):
    agent = agent_in(scene, heavy=heavy, inline=Budget(bytes=3_000))
    reply = agent.first(given.result)
    if "available_modes" in told(reply):
        assert len(reply.wire(measured=True)) <= PROBE_BYTES


def test_first_replies_of_a_tool_that_failed():
    text = {"type": "text", "text": "é" * 5_000}
    failed = Result((text,), is_error=True, meta={"io.modelcontextprotocol/about": "x" * 50})
    for preview in range(200, 400):
        agent_in(Scene(Budget(bytes=1_000), Frame(), EXACT), preview=preview).first(failed)


def test_a_refusal_that_names_what_is_missing():
    schema = {"type": "object", "required": [chr(0x1F600 + number) * 60 for number in range(10)]}
    scene = Scene(Budget(bytes=1_000), Frame(structured=True), EXACT)
    agent = agent_in(scene)
    reply = agent.gate.call(replace(agent.call(), schema=schema), lambda _: Result.of("x"))
    assert not over(reply, scene.budget, scene.meter)


@given(
    given_results(), scenes(), st.sampled_from(VIEWS), paths(), texts(300), st.integers(1, 1_000)
)
def test_every_view_of_every_part(
    given: Given, scene: Scene, mode: str, path: str, text: str, page_size: int
):
    agent = agent_in(scene, heavy=True, ceiling=Budget(bytes=8_000))
    token = told(agent.first(given.result)).get("continuation_token")
    if not isinstance(token, str):
        return
    fields = {"mode": mode, "page_size": page_size}
    fields |= {"query": text or "a"} if mode == "search" else {}
    fields |= {"filter_keys": [text or "a", "a", "id"]} if mode == "filtered" else {}
    for where in ({}, {"path": path}):
        reply = agent.read(token, **fields, **where)
        if mode == "summary" and not reply.is_error:
            assert not over(reply, Budget(tokens=SUMMARY_TOKENS), EXACT)


@given(
    given_results(),
    scenes(),
    st.dictionaries(
        st.sampled_from(
            ("mode", "page", "page_size", "filter_keys", "path", "query", "own", "ключ")
        ),
        anything,
        min_size=1,
    ),
)
def test_errors_of_all_kinds(given: Given, scene: Scene, fields):
    agent = agent_in(scene, heavy=True)
    token = told(agent.first(given.result)).get("continuation_token", "pen_unknown")
    for asked in (token, "pen_" + "A" * 24):
        reply = agent.read(str(asked), **fields)
        if reply.is_error:
            assert set(json.loads(reply.text)) == {"error", "next_step"}


@given(given_results(), scenes(), anything, st.sampled_from(("tool", "x" * 200)))
def test_a_token_of_any_type(given: Given, scene: Scene, token, name: str):
    agent = agent_in(scene, heavy=True)
    schema = {"properties": {name: {}}, "required": [name]}
    reply = agent.gate.call(agent.call({"continuation_token": token}), lambda _: given.result)
    whole = not reply.is_error and "available_modes" not in told(reply)
    budget = agent.policy.inline_budget if whole else agent.policy.budget
    assert not over(reply, budget, scene.meter)
    missing = agent.gate.call(replace(agent.call(), schema=schema), lambda _: given.result)
    assert missing.is_error
    assert not over(missing, agent.policy.budget, scene.meter)
