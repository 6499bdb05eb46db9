"""Messages of upstream's that belong to no client."""

from __future__ import annotations

from typing import Final

from penstock.wire import messages
from penstock.wire.messages import METHOD_NOT_FOUND

_NOBODY: Final = (
    "Several clients share this process, and the request does not say which one it is for. Since "
    "2026-07-28, a server asks its client in an `input_required` result."
)


def nobodys_answer(key: bytes) -> bytes:
    """Return the error for a request of upstream's. Upstream would otherwise wait for an answer."""
    return messages.failure(key, METHOD_NOT_FOUND, _NOBODY)
