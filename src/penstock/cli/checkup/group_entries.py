"""Entries of a host's config that run several servers: `penstock run --servers FILE`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from penstock.cli.checkup.groups import AskedGroup
from penstock.cli.options import policy_from
from penstock.cli.several.servers_file import inputs_in
from penstock.cli.wrapping.host_values import host_values
from penstock.cli.wrapping.invocation import Invocation
from penstock.cli.wrapping.wrapped_options import wrapped_options
from penstock.settings.table import RUN_DEFAULTS


def group_of(
    entry: Mapping[str, Any], found: Invocation, path: Path, project: str
) -> AskedGroup | None:
    """Return the servers that an entry of this config runs, or None if it runs no such file. Raise if
    only the host can start it."""
    files = found.values("--servers")
    if not files or entry.get("disabled") is True or entry.get("enabled") is False:
        return None
    asked = dict.fromkeys(inputs_in(entry), "")  # a value that only the host asks for is empty
    values = host_values(entry, path, project, os.environ, asked)
    chosen = wrapped_options(found, [], values)
    folder = Path(values.folder)
    from_host = _asked_for(entry)
    # A server must not be started with an empty value: it might start, and prove nothing.
    known = {name: text for name, text in values.environment.items() if name not in from_host}
    ours = {name: os.environ[name] for name in from_host if name in os.environ}
    return AskedGroup(
        folder / Path(values.filled(files[-1])).expanduser(),
        policy_from(chosen, RUN_DEFAULTS, values.environment),
        [values.filled(name) for name in found.several("--server")],
        known | ours,
        folder,
        from_host - ours.keys(),
    )


def _asked_for(entry: Mapping[str, Any]) -> set[str]:
    """Return the variables in which the entry passes on values that only the host asks for."""
    return {name for name, text in (entry.get("env") or {}).items() if inputs_in(text)}
