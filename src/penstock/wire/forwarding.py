"""The way of a call to upstream and back, within the time that the settings allow."""

from __future__ import annotations

from penstock.core.json.encoding import encode
from penstock.core.model.reply import Reply
from penstock.core.model.values import Frame
from penstock.log import logger
from penstock.wire.effects import Forward, Steps, UpstreamAnswer
from penstock.wire.request import Request

_STEP = (
    "It may still have its effect, and Penstock drops a late answer. Find out before you repeat a call "
    "that writes; ask a call that reads for less."
)


def forward(request: Request) -> Steps[UpstreamAnswer | bytes]:
    """Send a call to upstream. Return its answer, or an error if it comes too late."""
    seconds = None
    if not request.connection.is_inside:  # there the framework has limits of its own
        seconds = request.policy.for_tool(request.tool).call_timeout
    answer: UpstreamAnswer | None = yield Forward(request.line, seconds)
    return _too_late(request, seconds or 0) if answer is None else answer


def _too_late(request: Request, seconds: float) -> bytes:
    logger().warning("the tool %r did not answer within %g s: cancelled", request.tool, seconds)
    error = f"The tool did not answer within {seconds:g} s, and was cancelled."
    text = encode({"error": error, "next_step": _STEP})
    fields = request.known.frame(is_modern=request.is_modern).fields
    return request.answer(Reply(text, is_error=True, frame=Frame(fields=fields)).wire())
