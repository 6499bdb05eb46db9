"""`penstock run -- COMMAND`, put together."""

from __future__ import annotations

from penstock.gate import Gate
from penstock.policy import Policy
from penstock.relay.identity import os_user
from penstock.relay.process import Process
from penstock.relay.session import Session
from penstock.relay.stdio import Client, StdioRelay
from penstock.relay.target import Target


def run_local(upstream: Process, target: Target, policy: Policy) -> int:
    """The exit code, once one side has gone."""
    with Gate(policy) as gate:
        session = Session(gate, principal=os_user(), server=target.server)
        return StdioRelay(Client(), upstream, session).run()
