"""Tools for users who test their own store, or what a model makes of their server's tools.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def store(self):
            store = MyStore(quota=self.quota)
            yield store
            store.close()

For a store that evicts entries, use `EvictingStoreContract`.

    agent = Agent(SdkServer(client), model)
    await agent.query("How warm was it in Lyon?")
    assert agent.trace.contains_call("get_readings")

`model` is a `ChatModel` behind any OpenAI-compatible endpoint, or a `Scripted` one. This package
imports neither pytest nor an MCP SDK.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from penstock.testing.evicting import EvictingStoreContract
from penstock.testing.records import ANY_BYTES, LATER, NOW, make_record, raises
from penstock.testing.stores import StoreContract

if TYPE_CHECKING:
    from penstock.testing.agents import Agent, TurnsExhausted
    from penstock.testing.chat import ChatModel, EndpointError
    from penstock.testing.models import Model, Scripted, call
    from penstock.testing.servers import Received, SdkServer, Server
    from penstock.testing.traces import Step, Trace

__all__ = [
    "ANY_BYTES",
    "LATER",
    "NOW",
    "Agent",
    "ChatModel",
    "EndpointError",
    "EvictingStoreContract",
    "Model",
    "Received",
    "Scripted",
    "SdkServer",
    "Server",
    "Step",
    "StoreContract",
    "Trace",
    "TurnsExhausted",
    "call",
    "make_record",
    "raises",
]

# These names load on first use: a test of a store needs no agent.
_HOMES = {
    "agents": ("Agent", "TurnsExhausted"),
    "chat": ("ChatModel", "EndpointError"),
    "models": ("Model", "Scripted", "call"),
    "servers": ("Received", "SdkServer", "Server"),
    "traces": ("Step", "Trace"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
