"""The peer of a request: the network address that it came from, as far as that is known."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final

_FORWARDED: Final = b"x-forwarded-for"
_ONE_HOME: Final = 64  # the bits of an IPv6 address that its owner cannot change at will


def peer_of(client: object, headers: Iterable[tuple[bytes, bytes]], *, trusts_proxy: bool) -> str:
    """Return the peer. `client`: the address and port of the connection's other end.

    The last address in `X-Forwarded-For` comes from the proxy next to Penstock. The client itself can
    write all others.
    """
    own = str(client[0]) if isinstance(client, tuple | list) and client else ""
    if trusts_proxy:
        told = b",".join(value for name, value in headers if name == _FORWARDED)
        last = told.rpartition(b",")[2].decode("latin-1").strip()
        return _named(_without_port(last)) or _named(own)
    return _named(own)


def _without_port(address: str) -> str:
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address.partition(":")[0] if address.count(":") == 1 else address


def _named(address: str) -> str:
    """Return the name of a peer, or "" for what is no address. One home has many IPv6 addresses, so
    the name stands for all of them."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(found) if found.is_loopback else str(IPv6Network((found, _ONE_HOME), strict=False))
