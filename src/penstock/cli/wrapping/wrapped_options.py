"""The options of `penstock run` in a wrapped entry, and the server's command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from penstock.cli.command_line import Parser
from penstock.cli.options import UsageError, add_policy_options, add_target_options
from penstock.cli.wrapping.host_values import HostValues
from penstock.cli.wrapping.invocation import Invocation
from penstock.errors import PenstockError
from penstock.settings.table import RUN_DEFAULTS


def wrapped_options(
    found: Invocation, args: Sequence[str], values: HostValues
) -> argparse.Namespace:
    """Return the options of an entry with these arguments, and its server's command."""
    words = [] if found.server is None else args[found.server :]
    chosen = _parsed([values.filled(word) for word in found.options])
    chosen.command = [values.filled(word) for word in words]
    return chosen


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = Parser(prog="penstock run", add_help=False)
    add_target_options(parser)
    add_policy_options(parser, RUN_DEFAULTS)
    try:
        return parser.parse_known_args(words)[0]
    except PenstockError as error:
        told = f"Its options of penstock run cannot be read: {error.message}"
        raise UsageError(told, next_step=error.next_step) from error
