"""A session that tests drive with plain values, without processes, threads or a real clock.

The rig checks the size of every message that the relay makes for the client.
"""

import json
from collections import deque
from contextlib import suppress
from typing import Any, assert_never

import msgspec
from relay_calls import Caller, compact, table, value_of
from relay_upstream import MODERN_META, Upstream
from relay_weights import body_of, over

from penstock import Gate, Policy, Principal
from penstock.engine.engine import Engine
from penstock.stores.memory import MemoryStore
from penstock.wire.outputs import Perform, Ring, ToClient, ToUpstream
from penstock.wire.request import Connection
from penstock.wire.session import Session

__all__ = ["LEGACY_GREETING", "Rig", "compact", "table", "value_of"]

LEGACY_GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
# Answers to these come from upstream, or are for the client and not for the model.
_UNLIMITED = ("initialize", "server/discover", "tools/list", "resources/read")


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


class Rig(Caller):
    """A client and a session. Without an `Upstream`, the test itself sends upstream's answers."""

    def __init__(
        self,
        upstream: Upstream | None = None,
        *,
        greet=True,
        principal="ann",
        legacy_session="a session",
        store=None,
        **settings,
    ):
        super().__init__()
        self.upstream = upstream
        self.clock = Clock()
        self.store = store or MemoryStore()
        policy = Policy(**settings)
        self.budget, self.ceiling = policy.budget, policy.ceiling
        self.gate = Gate(policy, self.store, clock=self.clock)
        self.engine = Engine(self.gate)
        self.session = Session(
            Connection(
                self.gate,
                principal=Principal(principal),
                server="srv",
                legacy_session=legacy_session,
                now=self.clock,
            )
        )
        self.up: list[bytes] = []
        self.down: list[bytes] = []
        self.held: list[Perform] = []
        self.alarms: list[Ring] = []  # of programs, which ring when a test calls `ring`
        self.holds_work = False
        self._asked: dict[str, dict[str, Any]] = {}
        self._forwardable: set[bytes] = set()
        if greet and upstream is not None:
            self.greet()

    def close(self):
        self.engine.close()
        self.gate.close()

    # -- messages ------------------------------------------------------------------------------

    def from_client(self, message: Any) -> list[bytes]:
        """Pass on a message of the client. Return the messages that the client gets."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._remember(line)
        before = len(self.down)
        self._carry_out(self.session.from_client(line))
        return self.down[before:]

    def from_upstream(self, message: Any) -> list[bytes]:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        before = len(self.down)
        self._carry_out(self._of_upstream(line))
        return self.down[before:]

    def upstream_ends(self) -> list[dict[str, Any]]:
        before = len(self.down)
        self._carry_out(self.session.upstream_ended("It ended."))
        return [json.loads(message) for message in self.down[before:]]

    def work(self) -> list[bytes]:
        """Do the work that was held back. Return the messages that the client gets."""
        before = len(self.down)
        held, self.held = self.held, []
        for output in held:
            self._carry_out(self.engine.carry_out(self.session, output))
        return self.down[before:]

    def ring(self) -> list[bytes]:
        """Let all alarms ring. Return the messages that the client gets."""
        before = len(self.down)
        alarms, self.alarms = self.alarms, []
        for alarm in alarms:
            self._carry_out(self.session.rang(alarm.request))
        return self.down[before:]

    def _carry_out(self, outputs):
        waiting = deque(outputs)
        while waiting:
            output = waiting.popleft()
            match output:
                case ToClient():
                    self._weigh(output.message)
                    self.down.append(output.message)
                case ToUpstream():
                    self.up.append(output.message)
                    for answer in self.upstream.answer(output.message) if self.upstream else ():
                        waiting.extend(self._of_upstream(answer))
                case Perform() if self.holds_work:
                    self.held.append(output)
                case Perform():
                    waiting.extend(self.engine.carry_out(self.session, output))
                case Ring():
                    self.alarms.append(output)
                case _:
                    assert_never(output)

    def _of_upstream(self, line: bytes):
        self._forwardable.add(line)
        if line.lstrip().startswith(b"["):
            with suppress(ValueError, RecursionError):
                parts = msgspec.json.decode(line, type=list[msgspec.Raw])
                self._forwardable.update(map(bytes, parts))
        return self.session.from_upstream(line)

    # -- weighing ------------------------------------------------------------------------------

    def _remember(self, line: bytes) -> None:
        try:
            given = json.loads(line)
        except (ValueError, RecursionError):
            return
        for message in given if isinstance(given, list) else [given]:
            if isinstance(message, dict) and "id" in message:
                self._asked[json.dumps(message["id"])] = message

    def _weigh(self, message: bytes) -> None:
        if message in self._forwardable:
            return
        if message.startswith(b"["):
            for part in json.loads(message):
                self._weigh(compact(part))
            return
        try:
            told = json.loads(message)
        except RecursionError:  # only a forwarded message is nested so deeply
            return
        if "method" in told:
            problem = over(compact(told.get("params", {})), self.budget)
        else:
            limit = self._limit(told)
            problem = over(body_of(message), limit) if limit else {}
        assert not problem, (problem, message[:3_000])

    def _limit(self, answer: dict[str, Any]):
        asked = self._asked.get(json.dumps(answer.get("id")), {})
        params = asked.get("params")
        is_ours = isinstance(params, dict) and "tool_descriptions" in str(params.get("uri"))
        if "result" in answer and asked.get("method") in _UNLIMITED and not is_ours:
            return None
        arguments = params.get("arguments") if isinstance(params, dict) else None
        in_full = isinstance(arguments, dict) and arguments.get("mode") == "full"
        return self.ceiling if in_full and "result" in answer else self.budget

    # -- a client ------------------------------------------------------------------------------

    @property
    def is_modern(self):
        return self.upstream is not None and self.upstream.era == "modern"

    def greet(self) -> dict[str, Any]:
        if self.is_modern:
            return self.ask("server/discover")
        answer = self.ask("initialize", LEGACY_GREETING)
        self.from_client({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def request(self, method: str, params: dict[str, Any] | None = None, **members) -> dict:
        params = dict(params or {})
        if self.is_modern:
            params["_meta"] = {**MODERN_META, **params.get("_meta", {})}
        return super().request(method, params, **members)

    def send_request(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the only answer to a request."""
        answers = [json.loads(message) for message in self.from_client(request)]
        mine = [answer for answer in answers if answer.get("id") == request["id"]]
        assert len(mine) == 1, answers
        return mine[0]
