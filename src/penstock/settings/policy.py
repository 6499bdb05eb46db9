"""Every setting, validated once, from code, the command line, the environment, or a file.

Precedence: command line, environment (`PENSTOCK_*`), `penstock.toml`, host profile, default.
A bad setting fails here, at the start, and names itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from penstock.core.budget.budget import DEFAULT_BUDGET, DEFAULT_CEILING, DEFAULT_LIST_BUDGET, Budget
from penstock.core.model.values import Mode
from penstock.errors import InvalidSetting
from penstock.log import logger
from penstock.settings.table import FIELD_NAMES, PARSERS, SETTING_NAMES, TABLES, UNSET, parsed

if TYPE_CHECKING:
    from pathlib import Path

ENVIRONMENT_PREFIX = "PENSTOCK_"
_MOST_BUILT = 10_000


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How much, how long, where. Give what differs; the rest just works.

    `budget` bounds every reply. `inline`, by default the same, is the largest result that passes
    whole. `ceiling` bounds `full` alone. `list_budget` bounds the list of tools.
    """

    budget: Budget = DEFAULT_BUDGET
    inline: Budget | None = None
    ceiling: Budget = DEFAULT_CEILING
    heavy: bool = False
    modes: tuple[Mode, ...] = tuple(Mode)
    page_size: int = 20
    max_page_size: int = 1_000
    preview: int = 200
    ttl: float = 300
    max_ttl: float = 3_600
    bearer_ttl: float = 300
    store: str = "memory:"
    capacity: int = 256_000_000
    quota: int = 64_000_000
    media_cap: int = 1_000_000
    query_seconds: float = 5
    query_memory: int = 256_000_000
    query_rows: int = 100_000
    only: tuple[str, ...] = ()
    except_: tuple[str, ...] = ()
    list_form: str = "auto"
    list_budget: Budget = DEFAULT_LIST_BUDGET
    always: tuple[str, ...] = ()
    app_only: tuple[str, ...] = ()
    explorer: bool = True
    gate: str = "teach"
    descriptions: str = ""
    grant_ttl: float = 3_600
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    clients: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    if TYPE_CHECKING:
        # As it may be written; `__post_init__` reads it.
        def __init__(
            self,
            *,
            budget: Budget | str | int = ...,
            inline: Budget | str | int | None = ...,
            ceiling: Budget | str | int = ...,
            heavy: bool | str = ...,
            modes: str | Sequence[str] = ...,
            page_size: int | str = ...,
            max_page_size: int | str = ...,
            preview: int | str = ...,
            ttl: float | str = ...,
            max_ttl: float | str = ...,
            bearer_ttl: float | str = ...,
            store: str = ...,
            capacity: int | str = ...,
            quota: int | str = ...,
            media_cap: int | str = ...,
            query_seconds: float | str = ...,
            query_memory: int | str = ...,
            query_rows: int | str = ...,
            only: str | Sequence[str] = ...,
            except_: str | Sequence[str] = ...,
            list_form: str = ...,
            list_budget: Budget | str | int = ...,
            always: str | Sequence[str] = ...,
            gate: str = ...,
            descriptions: str = ...,
            grant_ttl: float | str = ...,
            tools: Mapping[str, Mapping[str, Any]] = ...,
            clients: Mapping[str, Mapping[str, Any]] = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        for name, parse in PARSERS.items():
            value = getattr(self, name)
            if name not in UNSET or value != UNSET[name]:
                object.__setattr__(self, name, parsed(name, value, parse))
        _require("max_page_size", self.max_page_size, self.max_page_size >= self.page_size,
                 f"must be at least page_size, {self.page_size}")  # fmt: skip
        _require("max_ttl", self.max_ttl, self.max_ttl >= self.ttl,
                 f"must be at least ttl, {self.ttl:g}")  # fmt: skip
        _require("modes", [*map(str, self.modes)], Mode.PAGINATED in self.modes,
                 "must include paginated, which every other mode leads to")  # fmt: skip
        for table, allowed in TABLES.items():
            self._check_table(table, getattr(self, table), allowed)

    def _check_table(self, table: str, groups: Any, allowed: Sequence[str]) -> None:
        _require(table, groups, isinstance(groups, Mapping), f"must be a table of {table}")
        for name, settings in groups.items():
            _check_group(f"{table}.{name}", table.rstrip("s"), settings, allowed)
            self._check_together(f"{table}.{name}", settings)

    def _check_together(self, group: str, settings: Mapping[str, Any]) -> None:
        """What a tool's settings do to the others is found out now, not at its first call."""
        try:
            replace(self, **_as_fields(settings), **_no_tables())
        except InvalidSetting as error:
            name = f"{group}.{SETTING_NAMES.get(error.setting, error.setting)}"
            raise InvalidSetting(name, error.value, error.why) from None

    @property
    def inline_budget(self) -> Budget:
        return self.inline or self.budget

    def covers(self, tool: str) -> bool:
        """Whether a tool is kept inside the budget at all, after `only` and `except`."""
        if any(fnmatchcase(tool, pattern) for pattern in self.except_):
            return False
        return not self.only or any(fnmatchcase(tool, pattern) for pattern in self.only)

    def keeps_for_apps(self, tool: Any) -> bool:
        """Whether `app_only` names this tool."""
        is_name = isinstance(tool, str)
        return is_name and any(fnmatchcase(tool, pattern) for pattern in self.app_only)

    @cached_property
    def for_apps(self) -> Policy:
        """Of a result that only an app sees: it may fill what the host takes."""
        built = replace(self, budget=self.ceiling, inline=None, heavy=False, **_no_tables())
        return _with_tables_of(self, built)

    def unmatched(self, tools: Iterable[str]) -> list[str]:
        """Names and patterns in the settings that no tool matches: slips, mostly."""
        known = list(tools)
        named = (*self.only, *self.except_, *self.always, *self.app_only, *self.tools)
        return [name for name in named if not any(fnmatchcase(tool, name) for tool in known)]

    def for_tool(self, name: str) -> Policy:
        """The policy of one tool: what `tools` says for it, patterns such as `list_*` too."""
        return self._for("tools", name)

    def with_tools(self, brought: Mapping[str, Mapping[str, Any]]) -> Policy:
        """With settings that tools bring along, by their names: weaker than those that are here, and
        left out where they do not go with them."""
        named = {_literally(name): self._admitted(name, told) for name, told in brought.items()}
        return replace(self, tools={**named, **self.tools})

    def _admitted(self, tool: str, brought: Mapping[str, Any]) -> dict[str, Any]:
        """Beside what is stated for the tool. Limits come before what they limit."""
        stated = self._stated("tools", tool)
        admitted: dict[str, Any] = {}
        for name in sorted(brought, key=lambda name: not name.startswith("max_")):
            try:
                self._check_together(tool, {**admitted, name: brought[name], **stated})
            except InvalidSetting as error:
                _tell_once(tool, name, repr(brought[name]), error.why)
            else:
                admitted[name] = brought[name]
        return admitted

    def for_client(self, name: str) -> Policy:
        """The policy of one client, by the name it gives itself: what `clients` says for it."""
        return self._for("clients", name)

    def _for(self, table: str, name: str) -> Policy:
        if not getattr(self, table):
            return self
        built = self._built.get((table, name))
        if built is None:
            if len(self._built) >= _MOST_BUILT:
                self._built.clear()
            built = self._built[table, name] = self._build(table, name)
        return built

    @cached_property
    def _built(self) -> dict[tuple[str, str], Policy]:
        """Once each: every call asks."""
        return {}

    def _stated(self, table: str, name: str) -> dict[str, Any]:
        stated: dict[str, Any] = {}
        for pattern, settings in getattr(self, table).items():
            if fnmatchcase(name, pattern):
                stated.update(_as_fields(settings))
        return stated

    def _build(self, table: str, name: str) -> Policy:
        changes = self._stated(table, name)
        if not changes:
            return self
        return _with_tables_of(self, replace(self, **changes, **_no_tables()))

    @classmethod
    def load(
        cls,
        options: Mapping[str, Any] | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        file: str | Path | None = None,
    ) -> Policy:
        """Put the sources together, the strongest last."""
        settings = _from_file(file) | _from_environment(environment or {})
        settings |= {name: value for name, value in (options or {}).items() if value is not None}
        host = settings.pop("host", None)
        if host is not None:
            from penstock.core.budget.hosts import profile

            chosen = profile(str(host))
            settings = {"budget": chosen.budget, "ceiling": chosen.ceiling} | settings
        return cls.from_mapping(settings)

    @classmethod
    def of_process(cls) -> Policy:
        """What the environment says, and the file that PENSTOCK_CONFIG names, if it does."""
        file = os.environ.get(f"{ENVIRONMENT_PREFIX}CONFIG", "").strip()
        return cls.load(environment=os.environ, file=file or None)

    @classmethod
    def from_mapping(cls, settings: Mapping[str, Any]) -> Policy:
        for name, value in settings.items():
            _require_known(name, value)
        return cls(**_as_fields(settings))


@cache
def _tell_once(tool: str, name: str, value: str, why: str) -> None:
    told = "the tool %s asks for %s = %s, which is left out: %s"
    logger().warning(told, tool, name, value, why)


def _literally(name: str) -> str:
    """A pattern that only this name matches, and that nobody would write for it."""
    escaped = [f"[{letter}]" if letter in "*?[" else letter for letter in name]
    first = next((place for place, letter in enumerate(name) if letter.isalnum()), None)
    if first is not None:
        escaped[first] = f"[{name[first]}]"
    return "".join(escaped)


def _no_tables() -> dict[str, Any]:
    return {table: {} for table in TABLES}


def _with_tables_of(policy: Policy, built: Policy) -> Policy:
    for each in TABLES:
        object.__setattr__(built, each, getattr(policy, each))  # checked before, the same for all
    return built


def _as_fields(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {FIELD_NAMES.get(name, name): value for name, value in settings.items()}


def _require(name: str, value: Any, holds: bool, why: str) -> None:
    if not holds:
        raise InvalidSetting(name, value, why)


def _require_known(name: str, value: Any) -> None:
    known = [SETTING_NAMES.get(item.name, item.name) for item in fields(Policy)]
    if name not in known:
        raise InvalidSetting(
            name,
            value,
            "there is no such setting.",
            next_step=f"Use one of: {', '.join(known)}, host.",
        )


def _check_group(group: str, kind: str, settings: Any, allowed: Sequence[str]) -> None:
    if not isinstance(settings, Mapping):
        raise InvalidSetting(group, settings, "must be a table of settings")
    for name, value in settings.items():
        field_name = FIELD_NAMES.get(str(name), str(name))
        if name not in allowed:
            is_setting = field_name in PARSERS
            why = f"cannot be set for one {kind}." if is_setting else "there is no such setting."
            raise InvalidSetting(
                f"{group}.{name}", value, why,
                next_step=f"For one {kind}, use some of: {', '.join(allowed)}.",
            )  # fmt: skip
        parsed(f"{group}.{name}", value, PARSERS[field_name])


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    names = [*(SETTING_NAMES.get(name, name) for name in PARSERS), "host"]
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
