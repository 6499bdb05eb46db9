"""`penstock wrap`: put the servers of a host's config behind Penstock, or undo that."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from shlex import quote
from typing import TYPE_CHECKING, Any

from penstock.cli.options import UsageError
from penstock.cli.printing import replace_what_cannot_be_shown, say, tell_error
from penstock.cli.tool_source import add_timeout
from penstock.errors import MissingExtra, PenstockError

if TYPE_CHECKING:
    from penstock.cli.auditing.list_costs import Balance, Measured
    from penstock.cli.wrapping import ChosenConfig, Plan

SOME_FAILED = 1

_EXAMPLES = """\
examples:
  penstock wrap                            list the configs on this machine
  penstock wrap cursor                     show what would change, and what the lists cost
  penstock wrap ~/.cursor/mcp.json         the same for a file
  penstock wrap cursor --write             make the change, after a backup
  penstock wrap cursor --except time git   leave two servers as they are
  penstock wrap cursor --undo --write      undo the change
  penstock wrap cursor --together --write  put all servers behind one Penstock
  penstock wrap --all --write              change every config on this machine

Hosts: claude-desktop, claude-code, cursor, vscode, windsurf, codex, copilot, qwen, gemini. A file may
be any JSON with mcpServers or servers. Restart the host after a change.
"""
_TEMPORARY = """\
penstock: warning: this installation is in a temporary place and will not last: {path}
  Install Penstock in a permanent place (`uv tool install .` or `pipx install .` in a clone), and
  wrap again with that."""


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "wrap",
        help="put every server of a host's config behind Penstock, or show how",
        description="Put every MCP server of a host's config behind Penstock. Without --write, "
        "only show the change. For that, the servers are started and list their tools.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("configs", metavar="CONFIG", nargs="*", help="A host's name, or its config file.")
    add("--all", action="store_true", help="Take every config that is found on this machine.")
    add("--write", action="store_true", help="Make the change, after a backup.")
    add(
        "--together",
        action="store_true",
        help="Put the servers behind one Penstock, with one list of tools: one entry takes their "
        "place, and they move to a file beside the config.",
    )
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
    add(
        "--except",
        metavar="SERVER",
        nargs="+",
        dest="left_out",
        default=[],
        help="Leave these servers as they are.",
    )
    add("--no-costs", action="store_true", help="Start no server, and show no costs.")
    add_timeout(parser, 30)
    parser.set_defaults(do=wrap, name="wrap")


def wrap(chosen: argparse.Namespace) -> int:
    from penstock.cli import wrapping

    replace_what_cannot_be_shown()
    if chosen.all and chosen.configs:
        raise UsageError("Both --all and a config were given.", next_step="Give only one.")
    if chosen.together and chosen.undo:
        step = "Use --undo alone: it takes back --together too."
        raise UsageError("Both --together and --undo were given.", next_step=step)
    if not chosen.all and not chosen.configs:
        if chosen.write or chosen.undo or chosen.together:
            raise _unnamed(chosen)
        return _list_configs(wrapping.known_configs())
    configs = wrapping.chosen_configs(chosen.configs)
    if not configs:
        return _list_configs([])
    if not chosen.undo and wrapping.find_launcher().is_temporary:
        print(_TEMPORARY.format(path=wrapping.find_launcher().command), file=sys.stderr)
    return _wrap_each(configs, chosen)


def _unnamed(chosen: argparse.Namespace) -> UsageError:
    flags = "".join(f" --{name}" for name in ("together", "undo", "write") if getattr(chosen, name))
    step = f"Name it: penstock wrap CONFIG{flags}, or take every config: penstock wrap --all{flags}"
    return UsageError("No config is named.", next_step=step)


def _wrap_each(configs: Sequence[ChosenConfig], chosen: argparse.Namespace) -> int:
    """Wrap each config. If there are several, a failure does not stop the others."""
    failed, changes = 0, 0
    for number, config in enumerate(configs):
        if number:
            say("")
        try:
            changes += _wrap_one(config, chosen)
        except PenstockError as error:
            if len(configs) == 1:
                raise
            tell_error(error)
            failed += 1
    if changes and not chosen.write:
        say(
            f"\nNothing was written. Add --write to make {'this change' if changes == 1 else 'these changes'}."
        )
    return SOME_FAILED if failed else 0


def _wrap_one(config: ChosenConfig, chosen: argparse.Namespace) -> bool:
    """Show or make the change of one config. Return whether there is one."""
    from penstock.cli import wrapping

    try:
        plan = _planned(config, chosen)
    except wrapping.NoServers as error:
        if config.is_named:
            raise
        say(error.message)
        return False
    _check_left_out(plan, chosen)
    if chosen.no_costs or chosen.write or chosen.undo:
        say(wrapping.describe(plan))
    else:
        say(wrapping.describe(plan, *_costs(plan, config, chosen)))
    if find_spec("aiohttp") is None and _leads_to_url(plan.changes):
        raise MissingExtra("serve", "A remote server behind Penstock")
    if plan.has_effect and chosen.write:
        backup = wrapping.write(plan)
        say(f"\nWritten. The backup is {backup}\nRestart the host to use the change.")
    return plan.has_effect


def _check_left_out(plan: Plan, chosen: argparse.Namespace) -> None:
    """Refuse a name that is no server's: the one that was meant would be changed."""
    names = [change.name for change in plan.changes]
    unknown = [name for name in chosen.left_out if name not in names]
    if unknown and not chosen.all and len(chosen.configs) == 1:
        step = f"Its servers: {', '.join(names)}."
        raise UsageError(f"{plan.path} has no server {unknown[0]!r}.", next_step=step)


