"""How what a decorated function gives, or what is wrong with it, leaves the function.

Under a middleware it is handed over, and the framework gets a placeholder. Without one the framework
gets the value itself; and an error of ours as one that the SDK shows the agent, for any other it hides.
"""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Final, Self

from penstock.errors import PenstockError
from penstock.marks import Mark, current
from penstock.model import Refusal

_SDK_ERRORS: Final = "mcp.server.mcpserver.exceptions"


class Leaving:
    """Around the run of a function; after it, the placeholder stands for what was handed over."""

    def __init__(self, mark: Mark, placeholder: Any) -> None:
        self.placeholder = placeholder
        receiver = current()
        self._receiver = receiver if receiver is not None and receiver.mark == mark.key else None

    def with_value(self, value: Any) -> Any:
        if self._receiver is None:
            return value
        self._receiver.value = value
        return self.placeholder

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, PenstockError):
            return False
        if self._receiver is None:
            raise shown(error) from error
        self._receiver.value = Refusal(error.message, error.next_step)
        return True


def shown(error: PenstockError) -> PenstockError:
    """The same error, as one of the SDK's too, where that is loaded."""
    errors = sys.modules.get(_SDK_ERRORS)
    if errors is None or isinstance(error, errors.ToolError):
        return error
    kind = type(error)
    both = type(kind.__name__, (kind, errors.ToolError), {"__doc__": kind.__doc__})
    error.__class__ = both
    return error
