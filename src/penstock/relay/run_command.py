"""The assembly of `penstock run -- COMMAND`."""

from __future__ import annotations

from penstock.engine.engine import Engine
from penstock.figures.keeping import called_before, tally_of
from penstock.gate.gate import Gate
from penstock.gate.identity import new_session_name, os_user
from penstock.relay.process import Process, Unstarted
from penstock.relay.stdio import Client, StdioRelay
from penstock.relay.target import Target
from penstock.settings.policy import Policy
from penstock.stores import Store
from penstock.wire.request import Connection
from penstock.wire.session import Session


def run_local(
    upstream: Process | Unstarted, target: Target, policy: Policy, store: Store | None
) -> int:
    """Run until the client or upstream ends, and return the exit code."""
    with Gate(policy, store) as gate:
        engine = Engine(gate, tally_of(policy, target.name), called_before(policy, target.name))
        session = Session(
            Connection(
                gate,
                principal=os_user(policy.store),
                server=target.server,
                legacy_session=new_session_name(),
                tally=engine.tally,
            )
        )
        try:
            return StdioRelay(Client(), upstream, session, engine).run()
        finally:
            engine.close()
