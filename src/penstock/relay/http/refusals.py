"""Refusals of requests, as a client can read them: an HTTP status with a JSON-RPC error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.responses import Response

from penstock.wire import messages
from penstock.wire.headers import JSON
from penstock.wire.messages import BUSY, INVALID_REQUEST

RETRY_SECONDS: Final = 5
RETRY_LATER: Final = {"retry-after": str(RETRY_SECONDS)}


class RefusedExchange(Exception):
    """A request that gets this response and reaches no gateway."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


def refused(
    status: int, told: str, *, code: int = INVALID_REQUEST, more: Mapping[str, str] | None = None
) -> RefusedExchange:
    """Return a refusal of a request whose id is not known."""
    return with_error(status, messages.error(code, told), more=more)


def with_error(
    status: int, error: bytes, key: bytes = b"", more: Mapping[str, str] | None = None
) -> RefusedExchange:
    body = messages.error_response(key or b"null", error)
    return RefusedExchange(Response(body, status, more, media_type=JSON))


def busy(told: str) -> RefusedExchange:
    return refused(503, f"{told} Try again in {RETRY_SECONDS} s.", code=BUSY, more=RETRY_LATER)
