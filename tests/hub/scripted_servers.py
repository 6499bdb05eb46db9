"""Servers as plain values, and a hub with its carrier's part played by hand."""

import json
from collections.abc import Callable

from penstock.hub.hub import Hub
from penstock.hub.outputs import SaveKnown, StartMember, StopMember, ToMember, ToSession, WakeHub
from penstock.hub.remembered import Remembered
from penstock.wire.servers import HubMember

VERSION = "io.modelcontextprotocol/protocolVersion"
META = {
    VERSION: "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


class ScriptedServer:
    """A server that lists things, and answers every other request with what it got."""

    def __init__(self, *tools, era="legacy", instructions="", able_to_log=True, **lists):
        self.era = era
        self.instructions = instructions
        self.lists = {"tools": [tool(name) for name in tools], **lists}
        self.able = {"logging": {}} if able_to_log else {}  # what it declares besides its lists
        self.received = []
        self.is_silent: set[str] = set()  # methods that get no answer
        self.answers: dict[str, Callable[[dict], dict]] = {}

    @property
    def capabilities(self):
        changing = {"listChanged": True}
        able = {"tools": changing} if self.lists["tools"] else {}
        able |= {"prompts": changing} if "prompts" in self.lists else {}
        if "resources" in self.lists or "resourceTemplates" in self.lists:
            able["resources"] = {**changing, "subscribe": True}
        return {**able, **self.able}

    def take(self, message):
        """Return the answers to a message."""
        self.received.append(message)
        if "id" not in message or "method" not in message or message["method"] in self.is_silent:
            return []
        answer = {"jsonrpc": "2.0", "id": message["id"]}
        params = message.get("params", {})
        if message["method"] in self.answers:
            return [{**answer, **self.answers[message["method"]](params)}]
        result = self._result(message["method"], params)
        if result is None:
            return [{**answer, "error": {"code": -32601, "message": "Method not found"}}]
        return [{**answer, "result": result}]

    def _result(self, method, params):
        is_modern = VERSION in params.get("_meta", {})
        if method == "subscriptions/listen":
            return None
        if self.era not in ("both", "modern" if is_modern else "legacy"):
            return None
        stamp = {"resultType": "complete"} if is_modern else {}
        said = {"capabilities": self.capabilities, "instructions": self.instructions, **stamp}
        if method == "initialize":
            info = {"name": "scripted", "version": "1"}
            return {**said, "protocolVersion": params["protocolVersion"], "serverInfo": info}
        if method == "server/discover":
            return {**said, "supportedVersions": ["2026-07-28"]}
        if method in LISTS:
            return {**stamp, LISTS[method]: self.lists.get(LISTS[method], [])}
        if method == "tools/call":
            return {**stamp, "content": [{"type": "text", "text": json.dumps(params)}]}
        if method == "resources/read":
            listed = {resource["uri"] for resource in self.lists.get("resources", [])}
            contents = [{"uri": params["uri"], "text": "here"}]
            return {**stamp, "contents": contents} if params["uri"] in listed else None
        return {**stamp, "got": params}

    def got(self, method):
        return [message for message in self.received if message.get("method") == method]


def tool(name, **more):
    return {"name": name, "inputSchema": {"type": "object"}, **more}


class Bench:
    """A hub before scripted servers. Time stands still until a test moves it."""

    def __init__(self, remembered=None, members=None, **servers):
        self.servers = servers
        self.now = 1_000.0
        self.remembered = remembered or Remembered()
        members = members or [HubMember(name, f"id of {name}") for name in servers]
        self.hub = Hub(members, self.remembered, lambda: self.now)
        self.to_client = []
        self.started = []
        self.stopped = []
        self.alarms = []
        self.saves = 0
        self.dead = {}  # servers that cannot be started, with the reason
        self.faulty = {}  # servers whose entry in the file is at fault, with the fault
        self.stuck = set()  # servers whose answers wait
        self.late = []
        self._ids = iter(range(1, 10_000))

    # -- the carrier's part --------------------------------------------------------------------

    def carry(self, outputs):
        for output in outputs:
            match output:
                case ToSession():
                    self.to_client.append(json.loads(output.message))
                case ToMember():
                    self._deliver(output.name, json.loads(output.message))
                case StartMember():
                    self.started.append(output.name)
                    if output.name in self.dead:
                        self.carry(self.hub.member_ended(output.name, self.dead[output.name]))
                    if output.name in self.faulty:
                        fault = self.faulty[output.name]
                        self.carry(self.hub.member_ended(output.name, fault, for_good=True))
                case StopMember():
                    self.stopped.append(output.name)
                case WakeHub():
                    self.alarms.append((self.now + output.seconds, output.alarm))
                case SaveKnown():
                    self.saves += 1

    def _deliver(self, name, message):
        for answer in self.servers[name].take(message):
            if name in self.stuck:
                self.late.append((name, answer))
            else:
                self.from_server(name, answer)

    def from_server(self, name, message):
        self.carry(self.hub.from_member(name, json.dumps(message).encode()))

    def release(self, name):
        self.stuck.discard(name)
        late, self.late = self.late, [item for item in self.late if item[0] != name]
        for owner, message in late:
            if owner == name:
                self.from_server(owner, message)

    def end(self, name, how="it exited with status 1"):
        self.carry(self.hub.member_ended(name, how))

    def wait(self, seconds):
        """Let time pass, and ring what is due."""
        end = self.now + seconds
        while due := [item for item in self.alarms if item[0] <= end]:
            first = min(due, key=lambda item: item[0])
            self.alarms.remove(first)
            self.now = max(self.now, first[0])
            self.carry(self.hub.rang(first[1]))
        self.now = end

    # -- the client's part ---------------------------------------------------------------------

    def send(self, message):
        self.carry(self.hub.from_client(json.dumps(message).encode()))

    def begin(self, method, key=None, **params):
        key = next(self._ids) if key is None else key
        self.send({"jsonrpc": "2.0", "id": key, "method": method, "params": params})
        return key

    def answer(self, key):
        """Return the answer to a request, or None."""
        return next(
            (item for item in self.to_client if item.get("id") == key and "method" not in item),
            None,
        )

    def ask(self, method, **params):
        answer = self.answer(self.begin(method, **params))
        assert answer is not None, f"no answer to {method}"
        return answer.get("result", answer.get("error"))

    def ask_modern(self, method, **params):
        return self.ask(method, _meta=META, **params)

    def greet(self):
        greeting = self.ask(
            "initialize",
            protocolVersion="2025-11-25",
            capabilities={"sampling": {}, "roots": {}},
            clientInfo={"name": "test", "version": "1"},
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return greeting

    def names(self, method="tools/list"):
        listed = self.ask(method)[LISTS[method]]
        return [item.get("uri") or item.get("uriTemplate") or item["name"] for item in listed]

    def told(self, method):
        return [item for item in self.to_client if item.get("method") == method]
