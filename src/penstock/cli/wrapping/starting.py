"""The start of a server that is behind Penstock: its target, settings and surroundings.

A wrapped entry says all of this. So a server that is not wrapped yet is understood by the entry
that wrapping it would give.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock.cli.options import policy_from, secret_variables_of, target_from
from penstock.cli.wrapping.host_values import NotStarted, host_values
from penstock.cli.wrapping.invocation import recognise
from penstock.cli.wrapping.wrapped_options import wrapped_options
from penstock.relay.process import Surroundings
from penstock.relay.secret_words import secrets_of, without_secrets
from penstock.relay.target import Target
from penstock.settings.policy import Policy
from penstock.settings.sources import without_secret_variables
from penstock.settings.table import RUN_DEFAULTS


@dataclass(frozen=True, slots=True)
class Start:
    """All that is needed to start one server as its host does."""

    target: Target
    policy: Policy
    around: Surroundings
    secrets: tuple[str, ...] = ()  # values that must not be printed

    def without_secrets(self, text: str) -> str:
        return without_secrets(text, self.secrets)


def start_of(
    entry: Mapping[str, Any],
    path: Path,
    project: str = "",
    inherited: Mapping[str, str] = os.environ,
) -> Start:
    """Return how the host with this config starts a wrapped entry. Raise if only the host can."""
    if entry.get("disabled") is True or entry.get("enabled") is False:
        raise NotStarted("It is switched off in the host.", next_step="Switch it on there.")
    args = list(entry.get("args") or ())
    found = recognise(entry["command"], args)
    if found is None or found.told[:1] != ("run",):
        raise NotStarted("It runs Penstock in a form that wrap does not write.")
    values = host_values(entry, path, project, inherited)
    chosen = wrapped_options(found, args, values)
    target = target_from(chosen, values.environment)
    policy = policy_from(chosen, RUN_DEFAULTS, values.environment)
    inherited_by_server = without_secret_variables(values.environment, secret_variables_of(chosen))
    around = Surroundings(inherited_by_server, values.folder, is_quiet=True)
    return Start(target, policy, around, (*values.own.values(), *secrets_of(target)))
