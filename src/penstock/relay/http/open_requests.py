"""The requests in progress: how many of one party there may be at once.

A tool's result is never refused once the tool has run. So requests are refused before that, while
they are still small. This bounds the memory that one party can take.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from penstock.core.model.values import Refusal
from penstock.relay.http.gateway import Inbound
from penstock.relay.http.refusals import RETRY_SECONDS
from penstock.wire import eras
from penstock.wire.busy import busy_answer
from penstock.wire.messages import Message

MOST_OF_PARTY: Final = 100
# Requests without a session or a principal may come from many users behind one proxy.
MOST_OF_PEER: Final = 1_000


class OpenRequests:
    """The requests in progress, by party."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()

    @contextmanager
    def of(self, inbound: Inbound) -> Iterator[bytes]:
        """Admit the requests of a POST for this block. Yield the answer instead if they are too
        many: then nothing was begun."""
        # Responses and notifications are always admitted: requests in progress may wait for them.
        requests = inbound.requests()
        party, most = _party(inbound)
        count = len(requests)
        if count and self._open[party] + count > most:
            yield _refusal(requests, inbound, most)
            return
        self._open[party] += count
        try:
            yield b""
        finally:
            self._open[party] -= count
            if not self._open[party]:
                del self._open[party]


def _party(inbound: Inbound) -> tuple[str, int]:
    if inbound.principal.is_bearer:
        return f"peer:{inbound.peer}", MOST_OF_PEER
    return inbound.principal.id, MOST_OF_PARTY


def _refusal(requests: list[Message], inbound: Inbound, most: int) -> bytes:
    why = Refusal(
        f"Too many requests at once: at most {most} of yours may be in progress.",
        f"Try again in {RETRY_SECONDS} s, with fewer at once.",
    )
    fields = eras.COMPLETE if inbound.is_modern else {}
    answers = [_answer(message, why, fields) for message in requests]
    return answers[0] if inbound.message is not None else b"[" + b",".join(answers) + b"]"


def _answer(message: Message, why: Refusal, fields: dict[str, Any]) -> bytes:
    method = "" if isinstance(message.method, msgspec.UnsetType) else message.method
    return busy_answer(message.key, method, why, fields)
