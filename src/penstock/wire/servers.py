"""The servers behind one Penstock, as a session sees them. The session of a single server has none."""

from __future__ import annotations

from typing import Protocol

import msgspec


class HubMember(msgspec.Struct, frozen=True):
    """One of several servers, as the user has configured it."""

    name: str  # in the file of servers; also for people and agents
    # A digest of its configuration. Stored results are bound to it, and its last known list is kept
    # under it.
    identity: str
    is_remote: bool = False  # reached by URL
    # Results of other servers may be handed to its tools. For a remote server, the setting
    # `results_to` says so: a hostile text may talk a model into sending a token.
    takes_results: bool = True


class Servers(Protocol):
    """All servers behind one Penstock. A session asks which one a tool belongs to."""

    def owner(self, tool: str) -> HubMember | None:
        """Return the server whose tool has this name in the list, or None for an unknown name."""

    def owner_of_task(self, task: str) -> HubMember | None:
        """Return the server that runs a task, or None for an unknown task."""

    def is_here(self, identity: str) -> bool:
        """Return whether a server with this configuration is among them."""

    def take_notices(self) -> str:
        """Return what agents have not been told yet about servers, and forget it. Mostly ""."""
