"""The base of the tasks over a server with 201 tools for GitLab."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.programs.gitlab_api import Project, serving
from benchmarks.programs.player import Player
from benchmarks.programs.servers import Server, server
from benchmarks.programs.task import Task


class GitlabTask(Task):
    """A task over an invented project, which a stand-in for GitLab serves."""

    server_name = "gitlab"

    @property
    @abstractmethod
    def project(self) -> Project:
        """Return the project."""

    def make(self) -> None:
        """Make nothing: the stand-in has the data."""

    @contextmanager
    def serving(self) -> Iterator[Server]:
        with serving(self.project) as url:
            yield server(self.server_name, url=url)


def plainly(player: Player, tool: str, **arguments: Any) -> Any:
    return player.value(tool, **arguments)


def through_index(player: Player, tool: str, **arguments: Any) -> Any:
    """Call a tool that only reads and that the list does not show in full."""
    return player.value("call_read_only_tool", name=tool, arguments=arguments)
