"""The places where hosts keep their configs on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from penstock.cli.wrapping.formats import Format, format_of


@dataclass(frozen=True, slots=True)
class KnownConfig:
    """A config of a host, which may exist or not."""

    format: Format
    path: Path
    # The config is in the working folder, whose files may be other people's.
    is_of_project: bool = False

    @property
    def title(self) -> str:
        return self.format.title


def known_configs(
    *,
    home: Path | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
) -> list[KnownConfig]:
    """Return the configs that exist: the user's own, and those of the project in a folder."""
    places = config_places(home=home, folder=folder, environment=environment, platform=platform)
    return [known for known in places if known.path.is_file()]


def config_places(
    *,
    home: Path | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] = os.environ,
    platform: str = sys.platform,
) -> list[KnownConfig]:
    """Return all places where hosts keep a config, whether or not there is one."""
    own = dict.fromkeys(_of_user(home or Path.home(), environment, platform))
    of_project = (path for path in _of_project(folder or Path.cwd()) if path not in own)
    return [
        *(KnownConfig(format_of(path), path) for path in own),
        *(KnownConfig(format_of(path), path, is_of_project=True) for path in of_project),
    ]


def _of_user(home: Path, environment: Mapping[str, str], platform: str) -> Iterator[Path]:
    settings = _settings_folder(home, environment, platform)
    yield settings / "Claude" / "claude_desktop_config.json"
    if platform == "win32":  # Claude Desktop from the Microsoft Store
        packages = _folder(environment, "LOCALAPPDATA", home / "AppData" / "Local") / "Packages"
        inside = Path("LocalCache", "Roaming", "Claude", "claude_desktop_config.json")
        yield from sorted(packages.glob(f"*Claude*/{inside.as_posix()}"))
    yield _folder(environment, "CLAUDE_CONFIG_DIR", home) / ".claude.json"
    yield home / ".cursor" / "mcp.json"
    yield settings / "Code" / "User" / "mcp.json"
    yield settings / "Code - Insiders" / "User" / "mcp.json"
    yield home / ".codeium" / "windsurf" / "mcp_config.json"
    yield _folder(environment, "CODEX_HOME", home / ".codex") / "config.toml"
    yield _folder(environment, "COPILOT_HOME", home / ".copilot") / "mcp-config.json"
    yield home / ".qwen" / "settings.json"
    yield home / ".gemini" / "settings.json"


def _of_project(folder: Path) -> Iterator[Path]:
    yield folder / ".mcp.json"
    yield folder / ".cursor" / "mcp.json"
    yield folder / ".vscode" / "mcp.json"
    yield folder / ".codex" / "config.toml"


def _settings_folder(home: Path, environment: Mapping[str, str], platform: str) -> Path:
    """Return the folder where desktop programs keep their settings."""
    if platform == "win32":
        return _folder(environment, "APPDATA", home / "AppData" / "Roaming")
    if platform == "darwin":
        return home / "Library" / "Application Support"
    return _folder(environment, "XDG_CONFIG_HOME", home / ".config")


def _folder(environment: Mapping[str, str], name: str, otherwise: Path) -> Path:
    told = environment.get(name)
    return Path(told) if told else otherwise
