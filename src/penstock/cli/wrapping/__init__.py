"""The parts of `penstock wrap`, which puts all servers of a host's config behind Penstock.

A plan is made from text alone. Only `files` changes a file.
"""

from penstock.cli.wrapping.failures import ConfigError
from penstock.cli.wrapping.files import read, write
from penstock.cli.wrapping.host_configs import KnownConfig, known_configs
from penstock.cli.wrapping.invocation import Launcher, find_launcher
from penstock.cli.wrapping.plan import Change, Plan, plan, plan_undo
from penstock.cli.wrapping.plan_text import describe

__all__ = [
    "Change",
    "ConfigError",
    "KnownConfig",
    "Launcher",
    "Plan",
    "describe",
    "find_launcher",
    "known_configs",
    "plan",
    "plan_undo",
    "read",
    "write",
]
