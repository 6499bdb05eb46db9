"""No reply is over its budget, in any unit, by one byte."""

import json
from dataclasses import replace
from itertools import islice

import pytest
from agent import Agent, Clock, Counted, agent_in, told
from hypothesis import given
from hypothesis import strategies as st
from strategies import (
    EXACT,
    SELDOM,
    TWICE,
    Given,
    Living,
    Scene,
    given_results,
    living,
    said_twice,
    scenes,
    texts,
)
from walking import pages
from weighing import on_the_wire, over, read_by_a_model

from penstock.core.budget.budget import Budget
from penstock.core.budget.fitting import PROBE_BYTES, SUMMARY_TOKENS
from penstock.core.model.values import Frame, Result, RowForm
from penstock.gate.gate import Gate
from penstock.settings.policy import Policy

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
@TWICE
def test_first_replies(given: Given, scene: Scene, heavy: bool):
    agent = agent_in(scene, heavy=heavy, inline=Budget(bytes=3_000))
    reply = agent.first(given.result)
    if "available_modes" in told(reply):
        forms = [on_the_wire(reply)] if scene.both else read_by_a_model(reply)
        assert all(len(form.encode()) <= PROBE_BYTES for form in forms)


@given(said_twice(), scenes(), st.booleans())
@TWICE
def test_results_that_say_everything_twice(result: Result, scene: Scene, heavy: bool):
    """Content that structured content repeats counts once. `_meta` does not count."""
    agent = agent_in(scene, heavy=heavy, inline=Budget(bytes=3_000), ceiling=Budget(bytes=8_000))
    probe = told(agent.first(result))
    if "continuation_token" in probe:
        for mode in ("full", "paginated"):
            agent.read(probe["continuation_token"], mode=mode)


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
    given_results(), scenes(), st.sampled_from(VIEWS), paths(), texts(300), st.integers(1, 1_000),
    st.sampled_from(RowForm),
)  # fmt: skip
def test_every_view_of_every_part(
    given: Given, scene: Scene, mode: str, path: str, text: str, page_size: int, form: RowForm
):
    agent = agent_in(scene, heavy=True, ceiling=Budget(bytes=8_000))
    token = told(agent.first(given.result)).get("continuation_token")
    if not isinstance(token, str):
        return
    fields = {"mode": mode, "page_size": page_size, "row_form": form.value}
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
            ("mode", "page", "page_size", "filter_keys", "path", "query", "row_form", "own", "ключ")
        ),
        anything,
        min_size=1,
    ),
)
def test_errors_of_all_kinds(given: Given, scene: Scene, fields):
    agent = agent_in(scene, heavy=True)
    token = told(agent.first(given.result)).get("continuation_token", "pen_unknown")
    for asked in (token, "pen_" + "1" * 39):
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


# -- programs ----------------------------------------------------------------------------------

BUDGETS = ("1kB", "1100B", "1500ch", "3kB", "500tok", "900tok", "1kB+1lines", "2kB+600tok+5lines")
PROGRAMS = {
    "sql": (
        "SELECT * FROM result",
        "SELECT * FROM result LIMIT 1",
        "SELECT count(*) AS n FROM result",
        "SELECT text, line FROM result",
        "SELECT key FROM result",
        "SELECT value AS v, value AS v FROM result",
        'SELECT group_concat(id) AS "a very long name, said once in every row of it" FROM result',
        "SELECT nothing FROM result",
        "DROP TABLE result",
    ),
    "query": (
        ".", ".[]", "keys", "length", "map(type)", "tojson", "[.[]?]", "..", ".[0]", "first(.[])",
        '"\\(.)" * 3', "{a: ., b: .}", ".a.b", "error(tojson)", "map(", "empty", "[., .]",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def worked_gate():
    """Share one gate, and so one set of worker processes. Every tool has its own budget."""
    tools = {budget: {"budget": budget, "ceiling": "8kB"} for budget in BUDGETS}
    policy = Policy(heavy=True, tools=tools, capacity="2GB", quota="1GB")
    with Gate(policy, meter=EXACT, clock=Clock(), random=Counted()) as gate:
        yield gate


@given(
    given=given_results(),
    budget=st.sampled_from(BUDGETS),
    frame=scenes().map(lambda scene: scene.frame),
    own=texts(2_000),
    page_size=st.sampled_from((1, 7, 1_000)),
    data=st.data(),
)
@SELDOM
@pytest.mark.parametrize("mode", PROGRAMS)
def test_programs(worked_gate, mode, given: Given, budget, frame, own, page_size, data):
    policy = worked_gate.policy.for_tool(budget)
    agent = Agent(policy, EXACT, frame, gate=worked_gate, tool=budget)
    probe = told(agent.first(given.result))
    if "available_modes" not in probe:
        return
    program = data.draw(st.sampled_from((*PROGRAMS[mode], own or "a")))
    fields = {"mode": mode, "query": program, "page_size": page_size}
    reply = agent.read(probe["continuation_token"], **fields)
    if not reply.is_error and "next" in told(reply):
        for token in (told(reply)["continuation_token"], told(reply)["next"]):
            for _ in islice(pages(agent, token, mode="paginated"), 5):
                pass


# -- live rows ---------------------------------------------------------------------------------


@given(living(), scenes(), st.sampled_from(VIEWS), paths(), texts(300), st.integers(0, 60))
@SELDOM
def test_live_rows(rows: Living, scene: Scene, mode: str, path: str, text: str, still: int):
    agent = agent_in(scene, hooks=rows.hooks(still), ceiling=Budget(bytes=8_000))
    token = told(agent.first(rows.result()))["continuation_token"]
    fields = {"mode": mode}
    fields |= {"query": text or "a"} if mode == "search" else {}
    fields |= {"filter_keys": [text or "a", "a", "id"]} if mode == "filtered" else {}
    for where in ({}, {"path": path}):
        agent.read(token, **fields, **where)
