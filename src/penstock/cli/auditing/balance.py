"""The cost of a server's tools without Penstock and behind it, as a model pays it.

The list behind Penstock comes from the session that `penstock run` uses too. So it has everything
that a host gets: the list in its form, `read_result`, and Penstock's instructions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import msgspec

from penstock.cli.auditing.list_costs import Balance
from penstock.core.budget.measure import Meter
from penstock.core.json import rawjson
from penstock.core.model.values import Principal
from penstock.disclosure.lists.host_parts import counted_list
from penstock.engine.engine import Engine
from penstock.gate.gate import Gate
from penstock.relay.tool_lists import Listed, tools_in
from penstock.settings.policy import Policy
from penstock.wire import eras, messages
from penstock.wire.outputs import Outputs, Perform, ToClient, ToUpstream
from penstock.wire.request import Connection
from penstock.wire.session import Session

_VERSION: Final = rawjson.string(eras.LEGACY_VERSIONS[0])
_GREETING: Final = messages.object_from(
    {"protocolVersion": _VERSION, "capabilities": b"{}", "clientInfo": b'{"name":"penstock"}'}
)


def balance(listed: Listed, policy: Policy, meter: Meter) -> Balance:
    """Return what the tools cost under these settings."""
    with Gate(replace(policy, store="memory:"), meter=meter) as gate:
        client = _Client(gate, listed)
        greeting = client.ask("initialize", _GREETING)
        client.tell("notifications/initialized")
        shown = tools_in(client.ask("tools/list", b"{}").get("tools", msgspec.UNSET))
    instructions = messages.text_of(greeting, "instructions") or ""
    after = meter.count(_text(counted_list(shown))) + meter.count(instructions)
    return Balance(len(listed.tools), meter.count(_text(counted_list(listed.tools))), after)


class _Client:
    """A client in front of a session, and a server behind it that knows only its list."""

    def __init__(self, gate: Gate, listed: Listed) -> None:
        self._engine = Engine(gate)
        self._session = Session(Connection(gate, principal=Principal("balance"), server="balance"))
        info = {"name": listed.server, "version": listed.version}
        named = {name: rawjson.string(text) for name, text in info.items()}
        self._answers = {
            "initialize": messages.object_from(
                {
                    "protocolVersion": _VERSION,
                    "capabilities": listed.capabilities,
                    "serverInfo": messages.object_from(named),
                }
            ),
            "tools/list": b'{"tools":[' + b",".join(listed.tools) + b"]}",
        }

    def ask(self, method: str, params: bytes) -> dict[str, msgspec.Raw]:
        """Return the result of a request."""
        outputs = self._session.from_client(messages.request(b"1", method, params))
        answer = messages.read_message(self._carried(outputs))
        return {} if isinstance(answer.result, msgspec.UnsetType) else answer.result

    def tell(self, method: str) -> None:
        self._session.from_client(messages.notification(method, b"{}"))

    def _carried(self, outputs: Outputs) -> bytes:
        """Return the first message for the client."""
        waiting = list(outputs)
        while waiting:
            match waiting.pop(0):
                case ToClient() as told:
                    return told.message
                case ToUpstream() as asked:
                    waiting += self._session.from_upstream(self._answer(asked.message))
                case Perform() as work:
                    waiting += self._engine.carry_out(self._session, work)
        raise AssertionError("a request had no answer")

    def _answer(self, line: bytes) -> bytes:
        asked = messages.read_message(line)
        return messages.response(asked.key, self._answers.get(str(asked.method), b"{}"))


def _text(wire: bytes) -> str:
    return wire.decode(errors="replace")
