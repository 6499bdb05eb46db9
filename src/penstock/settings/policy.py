"""The policy: all settings as one value, with those for one tool or one client.

A bad setting raises an error that names the setting when the policy is built.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import FrozenInstanceError, replace
from fnmatch import fnmatchcase
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from penstock.core.budget.budget import Budget
from penstock.core.model.reply import Showing
from penstock.errors import InvalidSetting
from penstock.log import logger
from penstock.settings import sources
from penstock.settings.sections import check_section, literal_pattern, stated_for
from penstock.settings.table import TABLES, Settings, as_fields

if TYPE_CHECKING:
    from pathlib import Path

_MOST_BUILT = 10_000


class Policy(Settings):
    """All settings as one immutable value. Pass only the settings that differ from the defaults."""

    def __setattr__(self, name: str, _value: object) -> None:
        """Refuse every name. A frozen dataclass guards only its fields, not mistyped names."""
        raise FrozenInstanceError(f"cannot assign to {name!r}: a policy does not change")

    def __post_init__(self) -> None:
        super().__post_init__()
        for table, allowed in TABLES.items():
            for name, section in getattr(self, table).items():
                place = f"{table}.{name}"
                check_section(place, table.rstrip("s"), section, allowed)
                self._check_together(place, section)

    def _check_together(self, place: str, section: Mapping[str, Any]) -> None:
        """Refuse a section that contradicts the other settings, now and not at the first call."""
        try:
            replace(self, **as_fields(section), **_no_tables())
        except InvalidSetting as error:
            raise InvalidSetting(f"{place}.{error.setting}", error.value, error.why) from None

    @classmethod
    def load(
        cls,
        options: Mapping[str, Any] | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        file: str | Path | None = None,
        defaults: Mapping[str, Any] | None = None,
    ) -> Policy:
        """Merge the sources. Options override the environment, which overrides the file. `defaults`
        replace those of the settings, as in `penstock run`."""
        told = sources.put_together(options or {}, environment or {}, file, defaults)
        return cls.from_mapping(told)

    @classmethod
    def of_process(cls) -> Policy:
        """Read the environment and the file that PENSTOCK_CONFIG names, if any."""
        return cls.from_mapping(sources.of_process())

    @classmethod
    def from_mapping(cls, settings: Mapping[str, Any]) -> Policy:
        """Take settings under the names that users write. Some fields have other names."""
        return cls(**as_fields(settings))

    @property
    def inline_budget(self) -> Budget:
        return self.inline or self.budget

    @cached_property
    def showing(self) -> Showing:
        """The parts of a result that the host shows a model."""
        return Showing(self.shows_both, self.hides_user_blocks)

    @property
    def has_only_programs(self) -> bool:
        """Return whether tools are called by programs alone, and are not listed."""
        return "only" in self.programs

    @property
    def programs_may_write(self) -> bool:
        return "write" in self.programs

    def covers(self, tool: str) -> bool:
        """Return whether `only` and `except` leave this tool to Penstock."""
        if any(fnmatchcase(tool, pattern) for pattern in self.except_):
            return False
        return not self.only or any(fnmatchcase(tool, pattern) for pattern in self.only)

    def keeps_for_apps(self, tool: Any) -> bool:
        """Return whether `app_only` names this tool."""
        is_name = isinstance(tool, str)
        return is_name and any(fnmatchcase(tool, pattern) for pattern in self.app_only)

    @cached_property
    def for_apps(self) -> Policy:
        """The policy of a result that only an app sees. Such a result may fill the ceiling, which is
        the host's own limit, so both of its copies count."""
        return self._with(budget=self.ceiling, inline=None, heavy=False, shows_both=True)

    def unmatched(self, tools: Iterable[str]) -> list[str]:
        """Return the names and patterns in the settings that no tool matches: mostly typos."""
        known = list(tools)
        named = (*self.only, *self.except_, *self.always, *self.app_only, *self.tools)
        return [name for name in named if not any(fnmatchcase(tool, name) for tool in known)]

    def for_tool(self, name: str) -> Policy:
        """Return the policy of one tool, by its sections in `tools`."""
        return self._for("tools", name)

    def for_client(self, name: str) -> Policy:
        """Return the policy of one client, by the name it reports and its sections in `clients`."""
        return self._for("clients", name)

    def with_tools(self, brought: Mapping[str, Mapping[str, Any]]) -> Policy:
        """Add the settings that tools bring along, by name of tool. Sections override them. A setting
        that contradicts a section is left out."""
        named = {
            literal_pattern(name): self._admitted(name, told) for name, told in brought.items()
        }
        return replace(self, tools={**named, **self.tools})

    def _admitted(self, tool: str, brought: Mapping[str, Any]) -> dict[str, Any]:
        """Return the brought settings that do not contradict the sections for the tool. Limits are
        tried first, since other settings are checked against them."""
        stated = stated_for(tool, self.tools)
        admitted: dict[str, Any] = {}
        for name in sorted(brought, key=lambda name: not name.startswith("max_")):
            try:
                self._check_together(tool, {**admitted, name: brought[name], **stated})
            except InvalidSetting as error:
                _tell_once(tool, name, repr(brought[name]), error.why)
            else:
                admitted[name] = brought[name]
        return admitted

    def _for(self, table: str, name: str) -> Policy:
        sections = getattr(self, table)
        if not sections:
            return self
        built = self._built.get((table, name))
        if built is None:
            if len(self._built) >= _MOST_BUILT:
                self._built.clear()
            stated = stated_for(name, sections)
            built = self._with(**as_fields(stated)) if stated else self
            self._built[table, name] = built
        return built

    @cached_property
    def _built(self) -> dict[tuple[str, str], Policy]:
        """The policies of tools and clients. Each is built once, because every call needs one."""
        return {}

    def _with(self, **changes: Any) -> Policy:
        """Return a copy with some fields changed. Its sections stay, and are not checked again."""
        built = replace(self, **changes, **_no_tables())
        for table in TABLES:
            built.__dict__[table] = getattr(self, table)  # shared, not parsed again
        return built


def _no_tables() -> dict[str, Any]:
    return {table: {} for table in TABLES}


@cache
def _tell_once(tool: str, name: str, value: str, why: str) -> None:
    told = "the tool %s sets %s = %s, which is ignored: %s"
    logger().warning(told, tool, name, value, why)
