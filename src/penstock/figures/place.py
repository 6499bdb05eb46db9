"""The place of the file with figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.stores.urls import state_folder

if TYPE_CHECKING:
    from pathlib import Path

_FILE: Final = "figures.sqlite"


def figures_file() -> Path:
    """Return the path of the file, whether or not it exists."""
    return state_folder() / _FILE
