"""The sources of settings, merged.

Precedence: command line, environment (`PENSTOCK_*`), `penstock.toml`, host profile, default. The
defaults can be those of one command.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import InvalidSetting
from penstock.settings.parsers import parsed, seconds
from penstock.settings.table import HOST, SETTINGS, TABLES

if TYPE_CHECKING:
    from pathlib import Path

ENVIRONMENT_PREFIX: Final = "PENSTOCK_"
# The variables that may hold a password or a token. Other settings may be meant for a Penstock that
# is inside the server.
SECRET_VARIABLES: Final = ("PENSTOCK_STORE", "PENSTOCK_BEARER", "PENSTOCK_HEADERS", "PENSTOCK_URL")


def put_together(
    options: Mapping[str, Any],
    environment: Mapping[str, str],
    file: str | Path | None,
    defaults: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the settings of all sources, by name. A stronger source overrides a weaker one."""
    settings = _from_file(file) | _from_environment(environment)
    settings |= {name: value for name, value in options.items() if value is not None}
    host = settings.pop(HOST.name, None)
    if host is not None:
        chosen = HOST.parse(host)
        settings = {
            "budget": chosen.budget,
            "ceiling": chosen.ceiling,
            "shows_both": chosen.showing.both,
            "hides_user_blocks": chosen.showing.hides_user_blocks,
        } | settings
    return settings if defaults is None else _completed(settings, defaults)


def _completed(settings: dict[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Add the defaults of a command. A default `ttl` must not contradict a shorter `max_ttl`, which a
    user may have chosen for all tools or for one."""
    completed = {**defaults, **settings}
    if "ttl" not in defaults or "ttl" in settings:
        return completed
    completed["ttl"] = _shorter(completed["ttl"], completed["max_ttl"])
    tools = completed.get("tools")
    if isinstance(tools, Mapping):
        told = tools.items()
        completed["tools"] = {name: _within(completed["ttl"], section) for name, section in told}
    return completed


def _within(ttl: float, section: Any) -> Any:
    if not isinstance(section, Mapping) or "max_ttl" not in section:
        return section
    try:
        return {"ttl": _shorter(ttl, section["max_ttl"]), **section}
    except InvalidSetting:
        return section  # the policy refuses it, and names the section


def _shorter(ttl: Any, max_ttl: Any) -> float:
    return min(parsed("ttl", ttl, seconds), parsed("max_ttl", max_ttl, seconds))


def without_secret_variables(
    environment: Mapping[str, str], further: Collection[str] = ()
) -> dict[str, str]:
    """Return an environment for another process, which must not know our secrets. `further` names
    more variables that hold some."""
    hidden = {*SECRET_VARIABLES, *further}
    return {name: value for name, value in environment.items() if name not in hidden}


def of_process() -> dict[str, Any]:
    """Return the settings in the environment and in the file that PENSTOCK_CONFIG names, if any."""
    file = os.environ.get(f"{ENVIRONMENT_PREFIX}CONFIG", "").strip()
    return put_together({}, os.environ, file or None)


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    names = [name for name in (*SETTINGS, HOST.name) if name not in TABLES]
    found = {name: environment.get(ENVIRONMENT_PREFIX + name.upper(), "") for name in names}
    return {name: value for name, value in found.items() if value.strip()}


def _from_file(file: str | Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    import tomllib
    from pathlib import Path

    try:
        return tomllib.loads(Path(file).read_text("utf-8"))
    except OSError as error:
        raise InvalidSetting("config file", str(file), error.strerror or str(error)) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSetting("config file", str(file), str(error)) from None
