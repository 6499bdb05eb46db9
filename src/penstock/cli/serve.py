"""`penstock serve`: a server behind Penstock, or several, over HTTP, for many clients."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from penstock.cli import terminal as _terminal  # noqa: F401 (the log needs it when no file can be opened)
from penstock.cli.options import (
    add_policy_options,
    add_servers_options,
    add_target_options,
    forget_secrets,
    policy_from,
    start_logging,
    target_from,
)
from penstock.errors import MissingExtra
from penstock.relay.target import Target
from penstock.settings import parsers
from penstock.settings.policy import Policy
from penstock.settings.table import SERVE_DEFAULTS

if TYPE_CHECKING:
    from penstock.relay.hub.group import ServerGroup

_MOST_WORKERS = 64
_EXAMPLES = """\
examples:
  penstock serve -- npx -y @modelcontextprotocol/server-everything
  penstock serve --port 9000 --store redis://localhost --url https://example.com/mcp
  penstock serve --bind 0.0.0.0 --allow-host mcp.example.com -- ./my-server
  penstock serve --servers servers.json

The endpoint is http://127.0.0.1:8000/mcp, unless --bind or --port changes it; /healthz answers
while it is up. There is no login: everyone who reaches the port can use the server.
"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "serve",
        help="serve MCP servers behind Penstock over HTTP, to many clients",
        usage="penstock serve [options] ([--] COMMAND [ARGUMENT …] | --url URL | --servers FILE)",
        description="Serve an MCP server, or several behind one endpoint, over streamable HTTP. Keep\n"
        "results and lists inside the budget.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_target_options(parser)
    add_servers_options(parser)
    group = parser.add_argument_group("listening")
    add = group.add_argument
    add("--bind", metavar="ADDRESS", default="127.0.0.1", help="The address. Default: 127.0.0.1.")
    add(
        "--port", type=_port, default=8000, help="0 takes a free port and prints it. Default: 8000."
    )
    add(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="A Host header to accept; repeat it for more.",
    )
    add(
        "--allow-origin",
        metavar="ORIGIN",
        type=_origin,
        action="append",
        default=[],
        help="The origin of a web page to accept; repeat it for more.",
    )
    add(
        "--forward-authorization",
        action="store_true",
        help="Send the client's Authorization header on to --url. MCP forbids passing on tokens "
        "that were issued for another server: Penstock and the URL must be one audience.",
    )
    add(
        "--workers",
        type=_workers,
        metavar="N",
        default=1,
        help="Serve with N processes on the one port. They need a --store that they can share: a "
        "SQLite file, or Redis. Default: 1.",
    )
    _add_limits(parser)
    add_policy_options(parser, SERVE_DEFAULTS)
    parser.set_defaults(do=serve, name="serve")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "limits", "Limits on what clients send. With --workers, each worker has them for itself."
    )
    add = group.add_argument
    add("--max-body", type=_size, metavar="SIZE", help="The largest request. Default: 4MB.")
    add(
        "--max-connections",
        type=_count,
        metavar="N",
        help="The connections that may be open at once. Default: 8000.",
    )
    add(
        "--max-connections-per-address",
        type=_count,
        metavar="N",
        help="The connections of one network address. Default: half of --max-connections; no limit "
        "with --trust-proxy.",
    )
    add(
        "--trust-proxy",
        action="store_true",
        help="Take a client's address from the last entry of X-Forwarded-For. Use it only if all "
        "requests come through a proxy that adds this entry.",
    )


def serve(chosen: argparse.Namespace) -> int:
    policy = policy_from(chosen, SERVE_DEFAULTS)
    start_logging(chosen)
    target = _upstream(chosen, policy)
    forget_secrets(chosen)
    try:
        from penstock.relay.http.limits import ServeLimits
        from penstock.relay.http.server import Listening, serve_http
    except ModuleNotFoundError as error:
        raise MissingExtra("serve", "penstock serve") from error
    given = {
        "body": chosen.max_body,
        "connections": chosen.max_connections,
        "are_connections_named": chosen.max_connections is not None,
        "connections_per_address": chosen.max_connections_per_address,
    }
    listening = Listening(
        chosen.bind,
        chosen.port,
        tuple(chosen.allow_host),
        tuple(chosen.allow_origin),
        chosen.forward_authorization,
        chosen.trust_proxy,
        ServeLimits(**{name: value for name, value in given.items() if value is not None}),
        chosen.workers,
    )
    return serve_http(target, policy, listening)


def _upstream(chosen: argparse.Namespace, policy: Policy) -> Target | ServerGroup:
    if chosen.servers is None:
        return target_from(chosen)
    from penstock.cli.several import chosen_group

    return chosen_group(chosen, policy)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:  # noqa: PLR2004 (the last port of TCP)
        raise argparse.ArgumentTypeError(f"{text!r} is not a port, 0 to 65535")
    return int(text)


def _workers(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= _MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_MOST_WORKERS}")
    return int(text)


def _origin(text: str) -> str:
    if text != "*" and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/\s]+/?", text, re.IGNORECASE):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an origin such as https://app.example.com"
        )
    return text


def _size(text: str) -> int:
    return _read(text, parsers.message_size)


def _count(text: str) -> int:
    return _read(text, parsers.count)


def _read(text: str, parse: Callable[[str], int]) -> int:
    try:
        return parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from None
