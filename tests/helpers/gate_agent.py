"""A gate, and an agent that calls tools through it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from penstock import AsyncGate, Call, Gate, Policy, Principal
from penstock.stores.memory import MemoryStore

ANN = Principal("ann")


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now

    def pass_by(self, seconds):
        self.now += seconds


class Awaited:
    """An asynchronous gate with the interface of the synchronous one."""

    def __init__(self, gate):
        self.gate = gate
        self.runner = asyncio.Runner()

    def __getattr__(self, name):
        method = getattr(self.gate, name)
        return lambda *args, **kwargs: self.runner.run(method(*args, **kwargs))

    def close(self):
        self.runner.run(self.gate.close())
        self.runner.close()


class Agent:
    """An agent that calls one tool and reads the results. The gate gets `hooks` with every call."""

    def __init__(self, gate, call, **hooks):
        self.gate = gate
        self.template = call
        self.hooks = hooks
        self.runs = []

    def but(self, **changes):
        """Return the same agent with another principal, server, tool or frame."""
        return Agent(self.gate, replace(self.template, **changes), **self.hooks)

    def _call(self, arguments):
        return replace(self.template, arguments=arguments)

    def offer(self, value, **arguments):
        """Return the reply that the agent gets if the tool returned `value`."""
        return self.gate.offer(self._call(arguments), value)

    def call(self, run, **arguments):
        def counted(given):
            self.runs.append(given)
            return run(given)

        return self.gate.call(self._call(arguments), counted, **self.hooks)

    def look(self, token, **fields):
        """Return the value of a second call. It must not be refused, and must not run the tool."""
        reply = self.reply(token, **fields)
        assert not reply.is_error, reply.text
        return reply.value

    def reply(self, token, **fields):
        call = self._call({"continuation_token": token, **fields})
        return self.gate.call(call, _never, **self.hooks)

    def refused(self, token, **fields):
        reply = self.reply(token, **fields)
        assert reply.is_error, reply.text
        assert set(reply.value) == {"error", "next_step"}
        return reply.value

    def walk(self, token, **fields):
        """Return every page, from the first to the one without a next."""
        pages = [self.look(token, **fields)]
        while pages[-1]["next"]:
            pages.append(self.look(pages[-1]["next"]))
            assert len(pages) < 10_000
        return pages


def _never(_arguments):
    raise AssertionError("the tool was run again")


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def open_agent(clock):
    """Return a function that makes agents from settings of the policy, a store and so on."""
    gates = []

    def opened(*, kind="sync", store=None, call=None, hooks=None, **settings):
        store = store or MemoryStore()
        policy = Policy(**settings)
        if kind == "sync":
            gate = Gate(policy, store, clock=clock)
        else:
            gate = Awaited(AsyncGate(policy, store, clock=clock))
        gates.append(gate)
        first = Call("tool", principal=ANN, server="srv")
        return Agent(gate, replace(first, **(call or {})), **(hooks or {}))

    yield opened
    for gate in gates:
        gate.close()


@pytest.fixture
def agent(open_agent):
    return open_agent()
