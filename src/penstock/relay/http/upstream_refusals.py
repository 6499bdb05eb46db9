"""The HTTP status and headers for a client whose message upstream has refused.

A status that is about the client's message (400, 413, 429, 503, ...) is passed on. A status that is
about Penstock's own request becomes 502: the client can do nothing about Penstock's credentials, its
content type or the address that it was given.
"""

from __future__ import annotations

from typing import Final

from penstock.relay.http.gateway import Inbound
from penstock.relay.http.reply_queue import ReplyQueue
from penstock.relay.http.upstream import HttpAnswer

BAD_GATEWAY: Final = 502
_NOT_FOUND: Final = 404
_NO_ACCESS: Final = (401, 403)
_NOT_ALLOWED: Final = 405
# These are about the method, headers and connection of Penstock's request.
_ABOUT_OURS: Final = frozenset({405, 406, 407, 408, 411, 415, 417, 421, 426, 431})


def pass_on_refusal(queue: ReplyQueue, answer: HttpAnswer, inbound: Inbound) -> None:
    """Set the status, and the headers that say how to log in and when to try again."""
    queue.status = _status(answer, inbound)
    if queue.status == answer.status:
        queue.headers = answer.advice


def _status(answer: HttpAnswer, inbound: Inbound) -> int:
    if answer.status in _NO_ACCESS:  # Otherwise Penstock's credentials were refused.
        return answer.status if inbound.forwards_authorization else BAD_GATEWAY
    if answer.status == _NOT_FOUND:  # the session, or a method; otherwise the address is wrong
        return answer.status if inbound.session or answer.is_explained else BAD_GATEWAY
    if answer.status == _NOT_ALLOWED and not inbound.body:  # upstream offers no GET or DELETE
        return answer.status
    return BAD_GATEWAY if answer.status in _ABOUT_OURS else answer.status
