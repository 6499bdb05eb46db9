"""Empty arguments that note lookups: a permission that looked for a missing one decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final, TypeVar

from django.http import QueryDict


class Undecided(Exception):
    """A permission that depends on arguments, which are not known yet."""


class Lookups:
    """A note of whether anything was looked for."""

    def __init__(self) -> None:
        self.anything = False


_Kind = TypeVar("_Kind", bound=type)
_READS: Final = (
    *("__getitem__", "__contains__", "__iter__", "__len__", "__eq__", "__or__", "__ror__"),
    *("get", "keys", "items", "values", "copy", "pop", "popitem", "setdefault"),
)
_READS_OF_QUERY: Final = ("getlist", "lists", "dict", "urlencode")


def _noting(*names: str) -> Callable[[_Kind], _Kind]:
    """Make these methods of a class note that something was looked for."""

    def change(kind: _Kind) -> _Kind:
        for name in names:
            setattr(kind, name, _noted(getattr(kind, name)))
        return kind

    return change


def _noted(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def noted(self: Any, *args: Any, **kwargs: Any) -> Any:
        self.looked_for.anything = True
        return method(self, *args, **kwargs)

    return noted


@_noting(*_READS)
class NotedArguments(dict[str, Any]):
    """An empty dict that notes lookups, also by `**` and by `bool`."""

    def __init__(self, looked_for: Lookups) -> None:
        super().__init__()
        self.looked_for = looked_for


@_noting(*_READS, *_READS_OF_QUERY)
class NotedQuery(QueryDict):
    """An empty query string that notes lookups."""

    def __init__(self, looked_for: Lookups) -> None:
        self.looked_for = looked_for
        super().__init__("")

    def __deepcopy__(self, _memo: Any) -> Any:
        return self.__copy__()

    def __copy__(self) -> Any:
        self.looked_for.anything = True
        return QueryDict("", mutable=True)
