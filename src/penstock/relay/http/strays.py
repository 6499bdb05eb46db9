"""Messages of upstream's that belong to no client, and the log of those that are dropped."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from penstock.core.model.recent import Recent
from penstock.log import logger
from penstock.wire import messages
from penstock.wire.messages import METHOD_NOT_FOUND

_EVERY_SECONDS: Final = 60.0
_MOST_KINDS: Final = 100  # Upstream chooses the names of its methods.
_SHOWN: Final = 100

_NOBODY: Final = (
    "Several clients share this process, and the request does not say which one it is for. Since "
    "2026-07-28, a server asks its client in an `input_required` result."
)


def nobodys_answer(key: bytes) -> bytes:
    """Return the error for a request of upstream's. Upstream would otherwise wait for an answer."""
    return messages.failure(key, METHOD_NOT_FOUND, _NOBODY)


class DropLog:
    """A log of dropped messages: one line for each kind and minute, with the number since the last."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._said: Recent[str, float] = Recent(_MOST_KINDS)
        self._unsaid: Recent[str, int] = Recent(_MOST_KINDS)

    def note(self, kind: str, why: str) -> None:
        kind, now = kind[:_SHOWN], self._now()
        said = self._said.get(kind)
        if said is not None and now - said < _EVERY_SECONDS:
            self._unsaid.put(kind, (self._unsaid.get(kind) or 0) + 1)
            return
        before = self._unsaid.pop(kind) or 0
        more = f" (and {before} more since the last report)" if before else ""
        self._said.put(kind, now)
        logger().info("dropped %r%s: %s", kind, more, why)
