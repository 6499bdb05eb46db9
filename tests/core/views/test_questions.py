"""Questions through a gate: how many processes they take, and which calls wait."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import textwrap

import pytest

from penstock import AsyncGate, Call, Policy, Principal
from penstock.gate.async_gate import STEP_THREADS
from penstock.worker import pool
from penstock.worker.child import WorkerChild

ROWS = [{"id": n, "pad": "x" * 50} for n in range(1_000)]
CALL = Call("tool", principal=Principal("ann"))
COUNT = "SELECT count(*) AS n FROM result WHERE id >= {}"
SLOW = (
    "WITH RECURSIVE q(n) AS (SELECT 1 UNION ALL SELECT n FROM q) SELECT count(*) + {} AS n FROM q"
)


@pytest.fixture
def started(monkeypatch):
    """Return the started children, each with the keys it has loaded and the frames it was sent."""
    children = []

    class Watched(WorkerChild):
        def __init__(self):
            super().__init__()
            self.loads = []
            self.told = []
            children.append(self)

        def load(self, question, material):
            self.loads.append(question.key)
            super().load(question, material)

        def _call(self, frame):
            self.told.append(type(frame).__name__)
            return super()._call(frame)

    monkeypatch.setattr(pool, "WorkerChild", Watched)
    return children


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_questions_over_two_results_take_one_child(open_agent, started, kind):
    agent = open_agent(kind=kind)
    tokens = [agent.offer(ROWS[:count]).value["continuation_token"] for count in (900, 1_000)]
    for least in (0, 100, 200):
        for token, count in zip(tokens, (900, 1_000), strict=True):
            told = agent.look(token, mode="sql", query=COUNT.format(least))
            assert told["items"] == [{"n": count - least}]
    [child] = started
    assert len(child.loads) == len(set(child.loads)) == 2


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_the_first_question_is_one_load_and_one_ask_and_later_ones_one_ask(
    open_agent, started, kind
):
    agent = open_agent(kind=kind)
    token = agent.offer(ROWS).value["continuation_token"]
    agent.look(token, mode="sql", query="SELECT 1")
    [child] = started
    assert child.told == ["Setup", "End", "AskFrame"]
    agent.look(token, mode="sql", query="SELECT 2")
    assert child.told == ["Setup", "End", "AskFrame", "AskFrame"]
    assert len(started) == 1


def test_each_form_of_the_rows_is_loaded_once(agent, started):
    pytest.importorskip("jq")
    token = agent.offer(ROWS).value["continuation_token"]

    def browse(**fields):
        reply = agent.gate.browse(agent._call({"continuation_token": token, **fields}))
        assert not reply.is_error, reply.text

    for text in "12":  # a repeated order would come from the store
        agent.look(token, mode="sql", query="SELECT 1")
        agent.look(token, mode="query", query="length")
        browse(find=text)
        browse(chart={"x": "id"})
    [child] = started
    assert child.told == ["Setup", "End", "AskFrame", "End", "AskFrame", *["AskFrame"] * 6]


def test_a_child_that_was_ended_has_to_be_given_the_rows_again(agent, started):
    token = agent.offer(ROWS).value["continuation_token"]
    agent.look(token, mode="sql", query="SELECT 1")
    started[0].kill()
    started[0]._process.wait()
    agent.look(token, mode="sql", query="SELECT 2")
    assert [child.told for child in started] == [["Setup", "End", "AskFrame"]] * 2


# Waiting


def ask(token, **fields):
    return Call("tool", {"continuation_token": token, **fields}, Principal("ann"))


def slow_questions(gate, token, count):
    calls = (ask(token, mode="sql", query=SLOW.format(number)) for number in range(count))
    return [asyncio.ensure_future(gate.call(call, None)) for call in calls]


async def cancelled(questions):
    for question in questions:
        question.cancel()
    outcomes = await asyncio.gather(*questions, return_exceptions=True)
    assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)


async def until_busy(gate, count):
    """Poll until this many children have loaded rows and are in use. There is no event for it."""
    async with asyncio.timeout(30):
        while len([child for child in in_use(gate) if child.keys]) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def in_use(gate):
    workers = gate.gate._workers
    return set() if workers is None else set(workers._children) - set(workers._free)


def test_pages_do_not_wait_for_questions(tmp_path):
    async def scenario():
        policy = Policy(query_seconds=600, store=f"sqlite:///{tmp_path}/results.db")
        async with AsyncGate(policy) as gate:
            token = (await gate.offer(CALL, ROWS)).value["continuation_token"]
            questions = slow_questions(gate, token, STEP_THREADS + 2)
            try:
                await until_busy(gate, 2)
                # No question ends before it is cancelled, so a wait for one would time out.
                async with asyncio.timeout(60):
                    page = await gate.call(ask(token), None)
                assert page.value["total"] == 1_000
                assert not any(question.done() for question in questions)
            finally:
                await cancelled(questions)

    asyncio.run(scenario())


def test_a_question_that_is_cancelled_while_it_waits_gives_up_at_once():
    async def scenario():
        async with AsyncGate(Policy(query_seconds=600)) as gate:
            token = (await gate.offer(CALL, ROWS)).value["continuation_token"]
            first = slow_questions(gate, token, 2)
            await until_busy(gate, 2)
            before = in_use(gate)
            waiting = slow_questions(gate, token, 3)
            await asyncio.sleep(0.05)  # let them start
            # Neither of the first two ends, so no child becomes free.
            await asyncio.wait_for(cancelled(waiting), 30)
            assert not any(question.done() for question in first)
            assert in_use(gate) == before
            await cancelled(first)
            reply = await gate.call(ask(token, mode="sql", query="SELECT 1 AS n"), None)
            assert reply.value["items"] == [{"n": 1}]

    asyncio.run(scenario())


def test_closing_ends_questions_that_run_and_that_wait():
    async def scenario():
        gate = AsyncGate(Policy(query_seconds=600))
        token = (await gate.offer(CALL, ROWS)).value["continuation_token"]
        questions = slow_questions(gate, token, 4)
        await until_busy(gate, 2)
        await gate.close()
        replies = await asyncio.wait_for(asyncio.gather(*questions), 30)
        assert all("shutting down" in reply.value["error"] for reply in replies)

    asyncio.run(scenario())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork")
def test_a_forked_process_asks_in_threads_of_its_own():
    body = """
        import asyncio, os, sys
        from penstock import AsyncGate, Call, Principal
        gate = AsyncGate()
        call = Call("tool", principal=Principal("ann"))
        token = asyncio.run(gate.offer(call, list(range(20_000)))).value["continuation_token"]
        asked = {"continuation_token": token, "mode": "sql", "query": "SELECT 7 AS n"}
        question = Call("tool", asked, Principal("ann"))
        ask = lambda: asyncio.run(gate.call(question, None)).value["items"] == [{"n": 7}]
        first = ask()
        pid = os.fork()
        if not pid:
            os._exit(ask())
        print(first, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), ask())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(body)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == "True 1 True\n", done.stderr
