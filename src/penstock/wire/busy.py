"""The answer to a request that would have to wait too long: it says when to try again.

A tool's caller is an agent, which reads results. So a call gets a result, and any other request an
error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penstock.core.json.encoding import encode
from penstock.core.model.reply import Reply
from penstock.core.model.values import Frame, Refusal
from penstock.wire import messages
from penstock.wire.messages import BUSY


def busy_answer(key: bytes, method: str, why: Refusal, fields: Mapping[str, Any]) -> bytes:
    """Return the answer. `fields`: the other members of a result, see `Frame`."""
    told = {"error": why.error, "next_step": why.next_step}
    if method == "tools/call":
        reply = Reply(encode(told), is_error=True, frame=Frame(fields=fields))
        return messages.response(key, reply.wire())
    return messages.failure(key, BUSY, f"{why.error} {why.next_step}")
