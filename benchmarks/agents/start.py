"""The start of a conversation: a real `penstock run`, its instructions and its list of tools."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec

from benchmarks import peers
from benchmarks.agents.directories import names_in, reading_in
from benchmarks.wire import WireClient
from penstock.core.budget.measure import O200kMeter
from penstock.core.json.encoding import encode
from penstock.disclosure.catalogue import Catalogue
from penstock.disclosure.lists.forms import FORMS
from penstock.disclosure.lists.host_parts import counted_list
from penstock.disclosure.names import CALL, CALL_READ_ONLY, is_called

# Not the default meter: it may be an estimate, which is not a measurement.
METER: Final = O200kMeter()
MEASURED: Final = [form for form in FORMS if form != "full"]


class Start:
    """Everything that is sent before the first call: instructions and a list of tools."""

    def __init__(self, instructions: str, tools: list[dict[str, Any]]) -> None:
        self.tools = {tool["name"]: tool for tool in tools}
        self.instruction_tokens = METER.count(instructions)
        self.list_tokens = list_tokens(tools)
        told = "\n".join([instructions, *(tool.get("description", "") for tool in tools)])
        # Only a list that calls tools through another has a directory.
        has_directory = self.own(CALL) or self.own(CALL_READ_ONLY)
        self.directory = names_in(told) if has_directory else {}
        self.reading = {*reading_in(told)} if has_directory else set()

    @property
    def tokens(self) -> int:
        return self.instruction_tokens + self.list_tokens

    def own(self, role: str) -> str:
        """Return the name of Penstock's tool for a role, or "" if it is not listed."""
        return next((name for name in self.tools if is_called(name, role)), "")

    def shows(self, name: str) -> bool:
        return name in self.tools or name in self.directory


def list_tokens(tools: list[dict[str, Any]]) -> int:
    """Return the tokens of a list, without the parts that only hosts see."""
    return METER.count(counted_list([encode(tool) for tool in tools]).decode())


@contextmanager
def started(catalogue: Catalogue, form: str) -> Iterator[tuple[WireClient, Start]]:
    """Start Penstock in front of a server that lists these tools, and greet it."""
    with TemporaryDirectory() as folder:
        server = peers.replay(catalogue, Path(folder, "tools.json"))
        command = peers.penstock(server, "--list", form).command
        with WireClient(command, _environment(folder)) as client:
            greeting = _result(client.initialize())
            tools = _result(client.ask("tools/list", {}))["tools"]
            yield client, Start(greeting.get("instructions", ""), tools)


def _environment(folder: str) -> Mapping[str, str]:
    """Return variables without this machine's settings and records, which may change a list."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK_")}
    own = {"XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder, "PENSTOCK_STATS": "off"}
    return {**kept, **own}


def _result(answer: bytes) -> dict[str, Any]:
    result: dict[str, Any] = msgspec.json.decode(answer)["result"]
    return result
