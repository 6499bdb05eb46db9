"""Replies on real wires: none is over its budget, or larger than the core wrote.

Sizes are of compact JSON in UTF-8. The SDK writes replies of the modern era over HTTP with `\\u`
escapes, which mean the same to a reader of JSON. Everywhere else the original bytes are compared.
"""

import json
import subprocess
from contextlib import contextmanager

import msgspec
import pytest
from adapter_server import build
from doors import INSIDE, SERVER, quiet_environment
from http_rig import MODERN
from relay_weights import over

from penstock.core.budget.budget import Budget
from penstock.core.model.reply import Reply
from wire import Response, Wire, listening

# Each budget has one listing form, on which it depends whether a reply has structured content.
BUDGETS = {1_000: "full", 1_500: "index", 6_000: "full", 25_000: "index"}
# Calls that together make every kind of reply. TOKEN is the token of the first reply.
CALLS = [
    ("rows", {"count": 3_000}),
    ("heavy_rows", {"count": 50}),
    ("heavy_rows", {}),
    ("log", {"lines": 3_000}),
    ("config", {"services": 700}),
    ("fail", {"size": 9_000}),
    ("choose", {"mode": "東" * 9_000}),
    ("rows", {"count": "x" * 30_000}),
    ("nowhere" * 10_000, {}),
]
READS = [
    {},
    {"mode": "paginated", "page_size": 1_000},
    {"mode": "summary"},
    {"mode": "filtered", "filter_keys": ["city"], "page_size": 1_000},
    {"mode": "filtered", "filter_keys": ["k" * 90] * 90},
    {"mode": "sql", "query": "SELECT * FROM result"},
    {"mode": "sql", "query": "SELECT " + "x" * 9_000},
    {"mode": "query", "query": "map({id, city})"},
    {"mode": "search", "query": "東京"},
    {"mode": "m" * 50_000},
    {"path": "/" + "p" * 50_000},
    {"page": 10**30},
    {"mode": "full", "path": "/17"},
    {"f" * 20_000: 1},
]


def compact(raw):
    return json.dumps(json.loads(raw), ensure_ascii=False, separators=(",", ":")).encode()


class Scale:
    """A comparison of the sent bytes with the bytes that the core measured."""

    def __init__(self, monkeypatch):
        self.measured: list[bytes] = []
        real = Reply.wire

        def wire(reply):
            written = real(reply)
            self.measured.append(written)
            return written

        monkeypatch.setattr(Reply, "wire", wire)  # the same behaviour, recorded

    def weigh(self, sent, budget):
        assert not over(compact(sent), Budget(bytes=budget)), sent[:3_000]
        if self.measured:
            assert len(compact(sent)) == len(self.measured[-1]), (sent, self.measured[-1])
        self.measured.clear()


@pytest.mark.parametrize("budget", BUDGETS)
def test_no_reply_over_http_is_over_budget(monkeypatch, inside, era, budget):
    scale = Scale(monkeypatch)
    server, middleware = build(inside, "heavy", budget=budget, list_form=BUDGETS[budget])
    with listening(inside, server) as url, Wire(url, era) as wire:
        wire.result("tools/list")
        token = None
        for tool, arguments in CALLS:
            sent = wire.called(tool, **arguments)
            scale.weigh(sent, budget)
            if token is None:
                text = json.loads(sent)["content"][0]["text"]
                token = json.loads(text)["continuation_token"]
        for number, asked in enumerate(READS):
            tool = "heavy_rows" if number % 2 else "read_result"
            scale.weigh(wire.called(tool, continuation_token=token, **asked), budget)
    middleware.close()


@pytest.mark.parametrize("budget", [1_000, 6_000])
def test_no_description_is_over_budget(monkeypatch, inside, era, budget):
    scale = Scale(monkeypatch)
    server, middleware = build(inside, "many", budget=budget, gate="strict")
    with listening(inside, server) as url, Wire(url, era) as wire:
        wire.result("tools/list")
        names = [f"station_task_{number:02d}" for number in range(100)]
        for tool, arguments in [
            ("find_tools", {"query": "station task " * 500}),
            ("find_tools", {}),
            ("describe_tools", {"tools": names}),
            ("describe_tools", {"tools": ["n" * 5_000] * 5}),
            ("describe_tools", {}),
            ("call_tool", {"name": "n" * 50_000, "arguments": {}}),
            ("call_tool", {"name": "station_task_07", "arguments": {"hours": 1}}),
            ("station_task_08", {"station": 1}),
        ]:
            scale.weigh(wire.called(tool, **arguments), budget)
        uri = f"resource:///tool_descriptions?tools={','.join(names)}"
        if budget >= 2_500:  # the URI alone is larger than a smaller budget
            assert len(compact(wire.result("resources/read", {"uri": uri}))) <= budget
    middleware.close()


def test_full_is_held_to_the_ceiling(monkeypatch, inside, era):
    scale = Scale(monkeypatch)
    server, middleware = build(inside, "few", budget=1_000, ceiling=6_000, list_form="full")
    with listening(inside, server) as url, Wire(url, era) as wire:
        for count in (80, 100, 110, 115, 120, 121, 122, 123, 124, 125, 130, 150, 1_000):
            token = wire.told("rows", count=count)["continuation_token"]
            scale.measured.clear()
            scale.weigh(wire.called("read_result", continuation_token=token, mode="full"), 6_000)
    middleware.close()


# -- over stdio --------------------------------------------------------------------------------


class Pipes:
    """Lines to and from a server that is a process."""

    def __init__(self, process, era):
        self.process, self.era = process, era

    def sent(self, method, params):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        if self.era == "modern":
            message["params"] = {**params, "_meta": MODERN}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            line = self.process.stdout.readline()
            assert line, "the server has ended"
            if b'"id":1' in line:
                return line

    def result(self, method, **params):
        return bytes(msgspec.json.decode(self.sent(method, params), type=Response).result)


@contextmanager
def piped(era, command):
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=quiet_environment(),
    ) as process:
        pipes = Pipes(process, era)
        if era == "legacy":
            about = {"name": "raw", "version": "1"}
            asked = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
            pipes.result("initialize", **asked)
            process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        try:
            yield pipes
        finally:
            process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.mark.parametrize("door", INSIDE)
def test_no_reply_over_stdio_is_over_budget(door, era):
    """The bytes are compared unchanged: they are compact JSON in UTF-8 already."""
    command = [*SERVER, door, "--tools", "heavy", "--set", "budget=1500"]
    with piped(era, command) as pipes:
        listed = pipes.result("tools/list")
        assert listed == compact(listed)
        token = None
        for tool, arguments in CALLS[:6]:
            sent = pipes.result("tools/call", name=tool, arguments=arguments)
            assert not over(sent, Budget(bytes=1_500))
            assert sent == compact(sent)
            token = (
                token or json.loads(json.loads(sent)["content"][0]["text"])["continuation_token"]
            )
        for asked in READS[:9]:
            arguments = {"continuation_token": token, **asked}
            sent = pipes.result("tools/call", name="read_result", arguments=arguments)
            assert not over(sent, Budget(bytes=1_500))
            assert sent == compact(sent)
