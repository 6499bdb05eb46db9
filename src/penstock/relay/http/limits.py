"""The limits of `penstock serve` on what its clients send."""

from __future__ import annotations

import msgspec


class ServeLimits(msgspec.Struct, frozen=True):
    """The limits. Those with an option are the first ones; the others suit everyone."""

    body: int = 4_000_000
    connections: int = 8_000
    are_connections_named: bool = False  # by the user
    connections_per_address: int = 0  # 0: half of all
    # The bodies of all unfinished requests together, unless two of the largest need more.
    memory: int = 256_000_000
    head: int = 64_000
    # A client that may not be known gets only as much as an `initialize` needs.
    body_without_session: int = 64_000
    head_seconds: float = 20.0
    # Proxies keep their connections for a minute, and must be the first to close them.
    idle_seconds: float = 75.0
    # In this time, so much of a body must arrive.
    body_seconds: float = 20.0
    body_pace: int = 100_000
    # So long a refused client may go on sending, to read the refusal after that.
    linger_seconds: float = 5.0

    @property
    def bodies(self) -> int:
        """The bytes that the bodies of all unfinished requests may have together."""
        return max(self.memory, 2 * self.body)

    def per_peer(self, amount: int) -> int:
        """Return the part of an amount that one peer may take."""
        return max(1, amount // 2)
