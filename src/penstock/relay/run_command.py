"""The assembly of `penstock run` before a command, or before several servers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from penstock.engine.engine import Engine
from penstock.figures.keeping import called_before, tally_of
from penstock.gate.gate import Gate
from penstock.gate.identity import new_session_name, os_user
from penstock.relay.process import Process, Unstarted
from penstock.relay.stdio import Client, StdioRelay
from penstock.relay.target import Target
from penstock.relay.upstream import UpstreamPlace
from penstock.settings.policy import Policy
from penstock.stores import Store
from penstock.wire.request import Connection
from penstock.wire.session import Session

if TYPE_CHECKING:
    from penstock.relay.hub.group import ServerGroup


def run_local(
    upstream: Process | Unstarted, target: Target, policy: Policy, store: Store | None
) -> int:
    """Run until the client or upstream ends, and return the exit code."""
    place = UpstreamPlace(lambda: upstream)
    return _run(place, target.server, policy, store, target.name, lambda: [target.name()])


def run_servers(group: ServerGroup, policy: Policy, store: Store | None) -> int:
    """Run until the client leaves, and return the exit code."""
    from penstock.relay.hub.backend import GroupBackend

    backend = GroupBackend(group)
    place = backend.place(policy.max_upstream)
    names = [server.member.name for server in group.servers]
    return _run(place, backend.server, policy, store, backend.name, lambda: names)


def _run(
    place: UpstreamPlace,
    server: str,
    policy: Policy,
    store: Store | None,
    name: Callable[[], str],  # in the figures
    names: Callable[[], Sequence[str]],  # in the figures, of the servers
) -> int:
    with Gate(policy, store) as gate:
        engine = Engine(gate, tally_of(policy, name), called_before(policy, names))
        session = Session(
            Connection(
                gate,
                principal=os_user(policy.store),
                server=server,
                legacy_session=new_session_name(),
                servers=place.servers,
                tally=engine.tally,
            )
        )
        try:
            return StdioRelay(Client(), place.start(), session, engine).run()
        finally:
            engine.close()
