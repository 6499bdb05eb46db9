"""The assembly of `penstock serve`."""

from __future__ import annotations

import errno
import os
import socket
import sys
from dataclasses import replace

import msgspec
import uvicorn
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from penstock.errors import InvalidSetting
from penstock.gate.gate import Gate
from penstock.log import logger
from penstock.relay.http import descriptors
from penstock.relay.http.admission import PATH, Admission
from penstock.relay.http.allowed_hosts import AllowedHosts, is_loopback
from penstock.relay.http.asgi_app import AsgiApp
from penstock.relay.http.command_gateway import CommandGateway
from penstock.relay.http.connections import Doors, protocol
from penstock.relay.http.gateway import HttpGateway
from penstock.relay.http.limits import ServeLimits
from penstock.relay.http.listeners import CannotListen, Listener
from penstock.relay.http.team.gateway import TeamGateway
from penstock.relay.http.team.supervisor import Supervisor
from penstock.relay.http.until_signal import run_until_signal
from penstock.relay.http.url_gateway import UrlGateway
from penstock.relay.hub.group import ServerGroup
from penstock.relay.process import check_command
from penstock.relay.store_check import usable_store
from penstock.relay.target import Target
from penstock.relay.upstream import CommandBackend
from penstock.settings.policy import Policy
from penstock.stores.urls import is_in_memory
from penstock.wire import headers

# If an accept fails, asyncio before Python 3.13 tries as many more at once.
_ACCEPTS_AT_ONCE = 16
_LAST_SECONDS = 3


class Listening(msgspec.Struct, frozen=True):
    bind: str
    port: int
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    forwards_authorization: bool = False
    trusts_proxy: bool = False
    limits: ServeLimits = ServeLimits()
    workers: int = 1


def serve_http(target: Target | ServerGroup, policy: Policy, listening: Listening) -> int:
    """Serve until interrupted, and return the exit code."""
    if listening.forwards_authorization:
        if not _is_url(target):
            why = "needs --url: a command takes no Authorization header."
            raise InvalidSetting("forward-authorization", True, why)
        # Tokens get the short life of `bearer_ttl`: the authorization may be withdrawn.
        policy = _short_lived(policy)
    if isinstance(target, Target) and target.command:
        check_command(target.command[0])
    if not is_loopback(listening.bind):
        logger().warning("anyone who reaches %s can use the server: no login", listening.bind)
    if listening.workers > 1:
        _check_team(policy, listening)
    listening = _within_files(listening)
    if listening.workers > 1:
        return _serve_as_team(target, policy, listening)
    with Gate(policy, usable_store(policy)) as gate:
        gateway = _gateway(gate, target)
        config = server_config(gateway, listening)
        with _socket(listening) as opened:
            _tell_address(opened)
            return run_until_signal(config, [opened])


def _within_files(listening: Listening) -> Listening:
    """Take no more connections than this process may open files for. Workers inherit that."""
    limits = listening.limits
    files = descriptors.raise_limit()
    most = descriptors.connections_within(
        files, limits.connections, listening.workers, is_named=limits.are_connections_named
    )
    return msgspec.structs.replace(
        listening, limits=msgspec.structs.replace(limits, connections=most)
    )


def _serve_as_team(target: Target | ServerGroup, policy: Policy, listening: Listening) -> int:
    """Serve with several processes. This function also runs in each of them."""
    with _socket(listening) as opened:
        # Once the members no longer listen, nobody shall wait at a port that is open here.
        outcome = Supervisor(listening.workers).run(lambda: _tell_address(opened), opened.close)
        if isinstance(outcome, int):
            return outcome
        member = outcome
        with Gate(policy, usable_store(policy)) as gate:
            own = _gateway(gate, target, member.team.mark)
            gateway = TeamGateway(own, member.team, is_modern_shared=not _is_url(target))
            config = server_config(gateway, listening)
            return run_until_signal(config, [opened, member.door], member.begin)


