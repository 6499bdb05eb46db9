"""Empty arguments that note lookups: a permission that looked for a missing one decides nothing."""

from __future__ import annotations

from typing import Any

from django.http import QueryDict


class Undecided(Exception):
    """A permission that depends on arguments, which are not known yet."""


class Lookups:
    """A note of whether anything was looked for."""

    def __init__(self) -> None:
        self.anything = False


class NotedArguments(dict[str, Any]):
    """An empty dict that notes lookups."""

    def __init__(self, looked_for: Lookups) -> None:
        super().__init__()
        self._looked_for = looked_for

    def get(self, key: str, default: Any = None) -> Any:
        del key
        self._looked_for.anything = True
        return default

    def __missing__(self, key: str) -> Any:
        self._looked_for.anything = True
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        self._looked_for.anything = True
        return False


class NotedQuery(QueryDict):
    """An empty query string that notes lookups."""

    def __init__(self, looked_for: Lookups) -> None:
        super().__init__("")
        self._looked_for = looked_for

    def __getitem__(self, key: str) -> Any:
        self._looked_for.anything = True
        return super().__getitem__(key)

    def getlist(self, key: str, default: Any = None) -> Any:
        self._looked_for.anything = True
        return super().getlist(key, default)

    def __contains__(self, key: object) -> bool:
        self._looked_for.anything = True
        return False
