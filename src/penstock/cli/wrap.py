"""`penstock wrap`: put every server of a host's config behind Penstock, or undo that."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from penstock.cli.options import UsageError
from penstock.cli.printing import say
from penstock.errors import MissingExtra

_EXAMPLES = """\
examples:
  penstock wrap                                      list the configs on this machine
  penstock wrap ~/.cursor/mcp.json                   show what would change
  penstock wrap ~/.cursor/mcp.json --write           make the change, after a backup
  penstock wrap ~/.cursor/mcp.json --undo --write    undo the change

Known configs: Claude Desktop, Claude Code (.mcp.json), Cursor, VS Code, Windsurf, Codex,
Gemini CLI, Qwen Code, Copilot CLI, and any JSON with mcpServers or servers. Restart the host after a change.
"""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "wrap",
        help="put every server of a host's config behind Penstock, or show how",
        description="Put every MCP server of a host's config behind Penstock. Without --write, "
        "only show the change.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("config", metavar="CONFIG", nargs="?", type=Path, help="The host's config file.")
    add("--write", action="store_true", help="Make the change, after a backup.")
    add(
        "--undo",
        action="store_true",
        help="Take Penstock away from every server; with --write, in the file.",
    )
    add(
        "--host",
        metavar="NAME",
        help="The host's profile, if the file's name does not show the host.",
    )
    add(
        "--remote",
        action="store_true",
        help="Also wrap remote servers that have no credentials in the config. Those "
        "that need an OAuth login in the host stop working behind Penstock.",
    )
    parser.set_defaults(do=wrap, name="wrap")


def wrap(chosen: argparse.Namespace) -> int:
    from penstock.cli import wrapping

    if chosen.config is None:
        if chosen.write or chosen.undo:
            raise UsageError("No config is named.", next_step="Name it: penstock wrap PATH --write")
        return _list_configs(wrapping.known_configs())
    path = chosen.config.expanduser()
    text = wrapping.read(path)
    if chosen.undo:
        plan = wrapping.plan_undo(text, path)
    else:
        launcher = wrapping.find_launcher()
        plan = wrapping.plan(text, path, launcher, host=chosen.host, remote=chosen.remote)
    say(wrapping.describe(plan))
    if find_spec("httpx2") is None and _leads_to_url(plan.changes):
        raise MissingExtra("serve", "A remote server behind Penstock")
    if not plan.has_effect:
        return 0
    if not chosen.write:
        say("\nNothing was written. Add --write to make this change.")
        return 0
    backup = wrapping.write(plan)
    say(f"\nWritten. The backup is {backup}\nRestart the host to use the change.")
    return 0


def _leads_to_url(changes: Any) -> bool:
    wrapped = [change.after for change in changes if change.action == "wrap"]
    return any("--url" in entry.get("args", []) for entry in wrapped)


def _list_configs(found: Any) -> int:
    if not found:
        say("No config of a known host was found. Name one: penstock wrap PATH")
        return 0
    say("Configs on this machine (penstock wrap PATH shows what would change):")
    for known in found:
        say(f"  {known.title:16} {known.path}")
    return 0
