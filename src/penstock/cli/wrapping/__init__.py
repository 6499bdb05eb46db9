"""`penstock wrap`: all servers of a host's config behind Penstock, and out again.

A plan is made from text alone; `files` is the only module that touches the disk.
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
