"""Groups of real servers, and a client of the group on this side of the carrier."""

import json
import queue
import sys
import threading
from pathlib import Path

from penstock.hub.remembered import Remembered
from penstock.relay.alarms import Alarms
from penstock.relay.hub.carrier import HubUpstream
from penstock.relay.hub.group import GroupedServer, ServerGroup
from penstock.relay.hub.memory_file import MemoryFile
from penstock.relay.target import Target
from penstock.wire.servers import HubMember

SERVERS = Path(__file__).parents[2] / "servers"
PATIENCE = 60
ALARMS = Alarms()


def server(name, *arguments):
    """Return the command of one of our servers."""
    return [sys.executable, str(SERVERS / f"{name}.py"), *arguments]


def group_of(**targets):
    """Return a group. Each target is a command, a URL, or the reason why there is neither."""
    servers = []
    for name, target in targets.items():
        command, url, fault = (), "", ""
        if isinstance(target, list):
            command = tuple(target)
        elif target.startswith("http"):
            url = target
        else:
            fault = target
        member = HubMember(name, f"identity of {name}", is_remote=bool(url))
        servers.append(GroupedServer(member, Target(command, url), fault=fault))
    identities = {one.member.name: one.member.identity for one in servers}
    return ServerGroup("front", "front", servers, identities)


class GroupClient:
    """A client that sends lines to a group, and waits for what comes back."""

    def __init__(self, group, remembered=None):
        self.remembered = remembered or Remembered()
        memory = MemoryFile(group.identity, self.remembered, ALARMS)
        self.upstream = HubUpstream(group, memory, 50_000_000, ALARMS)
        self.others = []
        self._lines = queue.SimpleQueue()
        self._thread = threading.Thread(target=self.upstream.receive, args=(self._lines.put,))
        self._thread.start()
        self._ids = iter(range(1, 100_000))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.upstream.end(1)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def send(self, **message):
        self.upstream.send(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def begin(self, method, params):
        key = next(self._ids)
        self.send(id=key, method=method, params=params)
        return key

    def answer(self, key):
        while True:
            message = json.loads(self._lines.get(timeout=PATIENCE))
            if message.get("id") == key and "method" not in message:
                return message
            self.others.append(message)

    def ask(self, method, **params):
        answer = self.answer(self.begin(method, params))
        return answer.get("result", answer.get("error"))

    def greet(self):
        about = {"name": "test", "version": "1"}
        greeting = self.ask(
            "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=about
        )
        self.send(method="notifications/initialized")
        return greeting

    def names(self):
        return [tool["name"] for tool in self.ask("tools/list")["tools"]]

    def call(self, name, **arguments):
        return self.ask("tools/call", name=name, arguments=arguments)

    def notified(self, method):
        """Wait for a notification."""
        while True:
            for message in self.others:
                if message.get("method") == method:
                    return message
            self.others.append(json.loads(self._lines.get(timeout=PATIENCE)))
