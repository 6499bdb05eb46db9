"""The larger results of tools with a user interface.

An app may get more than a model, because its host keeps the result from the model. The host knows
from upstream's list which tools these are. A client may still have an earlier list. So a tool that
any list of the session showed without its user interface has no larger results.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

MOST_NAMES: Final = 100_000  # an upstream with more has no such tools


class HasUi(Protocol):
    """A tool of upstream's."""

    @property
    def name(self) -> str: ...

    @property
    def is_for_apps_alone(self) -> bool: ...

    @property
    def has_widget(self) -> bool: ...


class AppRights:
    """The names that were listed without a user interface."""

    def __init__(self) -> None:
        self._for_models: set[str] = set()  # the model could call the tool
        self._plain: set[str] = set()  # the model got the structured content too

    def note(self, tools: Iterable[HasUi]) -> None:
        """Note how a list shows each tool."""
        for tool in tools:
            if tool.is_for_apps_alone or len(self._for_models) > MOST_NAMES:
                continue
            self._for_models.add(tool.name)
            if not tool.has_widget:
                self._plain.add(tool.name)

    def is_for_apps_alone(self, tool: HasUi) -> bool:
        """Return whether only apps may call the tool, and no list has said otherwise."""
        is_known = len(self._for_models) <= MOST_NAMES and tool.name not in self._for_models
        return tool.is_for_apps_alone and is_known

    def has_widget(self, tool: HasUi) -> bool:
        """Return whether only an app gets the tool's structured content, and no list has said
        otherwise."""
        is_known = len(self._for_models) <= MOST_NAMES and tool.name not in self._plain
        return is_known and (tool.has_widget or tool.is_for_apps_alone)
