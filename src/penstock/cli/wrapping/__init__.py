"""The parts of `penstock wrap`, which puts all servers of a host's config behind Penstock.

A plan is made from text alone. Only `files` changes a file.
"""

from penstock.cli.wrapping.choosing import ChosenConfig, chosen_configs
from penstock.cli.wrapping.failures import ConfigError, NoServers
from penstock.cli.wrapping.files import read, write
from penstock.cli.wrapping.host_configs import KnownConfig, known_configs
from penstock.cli.wrapping.invocation import Launcher, find_launcher
from penstock.cli.wrapping.plan import Change, FileBeside, Plan, plan, plan_undo
from penstock.cli.wrapping.plan_text import describe
from penstock.cli.wrapping.remote_server import reaches_url

__all__ = [
    "Change",
    "ChosenConfig",
    "ConfigError",
    "FileBeside",
    "KnownConfig",
    "Launcher",
    "NoServers",
    "Plan",
    "chosen_configs",
    "describe",
    "find_launcher",
    "known_configs",
    "plan",
    "plan_undo",
    "reaches_url",
    "read",
    "write",
]
