"""Several servers as what a gateway or a relay stands in front of."""

from __future__ import annotations

from penstock.relay.alarms import Alarms
from penstock.relay.hub.carrier import HubUpstream
from penstock.relay.hub.group import ServerGroup
from penstock.relay.hub.memory_file import MemoryFile, load
from penstock.relay.upstream import UpstreamPlace


class GroupBackend:
    """Servers of their own for each client. All share what is known from earlier runs."""

    def __init__(self, group: ServerGroup) -> None:
        self.server = group.identity
        self._group = group
        self._alarms = Alarms()
        known = load(group.identity, group.identities)
        self._memory = MemoryFile(group.identity, known, self._alarms)

    def name(self) -> str:
        return self._group.name

    def place(self, most: int) -> UpstreamPlace:
        upstream = HubUpstream(self._group, self._memory, most, self._alarms)
        return UpstreamPlace(lambda: upstream, upstream)
