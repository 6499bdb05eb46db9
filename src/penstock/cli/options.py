"""The options that several commands share, and how they become a `Policy` and a target."""

from __future__ import annotations

import argparse
import os
import sys
from os import path
from typing import Any, Final

from penstock.errors import PenstockError
from penstock.relay.target import Target
from penstock.settings.policy import ENVIRONMENT_PREFIX, Policy

LEVELS: Final = ("debug", "info", "warning", "error")
_SETTINGS: Final = (
    "budget", "inline", "ceiling", "host", "store", "ttl", "only", "except",
    "list", "list_budget", "always", "app_only", "explorer", "gate", "descriptions",
)  # fmt: skip
CONFIG_FILE: Final = "penstock.toml"
_CONFIG_HELP: Final = "settings file (default: penstock.toml in the user's configuration folder)"


class UsageError(PenstockError):
    """The command line cannot be carried out."""

    next_step = "See penstock --help."


def add_policy_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "settings",
        "Also as PENSTOCK_BUDGET and so on, or in penstock.toml (with more, and by tool).",
    )
    add = group.add_argument
    add("--budget", metavar="SIZE", help="most of a reply: 25kB (default), 8000tok, 10KiB+256lines")
    add("--inline", metavar="SIZE", help="largest result that passes whole (default: the budget)")
    add("--ceiling", metavar="SIZE", help="most of a reply in mode full (default: 150000ch)")
    add("--host", metavar="NAME", help="what a host can take: claude, claude-code, codex, …")
    add("--store", metavar="URL", help="memory: (default), sqlite:, sqlite:///PATH, redis://HOST")
    add("--ttl", metavar="TIME", help="how long a stored result lives unread: 300, 5m, 1h")
    add("--only", metavar="TOOL", nargs="+", help="keep only these tools inside the budget")
    add("--except", metavar="TOOL", nargs="+", help="leave these tools alone; list_* is a pattern")
    _add_list_options(parser)
    add("--config", metavar="FILE", help=_CONFIG_HELP)
    add(
        "--log-level",
        metavar="LEVEL",
        choices=LEVELS,
        help="on stderr: debug, info, warning, error",
    )


def _add_list_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "list of tools", "How upstream's tools are listed; also as PENSTOCK_LIST and so on."
    )
    add = group.add_argument
    add(
        "--list",
        metavar="FORM",
        help="auto (default): the richest that fits; full; brief: every tool in a sentence; "
        "index: four tools that find, describe and call all others",
    )
    add("--list-budget", metavar="SIZE", help="most of the list: 2000tok (default)")
    add("--always", metavar="TOOL", nargs="+", help="list these in full in every form")
    add("--app-only", metavar="TOOL", nargs="+", help="keep these for apps, and from the model")
    add(
        "--explorer",
        metavar="on|off",
        help="on (default): clients that show apps get show_result, a table of a stored result; off",
    )
    add(
        "--gate",
        metavar="GATE",
        help="teach (default): a call whose arguments do not fit is answered with the tool's "
        "description; strict: no call before that was read; off",
    )
    add(
        "--descriptions",
        metavar="DIR",
        help="JSON files, one a tool, in the place of upstream's words",
    )


def add_target_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "upstream", "Either a command after --, or the URL of a server that speaks streamable HTTP."
    )
    add = group.add_argument
    add("--url", metavar="URL", help="the server's endpoint, such as https://example.com/mcp")
    add(
        "--header",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="sent to the URL; for secrets rather PENSTOCK_HEADERS, a JSON object",
    )
    add(
        "--header-env",
        metavar="NAME=VARIABLE",
        action="append",
        default=[],
        help="a header whose value is in an environment variable",
    )
    add("--bearer-env", metavar="VARIABLE", help="bearer token (default: PENSTOCK_BEARER)")


def policy_from(chosen: argparse.Namespace) -> Policy:
    options: dict[str, Any] = {name: getattr(chosen, name) for name in _SETTINGS}
    return Policy.load(options, environment=os.environ, file=config_file(chosen.config))


def target_from(chosen: argparse.Namespace) -> Target:
    return Target.of(
        chosen.command,
        chosen.url,
        headers=chosen.header,
        header_variables=chosen.header_env,
        bearer_variable=chosen.bearer_env,
        environment=os.environ,
    )


def start_logging(chosen: argparse.Namespace) -> None:
    """To stderr: stdout belongs to the protocol."""
    import logging

    level = chosen.log_level or os.environ.get(f"{ENVIRONMENT_PREFIX}LOG_LEVEL") or "warning"
    if level not in LEVELS:
        raise UsageError(f"There is no log level {level!r}.", next_step=f"Use {', '.join(LEVELS)}.")
    logging.basicConfig(stream=sys.stderr, format="penstock: %(levelname)s: %(message)s")
    logging.getLogger("penstock").setLevel(level.upper())


def config_file(given: str | None) -> str | None:
    """A file that is named must be there; the user's own may be. One in the working folder is not
    looked for: a host starts servers in folders that hold other people's files."""
    named = given or os.environ.get(f"{ENVIRONMENT_PREFIX}CONFIG")
    if named:
        return named
    usual = f"{config_folder()}/{CONFIG_FILE}"
    return usual if path.isfile(usual) else None  # noqa: PTH113 (pathlib is slow to import)


def config_folder() -> str:
    """Where this platform keeps a user's settings."""
    home = path.expanduser("~")  # noqa: PTH111 (as above)
    if sys.platform == "win32":
        base = os.environ.get("APPDATA") or f"{home}/AppData/Roaming"
    elif sys.platform == "darwin":
        base = f"{home}/Library/Application Support"
    else:
        base = os.environ.get("XDG_CONFIG_HOME", "")
        base = base if base.startswith("/") else f"{home}/.config"
    return f"{base}/penstock"
