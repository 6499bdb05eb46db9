"""A task: its data, the right answer, and the best play of each side.

A play is what a model would do that makes no mistake and does not know the tools beforehand: the
fewest tokens that give the right answer. A play without programs computes its answer from the texts
that it has read, as a model does in its head.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.programs.player import Player
from benchmarks.programs.servers import Server, server


class Task(ABC):
    """One task over one server."""

    what: ClassVar[str]
    server_name: ClassVar[str] = "filesystem"
    writes: ClassVar[bool] = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @abstractmethod
    def make(self) -> None:
        """Make the data in the folder, which is empty."""

    @abstractmethod
    def right(self) -> Any:
        """Return the right answer, computed straight from the data."""

    @abstractmethod
    def plain(self, player: Player) -> Any:
        """Do the task with the server's own tools."""

    @abstractmethod
    def stored(self, player: Player) -> Any:
        """Do the task through Penstock, without programs."""

    @abstractmethod
    def code_mode(self, player: Player) -> Any:
        """Do the task through FastMCP's CodeMode."""

    @abstractmethod
    def program(self, player: Player) -> Any:
        """Do the task through Penstock, with programs."""

    @contextmanager
    def serving(self) -> Iterator[Server]:
        """Provide what the server needs, and yield the way to start it."""
        yield server(self.server_name, folder=str(self.folder))