def _check_team(policy: Policy, listening: Listening) -> None:
    if not hasattr(os, "fork"):
        why = "needs a system that can fork a process, which this one cannot."
        raise InvalidSetting("workers", listening.workers, why)
    if sys.platform == "darwin":
        why = (
            "is for Linux: on macOS, a process that was forked may crash in libraries of the system. Start "
            "several processes on ports of their own, and a proxy that sends each Mcp-Session-Id to one "
            "of them."
        )
        raise InvalidSetting("workers", listening.workers, why)
    if is_in_memory(policy.store):
        why = (
            "needs a store that all workers share: a result in the memory of one worker is unknown to "
            "the others. Give --store sqlite:///FILE, or --store redis://HOST."
        )
        raise InvalidSetting("workers", listening.workers, why)


def _is_url(target: Target | ServerGroup) -> bool:
    return isinstance(target, Target) and bool(target.url)


def _gateway(gate: Gate, target: Target | ServerGroup, mark: str = "") -> HttpGateway:
    if isinstance(target, ServerGroup):
        from penstock.relay.hub.backend import GroupBackend

        return CommandGateway(gate, GroupBackend(target), mark)
    if target.url:
        return UrlGateway(gate, target, mark)
    return CommandGateway(gate, CommandBackend(target), mark)


def _tell_address(opened: socket.socket) -> None:
    host, port = opened.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"penstock: http://{shown}:{port}{PATH}", file=sys.stderr, flush=True)  # noqa: T201 (the address)


def _short_lived(policy: Policy) -> Policy:
    life = policy.bearer_ttl
    tools = {
        name: {setting: value for setting, value in given.items() if "ttl" not in setting}
        for name, given in policy.tools.items()
    }
    return replace(policy, ttl=life, max_ttl=life, tools=tools)


def server_config(gateway: HttpGateway, listening: Listening) -> uvicorn.Config:
    """Return the settings of the server below. It reads HTTP with h11 alone: a faster parser takes what
    follows `Upgrade` for a new request, takes trailers for headers, and limits no head."""
    limits = listening.limits
    doors = Doors(limits, is_behind_proxy=listening.trusts_proxy)
    return uvicorn.Config(
        application(gateway, listening),
        http=protocol(doors),
        loop="asyncio",
        ws="none",
        lifespan="on",
        interface="asgi3",
        proxy_headers=False,  # It would believe every client on this machine.
        h11_max_incomplete_event_size=limits.head,
        timeout_keep_alive=int(limits.idle_seconds),
        timeout_graceful_shutdown=_LAST_SECONDS,
        backlog=_ACCEPTS_AT_ONCE,
        log_config=None,
        log_level="error",  # It warns of every request that is no HTTP.
        access_log=False,
    )


def application(gateway: HttpGateway, listening: Listening) -> ASGIApp:
    allowed = AllowedHosts(listening.bind, hosts=listening.hosts, origins=listening.origins)
    admission = Admission(
        gateway,
        allowed,
        listening.limits,
        forwards_authorization=listening.forwards_authorization,
        trusts_proxy=listening.trusts_proxy,
    )
    app = AsgiApp(gateway, admission, listening.limits)
    if not listening.origins:
        return app
    return CORSMiddleware(
        app,
        allow_origins=[origin.rstrip("/").lower() for origin in listening.origins],
        allow_methods=["POST", "GET", "DELETE"],
        allow_headers=["*"],
        expose_headers=[headers.SESSION, "WWW-Authenticate", "Retry-After"],
    )


def _socket(listening: Listening) -> socket.socket:
    """Bind before anything starts, so that a port in use gives a readable error."""
    try:
        family = socket.getaddrinfo(listening.bind, listening.port, type=socket.SOCK_STREAM)[0][0]
        # Without IPPROTO_TCP, the event loop does not set TCP_NODELAY on the connections.
        opened = Listener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if sys.platform != "win32":  # On Windows it would let two programs share a port.
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((listening.bind, listening.port))
        opened.listen()  # Clients can connect from now on.
    except OSError as error:
        why = "it is in use" if error.errno == errno.EADDRINUSE else str(error.strerror or error)
        told = f"Cannot listen on {listening.bind}:{listening.port}: {why}."
        raise CannotListen(told) from error
    return opened