def _planned(config: ChosenConfig, chosen: argparse.Namespace) -> Plan:
    from penstock.cli import together, wrapping

    text = wrapping.read(config.path)
    if chosen.undo:
        apart = together.plan_apart(text, config.path, chosen.left_out)
        return apart or wrapping.plan_undo(text, config.path, chosen.left_out)
    plan = together.plan_together if chosen.together else wrapping.plan
    return plan(
        text,
        config.path,
        wrapping.find_launcher(),
        host=chosen.host,
        remote=chosen.remote,
        left_out=chosen.left_out,
    )


def _costs(
    plan: Plan, config: ChosenConfig, chosen: argparse.Namespace
) -> tuple[Mapping[int, Measured], Balance | None]:
    """Return the cost of each list that would be behind Penstock, by the number of the change, and
    that of one list of servers that are put together."""
    from penstock.cli.measuring import measured
    from penstock.cli.together.costs import costs_of
    from penstock.cli.wrapping.starting import start_of

    if not config.may_start:
        say(
            f"The servers of {config.path} are not started, because the file belongs to this folder."
        )
        flag = " --together" if chosen.together else ""
        say(f"If you trust it, see their costs: penstock wrap {quote(str(config.path))}{flag}\n")
        return {}, None
    if chosen.together:
        return costs_of(plan, seconds=chosen.timeout)
    wrapped = {n: change for n, change in enumerate(plan.changes) if change.action == "wrap"}
    starts = {
        n: (change.name, partial(start_of, change.after, config.path, change.project))
        for n, change in wrapped.items()
    }
    return measured(starts, seconds=chosen.timeout), None


def _leads_to_url(changes: Any) -> bool:
    from penstock.cli.wrapping import reaches_url

    return any(
        (change.action == "wrap" and reaches_url(change.after))
        or (
            change.action == "gather"
            and ("command" not in change.before or reaches_url(change.before))
        )
        for change in changes
    )


def _list_configs(found: Any) -> int:
    if not found:
        say("No config of a known host was found. Name one: penstock wrap PATH")
        return 0
    say(
        "Configs on this machine (penstock wrap NAME shows what would change, --all takes every one):"
    )
    for known in found:
        say(f"  {known.format.names[0]:16} {known.path}")
    return 0
