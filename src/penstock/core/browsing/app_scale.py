"""How a reply to an app is put together and weighed: all of it is structured, and none is text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from penstock.core.budget.budget import Budget
from penstock.core.budget.fitting import ReplyScale
from penstock.core.json.encoding import encode
from penstock.core.model.reply import Reply
from penstock.core.model.values import Call, Frame, Refusal
from penstock.core.protocol.entries import Context


@dataclass(frozen=True, slots=True)
class AppScale(ReplyScale):
    """`told`: a text for the model, where it sees the reply too."""

    told: bytes = b""

    def reply(self, envelope: Any) -> Reply:
        return Reply(
            self.told,
            is_text=True,
            structured=encode(envelope),
            frame=self.frame,
            is_error=self.is_error,
        )


def scale_of(call: Call, context: Context) -> AppScale:
    """An app is sent as much as the host takes."""
    return AppScale(context.policy.ceiling, Frame(fields=call.frame.fields), context.meter)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalScale(ReplyScale):
    """A refusal is for the model and the app alike: it keeps what either takes."""

    ceiling: Budget
    gone: bool

    def reply(self, envelope: Any) -> Reply:
        return Reply(
            encode(envelope),
            structured=encode({**envelope, "gone": self.gone}),
            frame=self.frame,
            is_error=True,
        )

    def admits(self, reply: Reply) -> bool:
        wire = reply.wire(measured=True)
        return self.budget.admits(wire, self.meter) and self.ceiling.admits(wire, self.meter)


def refused(refusal: Refusal, call: Call, context: Context, *, gone: bool = False) -> Reply:
    """`gone`: the token is not, or no longer, good."""
    policy, frame = context.policy, Frame(fields=call.frame.fields)
    scale = RefusalScale(policy.budget, frame, context.meter, ceiling=policy.ceiling, gone=gone)
    return replace(scale.refusal(refusal), reason=refusal.reason)
