"""Scales that build and weigh replies to an app: all of the content is structured, none is text."""

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
    """The scale of replies to an app."""

    told: bytes = b""  # a text for the model, if the model sees the reply too

    def reply(self, envelope: Any) -> Reply:
        return Reply(
            self.told,
            is_text=True,
            structured=encode(envelope),
            frame=self.frame,
            is_error=self.is_error,
        )


def scale_of(call: Call, context: Context) -> AppScale:
    """Return a scale with the host's ceiling: an app gets as much as the host takes."""
    return AppScale(context.policy.ceiling, Frame(fields=call.frame.fields), context.meter)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalScale(ReplyScale):
    """The scale of refusals. The model and the app both read them, so both limits hold."""

    ceiling: Budget
    gone: bool  # the token is not valid, or no longer

    def reply(self, envelope: Any) -> Reply:
        return Reply(
            encode(envelope),
            structured=encode({**envelope, "gone": self.gone}),
            frame=self.frame,
            is_error=True,
        )

    def admits(self, reply: Reply) -> bool:
        wire = reply.everything
        return self.budget.admits(wire, self.meter) and self.ceiling.admits(wire, self.meter)


def refused(refusal: Refusal, call: Call, context: Context, *, gone: bool = False) -> Reply:
    policy, frame = context.policy, Frame(fields=call.frame.fields)
    scale = RefusalScale(policy.budget, frame, context.meter, ceiling=policy.ceiling, gone=gone)
    return replace(scale.refusal(refusal), reason=refusal.reason)
