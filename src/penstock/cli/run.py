"""`penstock run`: one server behind Penstock, on stdin and stdout, as a host starts it."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any

from penstock.cli.options import (
    add_policy_options,
    add_target_options,
    forget_secrets,
    policy_from,
    start_logging,
    target_from,
)
from penstock.relay.process import CannotStart, Process, Unstarted
from penstock.relay.signals import EarlySignals
from penstock.relay.target import Target
from penstock.settings.policy import Policy
from penstock.settings.table import RUN_DEFAULTS

_EXAMPLES = """\
examples:
  penstock run -- npx -y @modelcontextprotocol/server-everything
  penstock run --budget 8000tok --store sqlite: -- uvx mcp-server-git
  penstock run --host claude-code --except 'get_*' -- ./my-server
  PENSTOCK_BEARER=… penstock run --url https://example.com/mcp
"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "run",
        help="run one MCP server behind Penstock, on stdin and stdout",
        usage="penstock run [options] ([--] COMMAND [ARGUMENT …] | --url URL)",
        description="Run an MCP server behind Penstock. A result that is too large is stored,\n"
        "and the agent gets a short description of it and a token to read it with.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_target_options(parser)
    add_policy_options(parser, RUN_DEFAULTS)
    parser.set_defaults(do=run, name="run")


def run(chosen: argparse.Namespace) -> int:
    policy = policy_from(chosen, RUN_DEFAULTS)
    target = target_from(chosen)
    forget_secrets(chosen)
    if target.url:
        from penstock.relay.run_url import run_remote

        start_logging(chosen)
        return run_remote(target, policy)
    return _run_command(chosen, target, policy)


def _run_command(chosen: argparse.Namespace, target: Target, policy: Policy) -> int:
    from penstock.relay.store_check import usable_store

    store = usable_store(policy)
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
    if sys.stdin.isatty():
        print("penstock: waiting for an MCP client on stdin, such as a host.", file=sys.stderr)
    return upstream
