"""The hosts and origins that may use `penstock serve`.

A web page in a browser on this machine can send requests to 127.0.0.1. By rebinding a DNS name to
that address, it can even read the answers. So a browser's `Origin` must be allowed, and on a
loopback address the `Host` must be a name of this machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
ANY: Final = "*"


class AllowedHosts:
    def __init__(
        self, bind: str, *, hosts: Sequence[str] = (), origins: Sequence[str] = ()
    ) -> None:
        """Allow any `Host` on an address that others can reach, unless `hosts` names some."""
        own = _LOOPBACK if is_loopback(bind) else frozenset({ANY} if not hosts else {bind})
        self._hosts = own | frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)

    def refuses(self, host: str, origin: str) -> str:
        """Return why the request is refused, or "" if it is allowed."""
        if ANY not in self._hosts and _hostname(host) not in self._hosts:
            return "This Host is not allowed; start penstock serve with --allow-host to allow it."
        if origin and not self._allows(origin):
            return (
                "This Origin is not allowed; start penstock serve with --allow-origin to allow it."
            )
        return ""

    def _allows(self, origin: str) -> bool:
        named = origin.rstrip("/").lower()
        if ANY in self._origins or named in self._origins:
            return True
        return _hostname(named.partition("://")[2]) in self._hosts - {""}


def _hostname(address: str) -> str:
    """Return the address without its port, or "" if it is no address."""
    try:
        return (urlsplit(f"//{address}").hostname or "").lower()
    except ValueError:
        return ""


def is_loopback(bind: str) -> bool:
    if bind == "localhost":
        return True
    try:
        return ip_address(bind).is_loopback
    except ValueError:
        return False
