"""`tools_call`, driven with plain values: its effects, their order, and its answer.

There is no gate, no store and no thread: a handler does nothing itself.
"""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from relay_upstream import text, tool

from penstock import Policy, Principal, default_meter
from penstock.core.model.effects import Run
from penstock.core.model.reply import Reply
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.lists.forms import Listing
from penstock.wire import messages
from penstock.wire.calls import tools_call
from penstock.wire.effects import (
    AskUpstream,
    Describe,
    Disclose,
    Forward,
    Judge,
    Offer,
    Prepare,
    Read,
    StepAside,
    Unwrap,
    UpstreamAnswer,
)
from penstock.wire.headers import RepeatedArguments
from penstock.wire.request import Connection, Request

TOOLS = [tool("rows"), tool("take", {"what": {}})]
FULL = Listing("full", [], has_outputs=True)
INDEX = Listing(
    "index", [], {"describe_tools": "describe_tools", "call_tool": "call_tool"}, frozenset()
)
TOKEN = "pen_" + "1" * 39
LARGE = text([{"id": number} for number in range(5_000)])


@dataclass
class Rules:
    """Everything that a handler knows of a gate."""

    policy: Policy
    meter: Any


def request_of(name, arguments=None, **settings):
    connection = Connection(
        Rules(Policy(**settings), default_meter()), Principal("ann"), "srv", "a session"
    )
    connection.known.era, connection.known.is_initialized = "legacy", True
    params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    line = json.dumps(message).encode()
    read = messages.read_message(line)
    return Request(connection, b"1", "tools/call", read.params, line, is_modern=False)


def answer(result):
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode()
    return UpstreamAnswer(messages.read_message(line), line)


class World:
    """A world that answers each effect, and remembers them in order."""

    def __init__(self, listing=FULL, **answers):
        self.effects = []
        self._answers = {
            "StepAside": None,
            "AskUpstream": answer({"tools": TOOLS}),
            "Disclose": (Catalogue.from_tools(TOOLS), listing),
            "Forward": answer(text("small")),
            "Judge": b"",
            **answers,
        }

    def drive(self, request):
        """Return the handler's answer."""
        steps, given = tools_call(request), None
        while True:
            try:
                effect = steps.send(given)
            except StopIteration as done:
                return json.loads(done.value)
            self.effects.append(effect)
            given = self._answers[type(effect).__name__]

    @property
    def kinds(self):
        return [type(effect) for effect in self.effects]


def test_a_call_that_needs_no_look_is_forwarded_and_nothing_else():
    request, world = request_of("rows"), World()
    assert world.drive(request)["result"] == text("small")
    assert world.effects == [Forward(request.line)]


def test_a_large_result_is_offered_after_the_reader_was_left():
    world = World(Forward=answer(LARGE), Offer=Reply(b'{"continuation_token":"x"}'))
    told = world.drive(request_of("rows"))
    assert world.kinds == [Forward, StepAside, Offer]
    assert told["result"]["content"][0]["text"] == '{"continuation_token":"x"}'


def test_the_reader_asks_for_the_list_once_and_never_for_the_tool():
    world = World(Read=Reply(b"[]"))
    world.drive(request_of("read_result", {"continuation_token": TOKEN}))
    assert world.kinds == [AskUpstream, Read]


def test_a_token_given_to_its_tool_is_read_and_the_tool_does_not_run():
    world = World(Prepare=Reply(b"[]"))
    world.drive(request_of("take", {"continuation_token": TOKEN}))
    assert world.kinds[-1] is Prepare
    assert Forward not in world.kinds


def test_a_reference_is_resolved_before_upstream_sees_the_call():
    world = World(Prepare=Run({"what": [1, 2]}, has_values=True))
    world.drive(request_of("take", {"what": f"@result:{TOKEN}"}))
    assert world.kinds[-2:] == [Prepare, Forward]
    (forwarded,) = [effect for effect in world.effects if isinstance(effect, Forward)]
    assert json.loads(forwarded.line)["params"]["arguments"] == {"what": [1, 2]}


def test_a_reference_that_is_refused_never_reaches_upstream():
    world = World(Prepare=Reply(b'{"error":"gone"}', is_error=True))
    told = world.drive(request_of("take", {"what": f"@result:{TOKEN}"}))
    assert told["result"]["isError"] is True
    assert Forward not in world.kinds


def hidden(world, name, arguments=None):
    """Return a call by a client that is shown an index."""
    request = request_of(name, arguments, gate="strict")
    return world.drive(request)


def test_a_hidden_tool_is_judged_and_then_forwarded():
    world = World(INDEX)
    hidden(world, "rows")
    assert world.kinds == [AskUpstream, Disclose, Judge, Forward]


def test_a_hidden_tool_that_is_called_too_early_never_reaches_upstream():
    world = World(INDEX, Judge=b'{"error":"read first"}')
    told = hidden(world, "rows")
    assert told["result"]["isError"] is True
    assert world.kinds == [AskUpstream, Disclose, Judge]


def test_a_call_through_another_is_the_call_that_it_means():
    from penstock.disclosure.indirect import Inner

    world = World(INDEX, Unwrap=Inner("rows", b'{"x":1}'))
    hidden(world, "call_tool", {"name": "rows", "arguments": {"x": 1}})
    assert world.kinds == [AskUpstream, Disclose, Unwrap, Judge, Forward]
    sent = json.loads(world.effects[-1].line)["params"]
    assert sent == {"name": "rows", "arguments": {"x": 1}}


def test_descriptions_are_given_and_nothing_is_forwarded():
    from penstock.disclosure.describe_tools import DescribedReply

    world = World(INDEX, Describe=DescribedReply(b"{}"))
    hidden(world, "describe_tools", {"tools": ["rows"]})
    assert world.kinds == [AskUpstream, Disclose, Describe]


def over_http(name, *headers):
    """Return a call with these headers, to a tool that repeats an argument there. Lists expire at
    once."""
    request = request_of(name, {"where": "here"})
    read = messages.read_message(request.line)
    request.connection.repeated = RepeatedArguments(read, headers)
    where = {"where": {"type": "string", "x-mcp-header": "Where"}}
    return request, World(
        AskUpstream=answer({"tools": [*TOOLS, tool("repeats", where)], "ttlMs": 0})
    )


def test_headers_that_do_not_agree_end_a_call_before_anything_else():
    request, world = over_http("repeats", ("mcp-param-where", "there"))
    assert world.drive(request)["error"]["code"] == -32020
    assert world.kinds == [AskUpstream, AskUpstream]  # the list that was known had expired


def test_headers_that_agree():
    request, world = over_http("repeats", ("mcp-param-where", "here"))
    world.drive(request)
    assert world.kinds == [AskUpstream, AskUpstream, Disclose, Forward]


def test_a_client_that_repeats_an_argument_may_know_a_newer_list():
    request, world = over_http("rows", ("mcp-param-where", "here"))
    world.drive(request)
    assert world.kinds == [AskUpstream, AskUpstream, Disclose, Forward]


def test_a_tool_that_repeats_nothing_in_headers_needs_no_new_list():
    request, world = over_http("rows")
    world.drive(request)
    world.drive(request)
    assert world.kinds == [AskUpstream, Disclose, Forward, Forward]


@pytest.mark.parametrize("arguments", [{}, {"what": "plain"}, {"what": ["nested", {"deep": 1}]}])
def test_plain_arguments_go_up_as_the_bytes_they_came_in(arguments):
    request, world = request_of("take", arguments), World()
    sent = request.line
    world.drive(request)
    assert world.effects[-1].line is sent
