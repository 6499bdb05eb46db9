"""`penstock run`: one server behind Penstock, or several, on stdin and stdout, as a host starts it."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.cli.options import (
    add_policy_options,
    add_servers_options,
    add_target_options,
    forget_secrets,
    policy_from,
    start_logging,
    target_from,
)
from penstock.errors import PenstockError, StoreError
from penstock.relay.process import CannotStart, Process, Unstarted
from penstock.relay.signals import EarlySignals
from penstock.relay.store_check import usable_store
from penstock.relay.target import Target
from penstock.settings.policy import Policy
from penstock.settings.table import RUN_DEFAULTS

if TYPE_CHECKING:
    from penstock.core.model.store import Store
    from penstock.relay.hub.group import ServerGroup

_EXAMPLES = """\
examples:
  penstock run -- npx -y @modelcontextprotocol/server-everything
  penstock run --budget 8000tok --store sqlite: -- uvx mcp-server-git
  penstock run --host claude-code --except 'get_*' -- ./my-server
  PENSTOCK_BEARER=… penstock run --url https://example.com/mcp
  penstock run --servers ~/.cursor/mcp.json --server git files
"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "run",
        help="run MCP servers behind Penstock, on stdin and stdout",
        usage="penstock run [options] ([--] COMMAND [ARGUMENT …] | --url URL | --servers FILE)",
        description="Run an MCP server, or several, behind Penstock. A result that is too large is\n"
        "stored, and the agent gets a short description of it and a token to read it with.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_target_options(parser)
    add_servers_options(parser)
    add_policy_options(parser, RUN_DEFAULTS)
    parser.set_defaults(do=run, name="run")


def run(chosen: argparse.Namespace) -> int:
    policy = policy_from(chosen, RUN_DEFAULTS)
    if chosen.servers is not None:
        return _run_servers(chosen, policy)
    target = target_from(chosen)
    forget_secrets(chosen)
    try:
        store = usable_store(policy)
    except StoreError as error:
        _tell_client(error, target, policy)
        raise
    if target.url:
        from penstock.relay.run_url import run_remote

        start_logging(chosen)
        return run_remote(target, policy, store)
    return _run_command(chosen, target, policy, store)


def _run_servers(chosen: argparse.Namespace, policy: Policy) -> int:
    from penstock.cli.several import chosen_group

    start_logging(chosen)
    try:
        group: ServerGroup = chosen_group(chosen, policy)
        forget_secrets(chosen)
        store = usable_store(policy)
    except PenstockError as error:
        _tell_client(error, Target(), policy)
        raise
    from penstock.relay.run_command import run_servers

    _tell_terminal()
    return run_servers(group, policy, store)


def _tell_client(error: PenstockError, target: Target, policy: Policy) -> None:
    """Answer the client with the error, because a host shows this and not the log. Nothing is
    stored or counted for that."""
    from penstock.relay.run_command import run_local

    if not sys.stdin.isatty():
        run_local(Unstarted(error), target, replace(policy, store="memory:", stats=False), None)


def _run_command(
    chosen: argparse.Namespace, target: Target, policy: Policy, store: Store | None
) -> int:
    early = EarlySignals()
    upstream = _started(target, policy)
    early.ends(partial(upstream.end, grace=0))
    try:
        # The server starts while this import runs.
        from penstock.relay.run_command import run_local

        start_logging(chosen)
        code = run_local(upstream, target, policy, store)
    except BaseException:
        upstream.end(grace=0)
        raise
    if isinstance(upstream, Process):
        return code
    raise upstream.error


def _started(target: Target, policy: Policy) -> Process | Unstarted:
    """Start the server. If that fails, a client gets the error as an answer to its requests."""
    try:
        upstream = Process(target.command, most=policy.max_upstream)
    except CannotStart as error:
        if sys.stdin.isatty():
            raise
        return Unstarted(error)
    _tell_terminal()
    return upstream


def _tell_terminal() -> None:
    """Tell a person who tries the command why nothing happens."""
    if sys.stdin.isatty():
        print("penstock: waiting for an MCP client on stdin, such as a host.", file=sys.stderr)
