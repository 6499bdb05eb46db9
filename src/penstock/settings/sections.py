"""Sections of settings for the tools or clients whose names match a pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from penstock.errors import InvalidSetting
from penstock.settings.parsers import Table, parsed
from penstock.settings.table import SETTINGS


def check_section(place: str, kind: str, section: Any, allowed: Sequence[str]) -> None:
    """Refuse a section with a bad value, or with a setting that one tool or client may not have."""
    if not isinstance(section, Mapping):
        raise InvalidSetting(place, section, "must be a table of settings")
    for name, value in section.items():
        if name not in allowed:
            why = (
                f"cannot be set for one {kind}" if name in SETTINGS else "there is no such setting"
            )
            step = f"For one {kind}, use: {', '.join(allowed)}."
            raise InvalidSetting(f"{place}.{name}", value, why, next_step=step)
        parsed(f"{place}.{name}", value, SETTINGS[name].parse)


def stated_for(name: str, sections: Table) -> dict[str, Any]:
    """Return the settings of all sections that match a name. Later sections win."""
    stated: dict[str, Any] = {}
    for pattern, section in sections.items():
        if fnmatchcase(name, pattern):
            stated.update(section)
    return stated


def literal_pattern(name: str) -> str:
    """Return a pattern that matches only this name, in a form that no user would write. So it does
    not replace a section that a user wrote for the same name."""
    escaped = [f"[{letter}]" if letter in "*?[" else letter for letter in name]
    first = next((place for place, letter in enumerate(name) if letter.isalnum()), None)
    if first is not None:
        escaped[first] = f"[{name[first]}]"
    return "".join(escaped)
