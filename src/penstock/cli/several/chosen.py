"""The servers that a command line names with `--servers`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from penstock.cli.options import UsageError
from penstock.cli.several.group import read_group
from penstock.relay.hub.group import ServerGroup
from penstock.settings.policy import Policy


def chosen_group(
    chosen: argparse.Namespace, policy: Policy, environment: Mapping[str, str] = os.environ
) -> ServerGroup:
    """Return the servers of the file that the command line names."""
    _check_alone(chosen)
    return read_group(
        Path(chosen.servers).expanduser(),
        selected=chosen.server,
        results_to=policy.results_to,
        environment=environment,
    )


def _check_alone(chosen: argparse.Namespace) -> None:
    """Refuse what belongs to a single server: it would be ignored without a word."""
    others = {
        "a command": chosen.command,
        "--url": chosen.url,
        "--header": chosen.header,
        "--header-env": chosen.header_env,
        "--bearer-env": chosen.bearer_env,
    }
    for name, given in others.items():
        if given:
            step = "Give one of them. An entry of the file has its own command, URL and headers."
            raise UsageError(f"Both --servers and {name} were given.", next_step=step)
