"""The options that several commands share, and the `Policy` and the `Target` made from them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from os import path
from typing import Any, Final

from penstock.errors import InvalidSetting, PenstockError
from penstock.relay.target import Target
from penstock.settings import parsers
from penstock.settings.policy import Policy
from penstock.settings.sources import ENVIRONMENT_PREFIX, SECRET_VARIABLES
from penstock.settings.table import HOST, SETTINGS

LEVELS: Final = ("debug", "info", "warning", "error")
# The settings that have an option, each with the name of its value in the help.
_OF_RESULTS: Final = {
    "budget": "SIZE", "inline": "SIZE", "ceiling": "SIZE", "host": "NAME", "store": "URL",
    "ttl": "TIME", "max_ttl": "TIME", "row_form": "auto|objects|table", "only": "TOOL", "except": "TOOL",
    "max_upstream": "SIZE", "call_timeout": "TIME", "results_to": "SERVER",
}  # fmt: skip
_OF_LISTS: Final = {
    "list": "FORM", "list_budget": "SIZE", "always": "TOOL", "app_only": "TOOL",
    "explorer": "on|off", "gate": "off|teach|strict", "descriptions": "DIR", "programs": "MODE",
}  # fmt: skip
OPTIONS: Final = _OF_RESULTS | _OF_LISTS
_BARE: Final = {"programs": "on"}  # what an option without a value means
CONFIG_FILE: Final = "penstock.toml"
_CONFIG_HELP: Final = (
    "The settings file. Default: penstock.toml in the user's configuration folder."
)


class UsageError(PenstockError):
    """The command line cannot be used."""

    next_step = "See penstock --help."


def add_policy_options(
    parser: argparse.ArgumentParser, defaults: Mapping[str, Any] | None = None
) -> None:
    """Add the options of the settings. `defaults` are those of the command, where they differ."""
    group = parser.add_argument_group(
        "settings",
        "Each can also be an environment variable, such as PENSTOCK_BUDGET. The file\n"
        "penstock.toml has more settings, and settings for single tools.",
    )
    add_settings(group, *_OF_RESULTS, defaults=defaults)
    group.add_argument("--config", metavar="FILE", help=_CONFIG_HELP)
    group.add_argument(
        "--log-level",
        metavar="LEVEL",
        choices=LEVELS,
        help="What to log on stderr: debug, info, warning or error. Default: warning.",
    )
    group.add_argument(
        "--no-stats",
        dest="stats",
        action="store_const",
        const="off",
        help="Do not add to the figures that penstock stats shows. Variable: PENSTOCK_STATS=off.",
    )
    group = parser.add_argument_group(
        "list of tools",
        "How the server's tools are listed. Environment variables: PENSTOCK_LIST and so on.",
    )
    add_settings(group, *_OF_LISTS)


def add_settings(group: Any, *names: str, defaults: Mapping[str, Any] | None = None) -> None:
    """Add the options of some settings, as the table describes them."""
    for name in names:
        setting = HOST if name == HOST.name else SETTINGS[name]
        default = (defaults or {}).get(name, setting.default)
        bare = _BARE.get(name)
        group.add_argument(
            f"--{name.replace('_', '-')}",
            metavar=OPTIONS[name],
            nargs="+" if setting.parse is parsers.names else "?" if bare else None,
            const=bare,
            help=f"{setting.meaning.replace('`', '')} Default: {default or setting.unset}.",
        )


def add_target_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "upstream", "Give a command after --, or the URL of a server that speaks streamable HTTP."
    )
    add = group.add_argument
    add(
        "--url",
        metavar="URL",
        help="The server's endpoint, such as https://example.com/mcp. Put a URL that holds a "
        "secret into PENSTOCK_URL, because other users can read command lines.",
    )
    add(
        "--header",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="A header to send to the URL. Other users can read command lines, so put secrets into "
        "PENSTOCK_HEADERS, a JSON object.",
    )
    add(
        "--header-env",
        metavar="NAME=VARIABLE",
        action="append",
        default=[],
        help="A header whose value is in an environment variable.",
    )
    add(
        "--bearer-env",
        metavar="VARIABLE",
        help="The environment variable with the bearer token for the URL. Default: PENSTOCK_BEARER.",
    )


def add_servers_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "several servers", "All servers of a host's config behind one Penstock."
    )
    add = group.add_argument
    add(
        "--servers",
        metavar="FILE",
        help="The file with the servers, in the format of any host: JSON with mcpServers or servers, "
        "or TOML with mcp_servers.",
    )
    add(
        "--server",
        metavar="NAME",
        nargs="+",
        default=[],
        help="Only these servers of the file. Default: all that are not switched off.",
    )


def policy_from(
    chosen: argparse.Namespace,
    defaults: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Policy:
    named = (*OPTIONS, "stats")
    options: dict[str, Any] = {name: _joined(getattr(chosen, name)) for name in named}
    file = config_file(chosen.config, environment)
    try:
        return Policy.load(options, environment=environment, file=file, defaults=defaults)
    except InvalidSetting as error:
        if error.setting == HOST.name and _is_address(str(error.value)):
            raise _no_address(chosen, error) from None
        raise


def _is_address(text: str) -> bool:
    return text in ("localhost", "*") or any(sign in text for sign in ".:")


def _no_address(chosen: argparse.Namespace, error: InvalidSetting) -> InvalidSetting:
    """Return the error for an address in `--host`, where many programs expect one."""
    why = "this is an address, and --host names the program that uses Penstock."
    step = f"Use --bind {error.value} to listen on it."
    if not hasattr(chosen, "bind"):
        step = f"To listen on an address, use penstock serve --bind {error.value}."
    return InvalidSetting(error.setting, error.value, why, next_step=step)


def _joined(given: Any) -> Any:
    """Join several words into one text, so that options are read as variables are."""
    return " ".join(given) if isinstance(given, list) else given


def target_from(chosen: argparse.Namespace, environment: Mapping[str, str] = os.environ) -> Target:
    if getattr(chosen, "server", None):
        raise no_servers_file()
    return Target.of(
        chosen.command,
        chosen.url,
        headers=chosen.header,
        header_variables=chosen.header_env,
        bearer_variable=chosen.bearer_env,
        environment=environment,
    )


def no_servers_file() -> UsageError:
    told = "--server selects servers of a file, and none is named."
    return UsageError(told, next_step="Name the file too: --servers FILE.")


def forget_secrets(chosen: argparse.Namespace) -> None:
    """Remove the secrets from our environment after they were read, so that no process which we
    start inherits them."""
    for name in (*SECRET_VARIABLES, *secret_variables_of(chosen)):
        os.environ.pop(name, None)


def secret_variables_of(chosen: argparse.Namespace) -> list[str]:
    """Return the variables that options name as the places of secrets."""
    named = [pair.partition("=")[2] for pair in chosen.header_env]
    return [name for name in (chosen.bearer_env, *named) if name]


def start_logging(chosen: argparse.Namespace) -> None:
    """Log to stderr: stdout belongs to the protocol."""
    import logging

    from penstock.cli.log_lines import FewAlike, LogLines

    level = chosen.log_level or os.environ.get(f"{ENVIRONMENT_PREFIX}LOG_LEVEL") or "warning"
    if level not in LEVELS:
        raise UsageError(f"There is no log level {level!r}.", next_step=f"Use {', '.join(LEVELS)}.")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LogLines())
    if level in ("warning", "error"):  # Users who ask for more detail get all lines.
        handler.addFilter(FewAlike())
    logging.basicConfig(handlers=[handler])
    logging.getLogger("penstock").setLevel(level.upper())


def config_file(given: str | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the settings file that is named, or the user's own if it exists. Ignore a file in the
    working folder: hosts start servers in folders that hold other people's files."""
    named = given or environment.get(f"{ENVIRONMENT_PREFIX}CONFIG")
    if named:
        return named
    usual = f"{config_folder()}/{CONFIG_FILE}"
    return usual if path.isfile(usual) else None  # noqa: PTH113 (pathlib is slow to import)


def config_folder() -> str:
    """Return the folder where this platform keeps a user's settings for Penstock."""
    home = path.expanduser("~")  # noqa: PTH111 (as above)
    if sys.platform == "win32":
        base = os.environ.get("APPDATA") or f"{home}/AppData/Roaming"
    elif sys.platform == "darwin":
        base = f"{home}/Library/Application Support"
    else:
        base = os.environ.get("XDG_CONFIG_HOME", "")
        base = base if base.startswith("/") else f"{home}/.config"
    return f"{base}/penstock"
