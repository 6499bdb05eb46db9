"""The errors of a config file."""

from __future__ import annotations

from pathlib import Path

from penstock.errors import PenstockError


class ConfigError(PenstockError):
    """A host's config file cannot be used."""

    next_step = "Correct the file and try again."

    def __init__(self, path: Path, why: str, *, next_step: str | None = None) -> None:
        self.path = path
        super().__init__(f"{path}: {why.rstrip('.')}.", next_step=next_step)


class NoServers(ConfigError):
    """A config names no MCP servers."""

    next_step = "Add a server in the host first, or name another file."


class Unreadable(ValueError):
    """A text does not follow its format. The reader of the text does not know its path."""
