"""The requests of `requests.toml`, done by scripted agents over each form of the list.

Every agent speaks to a real `penstock run` process, in front of a server that lists a real server's
tools and checks arguments against their schemas. An agent gives required arguments only, so a task
is done once the server takes the call. Calls and tokens are per request: the tokens of everything
that the agent reads, without and with the list and the instructions, which a conversation has once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import mean
from typing import Final

import msgspec

from benchmarks.agents.agent import Agent
from benchmarks.agents.start import MEASURED, Start, started
from benchmarks.catalogues import collected
from benchmarks.choosing import Choice, Request, by_server, requests, together
from benchmarks.lines import Line

# A search by words does not find every tool. It may not become worse.
MOST_NOT_FOUND: Final = 7
MOST_NOT_FOUND_AMONG_ALL: Final = 28
_AT_A_TIME: Final = 2


class Task(msgspec.Struct, frozen=True):
    """One request, and what it took to do it."""

    what: str
    problem: str  # why it was not done, or ""
    calls: int
    tokens: int
    start: int  # the tokens of the list and the instructions


def measure() -> Iterator[Line]:
    collection = collected()
    yield from collection.lines()
    known = [request for request in requests() if request.server in collection.catalogues]
    choices = by_server(collection.catalogues, known)
    for form in MEASURED:
        yield from lines(form, _by_all(choices, form))
    found = _by_all(choices, "index", searches=True)
    yield from lines("index, by search alone", found, MOST_NOT_FOUND)
    everything = together(collection.catalogues, known)
    what = f"all {len(everything.catalogue):,} tools as one server, index"
    yield from lines(what, done_by_agents(everything, "index"), MOST_NOT_FOUND_AMONG_ALL)


def _by_all(choices: Sequence[Choice], form: str, *, searches: bool = False) -> list[Task]:
    def tasks(choice: Choice) -> list[Task]:
        return done_by_agents(choice, form, searches=searches)

    with ThreadPoolExecutor(_AT_A_TIME) as threads:
        return [task for done in threads.map(tasks, choices) for task in done]


def done_by_agents(choice: Choice, form: str, *, searches: bool = False) -> list[Task]:
    """Let an agent do each request to one server."""
    with started(choice.catalogue, form) as (client, start):
        return [
            _done(Agent(client, start, searches=searches), start, request)
            for request in choice.requests
        ]


def _done(agent: Agent, start: Start, request: Request) -> Task:
    problem = agent.do(request.tools, request.find)
    return Task(
        f"{request.server}: {request.find}", problem, agent.calls, agent.tokens, start.tokens
    )


def lines(form: str, tasks: Sequence[Task], most_failed: int = 0) -> Iterator[Line]:
    """Report the tasks. Fail, and name those that were not done, if they are too many."""
    failed = [task for task in tasks if task.problem]
    for task in failed:
        print(f"{form}, not done: {task.what} ({task.problem})", file=sys.stderr, flush=True)
    named = f" ({'; '.join(task.what for task in failed)})" if len(failed) > most_failed else ""
    yield Line(f"{form}: requests done, of {len(tasks)}", len(tasks) - len(failed), unit="")
    yield Line(f"  not done{named}", len(failed), 0, "", most_failed, difference=True)
    yield Line("  calls", sum(task.calls for task in tasks), unit="")
    yield Line("  calls per request", mean(task.calls for task in tasks), unit="")
    yield Line("  tokens, without the list", sum(task.tokens for task in tasks), unit="tok")
    yield Line("  per request", mean(task.tokens for task in tasks), unit="tok")
    whole = [task.tokens + task.start for task in tasks]
    yield Line("  tokens, with list and instructions", sum(whole), unit="tok")
    yield Line("  per request", mean(whole), unit="tok")
