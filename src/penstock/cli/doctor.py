"""`penstock doctor`: what is installed, set up and working on this machine, and what to do."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from penstock.cli.printing import can_show, replace_what_cannot_be_shown, say
from penstock.cli.tool_source import add_timeout

SOMETHING_IS_BROKEN = 1

_EXAMPLES = """\
examples:
  penstock doctor                      check everything on this machine
  penstock doctor cursor               check one host, or one config file
  penstock doctor --no-servers         start no server
  penstock doctor --servers mcp.json   check a file for penstock run --servers
  penstock doctor --json | jq .ok      for programs
"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "doctor",
        help="check the installation, the settings, the store, and the servers of hosts",
        description="Check versions and extras, the settings, the store, and the configs of hosts:\n"
        "what is behind Penstock, whether each server starts, and what its list costs. Of several\n"
        "servers behind one Penstock, also which tools have changed since it last ran.\n"
        "The exit code is 1 if something is broken.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("configs", metavar="CONFIG", nargs="*", help="A host's name, or its config file.")
    add(
        "--servers",
        metavar="FILE",
        help="The file of several servers, as for penstock run. Without CONFIG, no hosts are checked.",
    )
    add("--no-servers", action="store_true", help="Start no server.")
    add("--store", metavar="URL", help="The store to check in place of the one in the settings.")
    add("--config", metavar="FILE", help="The settings file.")
    add("--json", action="store_true", help="Print JSON.")
    add_timeout(parser, 30)
    parser.set_defaults(do=doctor, name="doctor")


def doctor(chosen: argparse.Namespace) -> int:
    from penstock.cli.checkup.groups import AskedGroup, check_group
    from penstock.cli.checkup.hosts import check_hosts
    from penstock.cli.checkup.installation import check_installation
    from penstock.cli.checkup.report import as_json, as_text, is_broken
    from penstock.cli.checkup.storage import check_settings, check_store
    from penstock.cli.wrapping import chosen_configs

    has_hosts = bool(chosen.configs or not chosen.servers)
    configs = chosen_configs(chosen.configs) if has_hosts else []
    settings, policy = check_settings(chosen.config, chosen.store)
    sections = [check_installation(), settings]
    if policy is not None:
        sections.append(check_store(policy))
    starts, seconds = not chosen.no_servers, chosen.timeout
    if chosen.servers and policy is not None:
        group = AskedGroup(Path(chosen.servers).expanduser(), policy)
        sections.append(check_group(group, starts=starts, seconds=seconds))
    if has_hosts:
        sections += check_hosts(configs, starts=starts, seconds=seconds)
    plain = not can_show("✓✗…")
    replace_what_cannot_be_shown()
    say(as_json(sections) if chosen.json else as_text(sections, is_plain=plain))
    return SOMETHING_IS_BROKEN if is_broken(sections) else 0
