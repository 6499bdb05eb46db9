"""The reason why one of our SQL functions failed. SQLite reports only that some function did."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from penstock.core.model.questions import Failure
from penstock.worker.sandbox.column import RefusedQuestion

P = ParamSpec("P")
R = TypeVar("R")


class Faults:
    """The refusal of the last function that failed, until the next question."""

    def __init__(self) -> None:
        self.last: Failure | None = None

    def recorded(self, function: Callable[P, R]) -> Callable[P, R]:
        """Return the function, with its refusal recorded before SQLite sees it."""

        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except RefusedQuestion as refused:
                self.last = refused.failure
                raise

        return call
